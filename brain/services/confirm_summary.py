"""What the person is shown before they say yes: which files, what they would hold, and why it is asked."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from brain.guard.spelling import visible
from brain.language import gettext as _
from brain.note import document, fields
from brain.services import vouching

if TYPE_CHECKING:
    from brain.services.writing import Change, FileEdit

MOST_CHARACTERS: Final = 1_500


def of(change: Change, asked: Sequence[str], reasons: Sequence[str]) -> str:
    """Return the summary of a change; `asked` are the paths that need a yes."""
    parts = [change.summary] if change.summary else []
    for edit in change.edits:
        if edit.path in asked and not (change.summary and edit.moved_from is not None):
            parts += _about(edit, named=bool(change.summary and edit.after is None))
    parts.append(_("Why it needs confirmation: %(reasons)s") % {"reasons": " ".join(reasons)})
    return visible("\n\n".join(part for part in parts if part))


def _about(edit: FileEdit, *, named: bool) -> list[str]:
    if named:
        return []
    if edit.after is None:
        return [_("Take %(path)s away.") % {"path": edit.path}]
    kind = fields.read(document.parse(edit.after), edit.path).type
    said = _("Create %(path)s%(type)s.") if edit.before is None else _("Change %(path)s%(type)s.")
    first = said % {"path": edit.path, "type": f" (type: {kind})" if kind else ""}
    return [first, *_shown(edit, edit.after)]


def _shown(edit: FileEdit, after: bytes) -> list[str]:
    """Return the text: whole where it is to instruct agents and was not the person's word, else its difference."""
    new = document.parse(after)
    if edit.before is None or not is_their_word(edit, new):
        whole = _is_resident(new) or len(new.text) <= MOST_CHARACTERS
        text = new.body.strip() if edit.before is None or _is_resident(new) else new.text.strip()
        return [_length(text), text if whole else _cut(text)]
    old = document.parse(edit.before)
    lines = difflib.unified_diff(old.text.splitlines(), new.text.splitlines(), lineterm="", n=1)
    return [_cut("\n".join(list(lines)[2:]))]


def _length(text: str) -> str:
    return _("Content, %(count)d characters:") % {"count": len(text)}


def _cut(text: str) -> str:
    return text if len(text) <= MOST_CHARACTERS else text[:MOST_CHARACTERS].rstrip() + " […]"


def _is_resident(note: document.Document) -> bool:
    return note.frontmatter.get("type") in vouching.RESIDENT_TYPES


def is_their_word(edit: FileEdit, new: document.Document) -> bool:
    """Tell whether a change may be shown by its difference: no resident note, or one whose text they vouched for."""
    if not _is_resident(new) or edit.before is None:
        return not _is_resident(new)
    key = fields.read(document.parse(edit.before), edit.path).id or edit.path
    return vouching.vouched().get(key) == hashlib.sha256(edit.before).hexdigest()
