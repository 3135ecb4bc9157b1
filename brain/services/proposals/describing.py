"""A request as the person is shown it: what it is about, both texts of each file, and what was looked at already."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from brain import clock
from brain.approval.models import Proposal
from brain.contracts.approvals import About, FileChange, Waiting
from brain.guard import control_files, elevation, paths, spelling
from brain.guard.elevation import Action
from brain.note import document, fields
from brain.note.document import Document
from brain.services import confirm_summary, confirming
from brain.services.proposals import checks, deciding, keeping, packing
from brain.services.writing import Change, FileEdit

_BY_OPERATION: Final[dict[str, About]] = {"forget": "archive", "undo": "undo"}
# Of several files the weightiest one says what a request is about.
_ORDER: Final[tuple[About, ...]] = ("rule", "control", "preference", "trust", "outside", "note")
_INSTRUCTS: Final = frozenset({"rule", "control", "preference"})


def waiting(one: Proposal, *, whole: bool) -> Waiting:
    """Return a request; with `whole`, its texts and what was looked at too."""
    change = packing.unpack(one.change)
    moved = deciding.has_moved(change)
    touched = _touched(change)
    return Waiting.model_validate(
        {
            "id": one.id,
            "kind": one.kind,
            "about": _BY_OPERATION.get(change.operation) or touched,
            "instructs": touched in _INSTRUCTS and change.operation != "forget",
            "state": one.state,
            "client": one.client,
            "session": one.session or None,
            "operation": one.operation,
            "title": spelling.visible(_title(_main(change))),
            "claim": spelling.visible(one.claim),
            "reasons": json.loads(one.why),
            "paths": [edit.path for edit in change.edits],
            "created_at": clock.timestamp(one.created_at),
            "until": clock.timestamp(one.until) if one.until else None,
            "expired": deciding.is_expired(one),
            "moved": moved,
            "digest": keeping.digest(one),
            "checks": checks.of(one, change, moved=moved) if whole else [],
            "changes": _files(change) if whole else [],
        }
    )


def _main(change: Change) -> FileEdit:
    """Return the edit that a request is named after: the weightiest of those that write, else the last."""
    written = [edit for edit in change.edits if edit.after is not None] or list(change.edits)
    return min(reversed(written), key=lambda edit: _ORDER.index(_about(edit)))


def _touched(change: Change) -> About:
    found = {_about(edit) for edit in change.edits}
    return next(about for about in _ORDER if about in found)


def _about(edit: FileEdit) -> About:
    before, after = _parsed(edit.before if edit.moved_from is None else edit.moved_from), _parsed(edit.after)
    types = [_type(before, edit.path), _type(after, edit.path)]
    if elevation.is_rule(Action("", edit.path, note_type=types[1], before_type=types[0])):
        return "rule"
    if control_files.is_control(edit.path) or control_files.is_agent_file(edit.path):
        return "control"
    if "preference" in types:
        return "preference"
    if _is_trusted(after) and not _is_trusted(before):
        return "trust"
    return "outside" if paths.is_raw(edit.path) else "note"


def _parsed(content: bytes | None) -> Document | None:
    return document.parse(content) if content is not None else None


def _type(note: Document | None, path: str) -> str | None:
    return fields.read(note, path).type if note is not None and note.error is None else None


def _is_trusted(note: Document | None) -> bool:
    return note is not None and note.error is None and note.frontmatter.get("trust") == "high"


def _title(edit: FileEdit) -> str:
    note = document.parse(edit.after if edit.after is not None else edit.before or b"")
    return fields.read(note, edit.path).title if note.error is None else edit.path


def _files(change: Change) -> list[FileChange]:
    """Return each file once: a note that moves is one, with both places."""
    came_from = {edit.moved_from for edit in change.edits if edit.moved_from is not None}
    gone = {edit.before or b"": edit.path for edit in change.edits if edit.after is None and edit.before in came_from}
    stays = (edit for edit in change.edits if not (edit.after is None and edit.before in came_from))
    return [
        _file(edit, gone.get(edit.moved_from) if edit.moved_from is not None else None)
        for edit in _weightiest_first(stays)
    ]


def _weightiest_first(edits: Iterable[FileEdit]) -> list[FileEdit]:
    return sorted(edits, key=lambda edit: _ORDER.index(_about(edit)))


def _file(edit: FileEdit, place: str | None) -> FileChange:
    """Return a file with both texts; `whole` where the difference alone would not say what agents are to obey."""
    before = edit.before if edit.moved_from is None else edit.moved_from
    after = _parsed(confirming.marked(edit).after)
    theirs = after is None or paths.is_archived(edit.path) or confirm_summary.is_their_word(edit, after)
    return FileChange(
        path=place or edit.path,
        moved_to=edit.path if place else None,
        before=document.parse(before).text if before is not None else None,
        after=after.text if after is not None else None,
        type=_type(after, edit.path),
        whole=not theirs,
    )
