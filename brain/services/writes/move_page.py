"""move_page: a note gets another path or title, and whatever links to it follows."""

from __future__ import annotations

import unicodedata

from brain import clock
from brain.caller import Caller
from brain.contracts.editing import MovePageInput
from brain.contracts.shared import Notice, Written
from brain.errors import AlreadyExists, InvalidArgument, InvalidNote
from brain.guard import paths
from brain.language import gettext as _
from brain.note import document
from brain.note.document import Document
from brain.services import workplace
from brain.services.drafts import Draft
from brain.services.editing import locating, readdressing, saving
from brain.services.editing.readdressing import Readdressing
from brain.services.editing.saving import SaysItAlready
from brain.services.writing import Change, FileEdit
from brain.store import files


def run(caller: Caller, given: MovePageInput) -> Written:
    """Move it in one commit with the links to it; AlreadyExists where something stands at the new path."""
    return saving.save(caller, lambda: _change(given), whole=False)


def _change(given: MovePageInput) -> Change:
    path = locating.located(given.path)
    before = locating.content(path, base=given.base)
    target = _target(path, given.to)
    note, known = document.parse(before), readdressing.naming(before, path).known
    retitled = _retitled(note, given.title) if given.title and given.title != known.title else note
    if target == path and retitled is note:
        raise SaysItAlready(path, Draft(before, known, changed=False))
    left: list[Notice] = []
    following = Readdressing(readdressing.naming(before, path), readdressing.naming(retitled.raw, target))
    after = readdressing.rewritten(following, retitled, (path, target), left)
    others = tuple(readdressing.edits(following, [path], left))
    line = f"move {known.type or 'note'}: {following.after.known.title}"
    edits = (*_moving(path, target, before, after), *others)
    return Change("move_page", edits, (line,), warnings=(*left, *saving.followed(len(others))))


def _moving(path: str, target: str, before: bytes, after: bytes) -> tuple[FileEdit, ...]:
    if target == path:
        return (FileEdit(path, before, after, follows=True),)
    return FileEdit(target, None, after, moved_from=before, follows=True), FileEdit(path, before, None)


def _target(path: str, wanted: str) -> str:
    """Return the path to move to, its folders spelled as they are on the disk."""
    locating.refuse_fixed(path)
    target = paths.note_path(wanted)
    locating.refuse_fixed(target)
    if target == unicodedata.normalize("NFC", path):
        return path  # a file keeps the form of its name that its own system gave it
    root = workplace.root()
    folder, _slash, name = target.rpartition("/")
    target = f"{files.spelled(root, folder)}/{name}" if folder else name
    there = files.actual(root, target)
    if there == path != target and files.exists(root, target):
        raise InvalidArgument(
            _("The new name differs from the old one in case or accents alone. Nothing was changed."),
            next_step=_("On this system the two are one file: move the note to another name first."),
        )
    if there not in (None, path):
        raise AlreadyExists(
            _("%(path)s is there already. Nothing was changed.") % {"path": there},
            next_step=_("Give another name, or archive the note that is there."),
        )
    return target


def _retitled(note: Document, title: str) -> Document:
    if note.error is not None:
        raise InvalidNote(
            _("%(problem)s Nothing was changed.") % {"problem": note.error},
            line=note.error_line,
            next_step=_("Correct the fields of the note first, then give it another title."),
        )
    return document.with_fields(note, {"title": title, "updated": clock.timestamp()})
