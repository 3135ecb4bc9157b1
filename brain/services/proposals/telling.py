"""What a client is told: that its write became a proposal, or what the person decided meanwhile."""

from __future__ import annotations

import contextlib
import logging
from typing import Any

from django.db import DatabaseError
from django.db.models import Q

from brain import clock
from brain.approval.models import Proposal
from brain.caller import Caller, Voice
from brain.errors import ConfirmationRequired, IndexFailed, Rehearsed
from brain.language import gettext as _
from brain.services import confirm_summary
from brain.services.proposals import interrupted, keeping

logger = logging.getLogger(__name__)

Details = dict[str, Any]


def proposed(caller: Caller, found: Rehearsed) -> Details:
    """Keep a change as a proposal and return what its client is answered."""
    try:
        one = keeping.propose(caller, found.change, found.reasons)
    except DatabaseError as error:
        raise IndexFailed(_("The proposal could not be kept. Nothing was changed.")) from error
    return {
        "status": "proposed",
        "decision": "proposed",
        "proposal_id": one.id,
        "summary": summary(found),
        "reasons": list(found.reasons),
        "reason": _("This brain takes what %(client)s writes as proposals.") % {"client": caller.client},
        "next_step": next_step(),
    }


def summary(found: Rehearsed) -> str:
    """Return what a change would do, as the person is told."""
    paths = [edit.path for edit in found.change.edits]
    return confirm_summary.of(found.change, paths, found.reasons)


def next_step() -> str:
    """Return what a client does about a proposal: nothing."""
    return _("Nothing was written. The user decides on the Approvals page or with `cabecao review`; go on without it.")


def is_decided(content: str) -> bool:
    """Tell whether the person decided on the page about a content, and its client was not told yet."""
    interrupted.settle()
    rows = Proposal.objects.filter(content=content, kind=Proposal.CONFIRMATION, told=False)
    try:
        return rows.filter(Q(state=Proposal.REJECTED) | Q(state=Proposal.ACCEPTED, commit__gt="")).exists()
    except DatabaseError:
        return False


def decided(caller: Caller, operation: str) -> Details | None:
    """Return what became of this very request on the Approvals page, once; None where nobody decided there."""
    interrupted.settle()
    try:
        rows = Proposal.objects.filter(key=keeping.key(caller, operation), kind=Proposal.CONFIRMATION, told=False)
        done = Q(state=Proposal.REJECTED) | Q(state=Proposal.ACCEPTED, commit__gt="")  # not what is being written
        one = rows.filter(done).order_by("-decided_at").first()
        fresh = one is not None and one.decided_at is not None and clock.now() - one.decided_at < keeping.TOLD_FOR
        if one is None or not fresh or not Proposal.objects.filter(id=one.id, told=False).update(told=True):
            return None
    except DatabaseError as error:
        logger.warning("what was decided could not be read (%s)", type(error).__name__)
        return None
    with contextlib.suppress(DatabaseError):  # what was decided is told all the same
        keeping.settle(caller, operation)  # this call may have asked anew
    if one.state == Proposal.REJECTED:
        raise ConfirmationRequired(
            _("The user said no to this on the Approvals page. Nothing was changed."),
            status="declined",
            reasons=[one.answer] if one.answer else [],
            next_step=_("Do not ask again and do not try another way."),
        )
    path = keeping.path_of(one)
    return {
        "status": "approved",
        "decision": "created",
        "confirmed_by": str(Voice.PERSON),
        "op": one.op,
        "commit": one.commit,
        "path": path,
        "changed": True,
        "next_step": _("The user approved it on the Approvals page: it is done. undo takes it back."),
    }
