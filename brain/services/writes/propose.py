"""propose: a write that waits for the person, worked out and kept word for word."""

from __future__ import annotations

from dataclasses import replace

from brain.caller import Caller
from brain.contracts.approvals import ProposeInput, ProposeOutput
from brain.contracts.shared import DATA_NOTICE
from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.services import judging
from brain.services.proposals import keeping, rehearsing, telling


def run(caller: Caller, given: ProposeInput) -> ProposeOutput:
    """Keep what the operation would write; nothing is kept where it would change nothing."""
    if caller.is_human:
        raise InvalidArgument(
            _("A person has nobody to propose to: do it at once. Nothing was changed."),
            next_step=_("Call %(operation)s itself.") % {"operation": given.operation},
        )
    judging.refuse_secrets(caller, given.reason, _("the reason"))
    asking, found = rehearsing.rehearse(replace(caller), given.operation, given.arguments)
    if found is None:
        return _answer("unchanged", _("It would change nothing, so nothing was proposed."))
    one = keeping.propose(asking, found.change, found.reasons, claim=given.reason)
    return ProposeOutput(
        data_notice=_(DATA_NOTICE),
        status="proposed",
        proposal_id=one.id,
        summary=telling.summary(found),
        reasons=list(dict.fromkeys(found.reasons)),
        paths=[edit.path for edit in found.change.edits],
        next_step=telling.next_step(),
    )


def _answer(status: str, next_step: str) -> ProposeOutput:
    return ProposeOutput.model_validate(
        {
            "data_notice": _(DATA_NOTICE),
            "status": status,
            "proposal_id": None,
            "summary": None,
            "reasons": [],
            "paths": [],
            "next_step": next_step,
        }
    )
