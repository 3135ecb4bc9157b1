"""forget: put a note away; it leaves every reader at once, stays in Git, and undo brings it back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brain.caller import Caller
from brain.contracts.shared import DATA_NOTICE
from brain.contracts.writes import ForgetInput, ForgetOutput, ForgottenNote
from brain.errors import InvalidArgument, InvalidPath, NotFound
from brain.guard import paths
from brain.index import notes, refresh
from brain.language import gettext as _
from brain.note import document, fields
from brain.note.document import Document
from brain.services import archiving, judging, views, workplace, writing
from brain.services.writing import Change, FileEdit
from brain.store import files


def run(caller: Caller, given: ForgetInput) -> ForgetOutput:
    """Archive the note in one commit; an agent is answered first with what it would archive."""
    judging.refuse_secrets(caller, given.reason, _("the reason"))
    refresh.catch_up()
    done = writing.commit(caller, lambda: _change(caller, given))
    return ForgetOutput(
        data_notice=_(DATA_NOTICE),
        status="archived",
        note=ForgottenNote.model_validate(done.change.presented["note"]),
        summary=done.change.summary,
        confirmed_by=done.confirmed_by,
        op=done.op,
        commit=done.commit,
        archived_path=done.change.edits[1].path,
        warnings=done.warnings,
        next_step=_("Archived. undo({ op: “%(op)s” }) brings it back.") % {"op": done.op},
    )


def _change(caller: Caller, given: ForgetInput) -> Change:
    root = workplace.root()
    path = _located(root, given.id.strip())
    before = files.read(root, path)
    if before is None:
        raise _no_note(given.id)
    note = document.parse(before)
    about = _about(note, path)
    archived = archiving.place_of(root, path)
    after, warnings = archiving.put_away(caller, note, given.reason)
    return Change(
        "forget",
        (FileEdit(path, before, None), FileEdit(archived, None, after, moved_from=before)),
        (f"archive {about['type'] or 'note'}: {about['title']}",),
        warnings=warnings,
        summary=_summary(note, about, archived, given.reason),
        presented={"note": about},
    )


def _located(root: Path, wanted: str) -> str:
    """Return the path of the note that is meant, by id or by path."""
    row = notes.by_id(wanted)
    path = row.path if row is not None else files.actual(root, paths.inside_path(wanted))
    if path is None or not path.lower().endswith(".md"):
        raise _no_note(wanted)
    if not paths.is_note(path):
        raise InvalidPath(_("%(path)s is no note and cannot be archived. Nothing was changed.") % {"path": path})
    if paths.is_archived(path):
        raise InvalidArgument(
            _("%(path)s is archived already. Nothing was changed.") % {"path": path},
            next_step=_(
                "There is nothing to do: it is out of search and recall. undo with the op of its forget brings it back."
            ),
        )
    return path


def _no_note(wanted: str) -> NotFound:
    return NotFound(_("There is no note “%(id)s”. Nothing was changed.") % {"id": wanted[:200]})


def _about(note: Document, path: str) -> dict[str, Any]:
    known = fields.read(note, path)
    return {
        "id": known.id,
        "path": path,
        "title": known.title,
        "type": known.type,
        "scope": known.scope or "global",
        "trust": views.trust_of(known.trust, path),
        "origin": known.origin or "human",
    }


def _summary(note: Document, about: dict[str, Any], archived: str, reason: str) -> str:
    told = {**about, "type": about["type"] or _("note"), "lines": len(note.text.splitlines())}
    return _(
        "Archive the %(type)s “%(title)s” (%(path)s, %(lines)d lines, origin %(origin)s, trust %(trust)s) as "
        "%(archived)s. Reason: %(reason)s. It leaves search and recall and stays in Git; undo brings it back."
    ) % {**told, "archived": archived, "reason": reason.rstrip(".")}
