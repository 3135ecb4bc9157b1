"""File names for notes: portable to every system, and unique also where case does not count."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Final

from brain.errors import AlreadyExists
from brain.language import gettext as _
from brain.note.links import fold

MAX_BYTES: Final = 200
EXTENSION: Final = ".md"
FALLBACK: Final = "note"

_SEPARATORS: Final = re.compile(r"[\W_]+")
# What Windows forbids, what a wikilink cannot hold, and what is invisible.
_UNFIT: Final = re.compile(r'[<>:"/\\|?*\[\]#^%\x00-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]+')
_RESERVED: Final = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|com\d|lpt\d)(?=[. ]|\Z)", re.IGNORECASE)
_MOST_TRIES: Final = 10_000


def file_name(title: str, taken: Callable[[str], bool], *, slug: bool = True) -> str:
    """Return a free name ending in `.md` for a title; `taken` compares by `twin_key`.

    With `slug` it is made of lower-case words without accents; without, it keeps the title's words as a page's name.
    """
    stem = _slug(title) if slug else _page_name(title)
    return next(name for name in _candidates(stem, "-" if slug else " ") if not taken(name))


def twin_key(path: str) -> str:
    """Return the form in which two paths are the same file on some of a person's machines."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def is_portable(name: str) -> bool:
    """Tell whether one part of a path can be a file or a folder on every system."""
    if not name or name != name.strip(" ") or name.endswith(".") or re.search(r'[<>:"/\\|?*\x00-\x1f\x7f]', name):
        return False
    return not _is_reserved(name) and len(name.encode("utf-8", "surrogatepass")) <= 255


def _candidates(stem: str, joint: str) -> Iterator[str]:
    for number in range(1, _MOST_TRIES):
        ending = (f"{joint}{number}" if number > 1 else "") + EXTENSION
        yield _cut(stem, MAX_BYTES - len(ending)) + ending
    raise AlreadyExists(_("No free file name was found for the title."))


def _slug(title: str) -> str:
    folded = fold(title.encode(errors="ignore").decode()).lower()  # Cherokee folds to its capitals
    words = _SEPARATORS.sub("-", unicodedata.normalize("NFC", folded))
    return _allowed(words.strip("-"))


def _page_name(title: str) -> str:
    text = unicodedata.normalize("NFC", title.encode(errors="ignore").decode())
    words = " ".join(_UNFIT.sub(" ", text).split())
    return _allowed(words.removesuffix(EXTENSION).replace(".conflict-", " conflict-").strip(" .-~"))


def _allowed(stem: str) -> str:
    if not any(sign.isalnum() for sign in stem):
        return FALLBACK
    return f"{FALLBACK} {stem}".replace(" ", "-", 1) if _is_reserved(stem) else stem


def _is_reserved(name: str) -> bool:
    return _RESERVED.match(unicodedata.normalize("NFKC", name)) is not None


def _cut(stem: str, limit: int) -> str:
    """Shorten a name to so many bytes, between two signs and not before a mark that belongs to the last one."""
    if len(stem.encode()) <= limit:
        return stem
    kept = stem.encode()[:limit].decode(errors="ignore")
    following = stem[len(kept)]
    while kept and unicodedata.combining(following):
        kept, following = kept[:-1], kept[-1]
    return kept.rstrip(" .-~") or FALLBACK
