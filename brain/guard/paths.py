"""Paths of notes: inside the brain, the same on every system, and one spelling for each.

Two questions are kept apart. `inside_path` asks whether a text may name a file of the brain at all; `note_path` also
whether a note may be written there. That no symbolic link leads out is the store's to see.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from brain.errors import InvalidPath, UnsafePath
from brain.guard import control_files, limits
from brain.guard.spelling import INVISIBLE, folded, folded_segments
from brain.language import gettext as _

_ENCODED: Final = re.compile(r"%(?:25)*(?:2e|2f|5c|00)", re.IGNORECASE)
_DRIVE: Final = re.compile(r"[a-z]:[/\\]")
_SHORT_NAME: Final = re.compile(r"(?:git|cabeca)~[0-9]+")  # what Windows calls .git and .cabecao beside their name
_MACHINE: Final = frozenset({".git", ".cabecao"})
_RESERVED_NAME: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])[ ]*(?:\..*)?", re.IGNORECASE | re.DOTALL
)
_RESERVED_SIGN: Final = re.compile(r'[<>:"|?*\\]')
_CONFLICT: Final = re.compile(r"\.conflict-[^/]+-[0-9]{8}-[0-9]{6}(?:[.-][0-9]+)?\.md", re.IGNORECASE)
_HIDDEN_KINDS: Final = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})
_JOINER: Final = "\u200d"
_PICTURE: Final = "\ufe0f"
_KEYCAP: Final = "\u20e3"


def inside_path(text: str) -> str:
    """Return the NFC path that a text names in the brain; UnsafePath where it would leave it or enter Git's folder."""
    _check_inside(text)
    path = unicodedata.normalize("NFC", text.removeprefix("./"))
    if not path or any(part in {"", "."} for part in path.split("/")):
        raise InvalidPath(_("“%(path)s” names no file.") % {"path": _shown(text)})
    if any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in path):
        raise InvalidPath(_("The path “%(path)s” has a control character.") % {"path": _shown(text)})
    return path


def note_path(text: str) -> str:
    """Return the NFC, slash-separated path of a note; UnsafePath or InvalidPath where no note may lie there."""
    path = inside_path(text)
    _check_names(path)
    if not path.lower().endswith(".md"):
        raise InvalidPath(_("“%(path)s” does not end in .md.") % {"path": _shown(path)})
    if control_files.is_catalogue(path):
        raise InvalidPath(
            _("index.md is made by Cabeção from the notes; nobody writes it."),
            next_step=_("Write the note itself; the catalogue follows."),
        )
    if is_conflict_copy(path):
        raise InvalidPath(
            _("“%(path)s” has the form of a conflict copy; only a sync makes those.") % {"path": _shown(path)},
            next_step=_("Write to the note it is a copy of."),
        )
    if _is_hidden(path) and not control_files.is_agent_file(path):
        raise InvalidPath(_("“%(path)s” is hidden: it would never be found again.") % {"path": _shown(path)})
    return path


def is_note(path: str) -> bool:
    """Tell whether a file found in the tree is a note to index; conflict copies are, control files are not."""
    if path[-3:].lower() != ".md" or _is_hidden(path):
        return False
    first, slash, _rest = path.partition("/")
    return first.lower() != "log" if slash else first.lower() not in control_files.NOT_NOTES


def is_archived(path: str) -> bool:
    """Tell whether a note was put away with forget."""
    return folded(path).startswith("memory/_archive/")


def is_raw(path: str) -> bool:
    """Tell whether a file is outside material, kept as it came."""
    return folded_segments(path)[0] == "raw" and "/" in path


def is_conflict_copy(path: str) -> bool:
    """Tell whether a name has the form that sync gives to the losing text of a conflict."""
    return _CONFLICT.search(path) is not None


def copied(path: str) -> tuple[str, str]:
    """Return what a conflict copy is a copy of and the machine whose text it has; the path itself where it is none."""
    found = _CONFLICT.search(path)
    if found is None:
        return path, ""
    machine = re.sub(r"-[0-9]{8}-[0-9]{6}(?:[.-][0-9]+)?\.md$", "", found.group(), flags=re.IGNORECASE)
    return path[: found.start()] + path[-3:], machine.partition(".conflict-")[2]


def _is_hidden(path: str) -> bool:
    return path.startswith(".") or "/." in path


def _check_inside(text: str) -> None:
    plain = folded(text)
    if _DRIVE.match(plain) or plain.startswith(("/", "\\", "~/", "~\\")):
        raise UnsafePath(_("“%(path)s” is an absolute path.") % {"path": _shown(text)})
    if _ENCODED.search(plain):
        raise UnsafePath(_("“%(path)s” hides a dot or a slash behind a percent sign.") % {"path": _shown(text)})
    for name in folded_segments(text):
        if len(name) > 1 and not name.strip(". "):
            raise UnsafePath(_("“%(path)s” leaves the brain.") % {"path": _shown(text)})
        owner = name.partition(":")[0].strip(" ").rstrip(". ")
        if owner in _MACHINE or _SHORT_NAME.fullmatch(owner):
            raise UnsafePath(_("“%(path)s” is in a folder of Git or of this machine.") % {"path": _shown(text)})


def _check_names(path: str) -> None:
    if has_invisible(path):
        raise InvalidPath(_("The path “%(path)s” has an invisible character.") % {"path": _shown(path)})
    for name in path.split("/"):
        if _RESERVED_SIGN.search(name) or _RESERVED_NAME.fullmatch(name):
            raise InvalidPath(_("Windows cannot store the name “%(name)s”.") % {"name": _shown(name)})
        if name[-1] in ". ":
            raise InvalidPath(_("The name “%(name)s” ends in a dot or a blank.") % {"name": _shown(name)})
    longest = max(len(name.encode()) for name in path.split("/"))
    if longest > limits.SEGMENT_BYTES or len(path.encode()) > limits.PATH_BYTES:
        raise InvalidPath(
            _("The path is too long: at most %(segment)s bytes a name and %(path)s in all.")
            % {"segment": limits.SEGMENT_BYTES, "path": limits.PATH_BYTES}
        )


def has_invisible(path: str) -> bool:
    """Tell whether a name has a sign that is drawn as nothing and holds no picture together."""
    if path.isascii():
        return False
    return any(
        (INVISIBLE.match(sign) or unicodedata.category(sign) in _HIDDEN_KINDS) and not _belongs_to_emoji(path, place)
        for place, sign in enumerate(path)
    )


def _belongs_to_emoji(path: str, place: int) -> bool:
    """Tell whether the sign at a place holds a picture together, as in a family, a heart or a keycap."""
    before = path[:place].removesuffix(_PICTURE)[-1:]
    after = path[place + 1 : place + 2]
    if path[place] == _PICTURE and after == _KEYCAP:
        return True
    if before == "" or unicodedata.category(before) not in {"So", "Sk", "Sm"}:
        return False
    return path[place] == _PICTURE or (path[place] == _JOINER and after != "" and unicodedata.category(after) == "So")


def _shown(text: str) -> str:
    """Return a path fit for a message: control and invisible characters written out, cut when long."""
    plain = "".join(f"\\u{ord(sign):04x}" if _is_odd(sign) else sign for sign in text[:200])
    return plain if len(text) <= 200 else plain + "…"


def _is_odd(sign: str) -> bool:
    return unicodedata.category(sign) in _HIDDEN_KINDS or INVISIBLE.match(sign) is not None
