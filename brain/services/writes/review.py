"""review: what waits for the person, shown whole, and what they decide."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Literal

from django.db import DatabaseError

from brain import clock
from brain.approval.models import Proposal
from brain.caller import Caller
from brain.contracts.approvals import FileChange, ReviewInput, ReviewOutput, Waiting
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.errors import HumanOnly, IndexFailed
from brain.guard import spelling
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import document, fields
from brain.services import confirm_summary
from brain.services.proposals import deciding, keeping, packing
from brain.services.writing import FileEdit


@dataclass
class _Outcome:
    decided: Literal["accepted", "rejected", "withdrawn", "rebased"] | None = None
    op: str | None = None
    commit: str | None = None
    path: str | None = None
    warnings: list[Notice] = field(default_factory=list)


def run(caller: Caller, given: ReviewInput) -> ReviewOutput:
    """Show what waits, or decide one; an agent sees its own proposals alone and decides none."""
    if (given.accept or given.reject or given.rebase) and not caller.is_human:
        raise HumanOnly(
            _("Only the person decides. Nothing was changed."),
            next_step=_("Ask the user to look at the Approvals page; your own you can withdraw."),
        )
    try:
        outcome = _decided(caller, given) if given.id else _Outcome()
        shown = [] if outcome.decided not in (None, "rebased") else _shown(caller, given.id)
    except DatabaseError as error:
        raise IndexFailed(_("The requests could not be read. Nothing was changed.")) from error
    return ReviewOutput(
        data_notice=_(DATA_NOTICE),
        waiting=shown,
        decided=outcome.decided,
        op=outcome.op,
        commit=outcome.commit,
        path=outcome.path,
        warnings=outcome.warnings,
        next_step=_next_step(outcome, given, len(shown)),
    )


def _decided(caller: Caller, given: ReviewInput) -> _Outcome:
    one = deciding.find(str(given.id))
    if given.accept:
        done = deciding.accept(caller, one, shown=given.digest, text=given.text)
        return _Outcome("accepted", done.op, done.commit, keeping.path_of(one), done.warnings)
    if given.reject:
        deciding.reject(caller, one, given.reason or "")
        return _Outcome("rejected")
    if given.withdraw:
        deciding.withdraw(caller, one)
        return _Outcome("withdrawn")
    if given.rebase:
        deciding.rebase(caller, one)
        return _Outcome("rebased")
    return _Outcome()


def _shown(caller: Caller, identity: str | None) -> list[Waiting]:
    rows = Proposal.objects.filter(state=Proposal.WAITING)
    if identity:
        rows = rows.filter(id=identity)
    if not caller.is_human:
        rows = rows.filter(client=caller.client, kind=Proposal.PROPOSAL)
    return [_waiting(one, whole=identity is not None) for one in rows]


def _waiting(one: Proposal, *, whole: bool) -> Waiting:
    change = packing.unpack(one.change)
    written = [edit for edit in change.edits if edit.after is not None] or list(change.edits)
    return Waiting.model_validate(
        {
            "id": one.id,
            "kind": one.kind,
            "state": one.state,
            "client": one.client,
            "session": one.session or None,
            "operation": one.operation,
            "title": spelling.visible(_title(written[-1])),
            "claim": spelling.visible(one.claim),
            "reasons": json.loads(one.why),
            "paths": [edit.path for edit in change.edits],
            "created_at": clock.timestamp(one.created_at),
            "until": clock.timestamp(one.until) if one.until else None,
            "expired": deciding.is_expired(one),
            "moved": deciding.has_moved(change),
            "digest": keeping.digest(one),
            "changes": [_file(edit) for edit in change.edits] if whole else [],
        }
    )


def _title(edit: FileEdit) -> str:
    content = edit.after if edit.after is not None else edit.before
    note = document.parse(content or b"")
    return fields.read(note, edit.path).title if note.error is None else edit.path


def _file(edit: FileEdit) -> FileChange:
    """Return a file with both texts; `whole` where the difference alone would not say what agents are to obey."""
    before = edit.before if edit.moved_from is None else edit.moved_from
    after = document.parse(edit.after) if edit.after is not None else None
    return FileChange(
        path=edit.path,
        before=document.parse(before).text if before is not None else None,
        after=after.text if after is not None else None,
        type=fields.read(after, edit.path).type if after is not None and after.error is None else None,
        whole=after is not None and not confirm_summary.is_their_word(edit, after),
    )


def _next_step(outcome: _Outcome, given: ReviewInput, count: int) -> str:
    if outcome.decided == "accepted":
        return _("Written. undo({ op: “%(op)s” }) takes it back.") % {"op": outcome.op}
    if outcome.decided in ("rejected", "withdrawn"):
        return _("Nothing was written.")
    if given.id:
        return _("Accept it as it is shown, or reject it with a reason: cabecao review %(id)s --accept") % {
            "id": given.id
        }
    said = ngettext("%(count)d request waits.", "%(count)d requests wait.", count) % {"count": count}
    return f"{said} " + _("See one whole: cabecao review ID") if count else _("Nothing waits.")
