"""What a source says of itself: its frontmatter is text, of which only title, source and author are taken."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any, Final

from brain.contracts.shared import Notice, is_legible
from brain.guard import limits
from brain.language import gettext as _
from brain.note import document, fields
from brain.note.document import Document

KEPT: Final = ("title", "source", "author")
_OPENING_SIGNS: Final = "\ufeff\u200b\u200c\u200d\u2060 \t\r\n"
_TICKS: Final = re.compile(r"`+")
_UNSEEN: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


@dataclass(frozen=True)
class Description:
    """A source's text as it is kept, and what its frontmatter says of where it comes from."""

    body: str
    title: str | None = None
    source: str | None = None
    author: str | None = None
    private: bool = False
    warnings: tuple[Notice, ...] = ()


def described(text: str, name: str) -> Description:
    """Return a source's text with its frontmatter as a block of code at its beginning; `name` is its file's, if any."""
    opened = text.lstrip(_OPENING_SIGNS)
    found = document.parse(opened.encode()) if opened.startswith("---") else document.parse(b"")
    if not found.head:
        return Description(text, title=_named(text, name))
    taken = {key: _line(found.frontmatter.get(key)) for key in KEPT}
    rest = [key for key in found.frontmatter if taken.get(key) is None]
    body = found.body.lstrip("\r\n")
    is_needed = found.error is not None or rest or body.lstrip(_OPENING_SIGNS).startswith("---")
    return Description(
        f"{_as_code(found)}\n{body}" if is_needed else body,
        title=taken["title"] or _named(body, name),
        source=taken["source"],
        author=taken["author"],
        private=fields.is_private(found),
        warnings=_ignored(found, rest),
    )


def _named(body: str, name: str) -> str | None:
    """Return the heading that names a text, else the name of its file without what follows the dot."""
    stem = PurePath(name).stem if "://" not in name else ""
    return _line(fields.read(document.parse(body.lstrip(_OPENING_SIGNS).encode()), stem).title)


def _line(value: Any) -> str | None:
    """Return a text of the source's as one line that shows all it holds; None where it has no text."""
    texts = value if isinstance(value, list) else [value]
    told = ", ".join(str(one) for one in texts if isinstance(one, str | int | float) and not isinstance(one, bool))
    if not is_legible(told):
        told = "".join(" " if unicodedata.category(sign) in _UNSEEN else sign for sign in told)
    plain = " ".join(told.split())[: limits.TITLE_CHARACTERS].strip()
    return plain if plain and is_legible(plain) else None


def _as_code(found: Document) -> str:
    """Return a frontmatter block as a block of code: text that nobody takes for the note's own."""
    lines = found.head.replace("\r\n", "\n").strip("\n").split("\n")[1:-1]
    block = "\n".join(lines)
    fence = "`" * max([3, *(len(one) + 1 for one in _TICKS.findall(block))])
    return f"{fence}yaml\n{block}\n{fence}\n"


def _ignored(found: Document, rest: list[str]) -> tuple[Notice, ...]:
    if found.error is not None:
        said = _("The source's own frontmatter cannot be read; it is kept as text.")
        return (Notice(code="frontmatter_ignored", message=said),)
    if not rest:
        return ()
    named = ", ".join((_line(key) or "?")[:40] for key in rest[:10])
    said = _("The source's own frontmatter is kept as text and decides nothing: %(fields)s.")
    return (Notice(code="frontmatter_ignored", message=said % {"fields": named}),)
