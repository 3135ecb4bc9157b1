"""ask: an answer from a language model, in which each statement has a quote that stands in a note."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import date
from typing import Final

from brain import clock
from brain.caller import Caller, Surface
from brain.contracts.asking import (
    ANSWER_NOTICE,
    AskInput,
    AskOutput,
    Context,
    Diagnostics,
    Omitted,
    Status,
    UnavailableReason,
)
from brain.errors import SecretDetected
from brain.guard import secrets
from brain.index import refresh
from brain.language import gettext as _
from brain.note import tokens
from brain.services import shown, views
from brain.services.asking import passages, permission, private_names, record, retrieval, telling
from brain.services.asking.checking import Draft
from brain.services.asking.dialogue import Dialogue
from brain.services.asking.passages import Material, Reason, Rules
from brain.services.asking.permission import Refusal
from brain.services.asking.retrieval import Retrieved
from brain.services.reads import known_scopes
from llm import caps, prompt
from llm.failure import Failure
from llm.limits import Limits
from llm.request import Request
from llm.switch import On

_CATCH_UP_SECONDS: Final = 10.0
_STEPS: Final = 3


@dataclass
class _Question:
    """One question on its way: what was found for it, what may leave, and what came back."""

    caller: Caller
    given: AskInput
    day: date
    found: Retrieved = field(default_factory=lambda: Retrieved((), ()))
    material: Material = field(default_factory=lambda: Material(()))
    draft: Draft = field(default_factory=lambda: Draft({}))
    dialogue: Dialogue | None = None
    began: float = field(default_factory=time.monotonic)


def run(caller: Caller, given: AskInput) -> AskOutput:
    """Answer a question from the notes; whatever a provider does is a status, never an error."""
    if secrets.scan(given.question):
        raise SecretDetected(
            _("The question looks as if it held a secret: nothing was sent."),
            next_step=_("Ask again without it."),
        )
    day = date.fromisoformat(given.as_of) if given.as_of else clock.today()
    asked = _Question(caller, given, day)
    freshness = refresh.catch_up(seconds=_CATCH_UP_SECONDS)
    caller.report(0, _STEPS, _("looking for passages"))
    asked.found = retrieval.retrieve(given, day)
    for one in asked.found.candidates[: len(asked.found.hits)]:
        shown.glimpse(caller, one.row.path, one.row.digest)
    allowed = permission.given(caller)
    if given.show_context:
        return _as_shown(asked, allowed)
    if isinstance(allowed, Refusal):
        return _unavailable(asked, allowed.reason, telling.refused(allowed, caller))
    if freshness.warning:
        # A name or a mark that the index does not know of yet could leave.
        return _unavailable(asked, "provider_failed", freshness.warning)
    return _asked(asked, allowed)


def _asked(asked: _Question, on: On) -> AskOutput:
    asked.material = _material(asked, on.limits)
    if not asked.material.passages:
        return _with_nothing_to_send(asked)
    session = asked.caller.connection if asked.caller.surface is Surface.MCP else None
    try:
        slot = caps.reserve(on.folder, session, on.limits)
    except caps.LimitReached as reached:
        return _unavailable(asked, "limit_reached", telling.limit(reached, asked.caller))
    asked.caller.report(1, _STEPS, _("waiting for the answer"))
    labelled = {one.sent.label: one for one in asked.material.passages}
    asked.dialogue = Dialogue(on, labelled, asked.caller)
    request = _request(asked, on.limits)
    try:
        asked.draft = asked.dialogue.run(request)
    except Failure as failure:
        return _unavailable(asked, "provider_failed", telling.failed(failure, asked.caller), failure=failure)
    finally:
        if asked.dialogue.attempts.used == 0:
            slot.give_back()
    return _answered(asked)


def _material(asked: _Question, limits: Limits) -> Material:
    policy = permission.brains_own()
    if isinstance(policy, Refusal):
        return Material(())
    rules = Rules(policy, private_names.known(), asked.day)
    room = limits.context_tokens
    return passages.choose(asked.found.candidates, rules, most=asked.given.limit, budget=room)


def _request(asked: _Question, limits: Limits) -> Request:
    blocks = [one.sent for one in asked.material.passages]
    return prompt.build(asked.given.question, blocks, as_of=asked.day.isoformat(), most=limits.max_output_tokens)


def _answered(asked: _Question) -> AskOutput:
    draft = asked.draft
    status: Status = "answered"
    if not draft.claims:
        status = "not_found"
    elif draft.is_doubtful:
        status = "low_confidence"
    return _output(asked, status, next_step=telling.after(status))


def _with_nothing_to_send(asked: _Question) -> AskOutput:
    """Say that nothing was found, or that none of what was found may leave."""
    if asked.material.omitted:
        return _unavailable(asked, "disabled_for_brain", telling.all_kept_back())
    unknown = known_scopes.missing(asked.given.scope)
    return _output(asked, "not_found", next_step=unknown or telling.after("not_found"))


def _unavailable(
    asked: _Question, reason: UnavailableReason, next_step: str, *, failure: Failure | None = None
) -> AskOutput:
    return _output(asked, "unavailable", reason=reason, next_step=next_step, failure=failure)


def _as_shown(asked: _Question, allowed: On | Refusal) -> AskOutput:
    """Return what would be sent, also where no provider is turned on; nothing is sent."""
    limits = allowed.limits if isinstance(allowed, On) else Limits()
    asked.material = _material(asked, limits)
    count = len(asked.material.passages)
    text = prompt.shown(_request(asked, limits)) if count else ""
    output = _output(asked, "shown", next_step=telling.shown(count, allowed, asked.caller))
    context = Context(text=text, passages=count, approximate_tokens=tokens.count(text))
    return output.model_copy(update={"context": context})


def _output(
    asked: _Question,
    status: Status,
    *,
    next_step: str,
    reason: UnavailableReason | None = None,
    failure: Failure | None = None,
) -> AskOutput:
    draft = Draft({}) if status == "unavailable" else asked.draft
    output = AskOutput(
        data_notice=_(ANSWER_NOTICE),
        question=asked.given.question,
        status=status,
        answer=draft.text,
        claims=draft.claims,
        citations=draft.citations,
        unsupported_claims=draft.unsupported,
        removed_citations=draft.removed,
        missing=draft.missing,
        omitted=_omitted(asked.material.omitted),
        as_of=asked.day.isoformat(),
        unavailable_reason=reason,
        passages=None if status in {"answered", "shown"} else list(asked.found.hits),
        warnings=views.notices(known_scopes.notice(asked.given.scope)),
        next_step=next_step,
    )
    return _recorded(asked, output, failure)


def _omitted(counted: Counter[Reason]) -> Omitted:
    return Omitted(**{str(reason): count for reason, count in counted.items()})


def _recorded(asked: _Question, output: AskOutput, failure: Failure | None) -> AskOutput:
    """Keep in ask.log what was asked of whom, and tell the person at a terminal who wants to know."""
    if asked.dialogue is None:
        return output
    diagnostics = _diagnostics(asked, asked.dialogue, failure)
    record.keep(asked.dialogue.on.folder, asked.caller, output, diagnostics)
    if not (asked.given.verbose and asked.caller.is_human):
        return output
    return output.model_copy(update={"diagnostics": diagnostics})


def _diagnostics(asked: _Question, dialogue: Dialogue, failure: Failure | None) -> Diagnostics:
    used, now = dialogue.usage, time.monotonic()
    return Diagnostics(
        provider=dialogue.asked.name,
        model=dialogue.asked.model,
        destination=dialogue.asked.destination,
        search=asked.found.mode,
        retrieved=len(asked.found.candidates),
        sent=len(asked.material.passages),
        requests=dialogue.attempts.used,
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        cost_usd=used.cost_usd,
        seconds=round(now - asked.began, 3),
        own_milliseconds=round(1000 * max(0.0, now - asked.began - dialogue.seconds)),
        failure=failure.code.value if failure else None,
    )
