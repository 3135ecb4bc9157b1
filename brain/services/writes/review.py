"""review: what waits for the person, shown whole, and what they decide."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from django.db import DatabaseError

from brain.approval.models import Proposal
from brain.caller import Caller
from brain.contracts.approvals import ReviewInput, ReviewOutput, Waiting
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.errors import HumanOnly, IndexFailed, NotFound
from brain.language import gettext as _
from brain.language import ngettext
from brain.services.proposals import deciding, describing, interrupted, keeping


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
    interrupted.settle()
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
        next_step=_next_step(outcome, given, len(shown)) if caller.is_human else _for_agent(outcome, given, len(shown)),
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
    if not caller.is_human and one.client != caller.client:
        raise NotFound(
            _("You have no proposal “%(id)s”.") % {"id": one.id},
            next_step=_("Call review without an id: it lists yours."),
        )
    return _Outcome()


def _shown(caller: Caller, identity: str | None) -> list[Waiting]:
    rows = Proposal.objects.filter(state=Proposal.WAITING)
    if identity:
        rows = rows.filter(id=identity)
    if not caller.is_human:
        rows = rows.filter(client=caller.client, kind=Proposal.PROPOSAL)
    return [describing.waiting(one, whole=identity is not None) for one in rows]


def _for_agent(outcome: _Outcome, given: ReviewInput, count: int) -> str:
    """Return what a client does about its own proposals, which only the person decides."""
    if outcome.decided:
        return _("Nothing was written. To ask for it anew, call propose.")
    if given.id:
        return _(
            "The user decides on the Approvals page or with `cabecao review`; go on without it. "
            "review({ id: “%(id)s”, withdraw: true }) takes it back."
        ) % {"id": given.id}
    said = ngettext(
        "%(count)d proposal of yours waits for the user.", "%(count)d proposals of yours wait for the user.", count
    ) % {"count": count}
    return f"{said} " + _("See one whole by its id.") if count else _("Nothing of yours waits for the user.")


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
