"""What an answer says to do next: to the person with the reason, to an agent without a word of the provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brain.caller import Caller
from brain.contracts.asking import Status
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.services.asking import wording
from brain.services.asking.permission import Refusal, Why
from llm.caps import LimitReached
from llm.failure import Failure
from llm.switch import On

_FROM_PASSAGES: Final = N_("Answer from `passages`, and say which note each statement is from.")
_AFTER: Final[Mapping[Status, str]] = {
    "answered": N_("For anything important, open the source: read a citation by its id and section."),
    "not_found": N_("The notes that were asked do not answer this. Search with other words before you give up."),
    "low_confidence": N_(
        "More than half of the answer had no quote that stands in the notes and was left out. Read `passages` yourself."
    ),
}
_REFUSED: Final[Mapping[Why, str]] = {
    "not_configured": N_("Answers are not turned on. `cabecao llm on` shows what would leave and where to, and asks."),
    "off": N_("Answers are turned off. `cabecao llm on` turns them on again."),
    "redirected": N_("Answers use your own settings folder alone; another one counts only at your terminal."),
    "unsafe_folder": N_("Other users of this machine can change %(what)s: take that right away (chmod go-w)."),
    "invalid": N_("llm.json cannot be taken (%(what)s). Run `cabecao llm on` again."),
    "consent": N_("llm.json is not what you confirmed on this machine. Run `cabecao llm on` again."),
    "policy": N_("This brain's llm_policy lets nobody have its notes. `cabecao llm policy` shows and changes it."),
    "agent_only": N_("This brain's llm_policy allows the installed agent alone, and another provider is turned on."),
    "invalid_policy": N_(
        "llm_policy in .cabecao.json cannot be taken (%(what)s), so nothing leaves. Correct it there."
    ),
    "consolidation": N_("In a consolidation that runs by itself nothing is asked of a provider."),
}
_OF_THE_PERSON: Final = N_("Only the user can change that, in a terminal.")
_CAPS: Final[Mapping[str, str]] = {
    "hour": N_("%(limit)d questions in an hour are reached (max_calls_per_hour). Wait, or raise it in llm.json."),
    "session": N_("%(limit)d questions of this session are reached (max_calls_per_session in llm.json)."),
    "counter": N_("ask-usage.json cannot be read, so nobody knows how many were asked. Delete it to begin anew."),
}


def after(status: Status) -> str:
    """Say what to do with an answer."""
    return _(_AFTER[status])


def refused(refusal: Refusal, caller: Caller) -> str:
    """Say why no provider is asked; who is no person is told what to do instead, and nothing of the settings."""
    if caller.is_human:
        return why(refusal)
    if refusal.why == "invalid_policy":
        return f"{_(_FROM_PASSAGES)} {_('The llm_policy of this brain is invalid; `cabecao doctor` says more.')}"
    return f"{_(_FROM_PASSAGES)} {_(_OF_THE_PERSON)}"


def why(refusal: Refusal) -> str:
    """Say for the person why no provider is asked, and what to do."""
    text = _(_REFUSED[refusal.why])
    return text % {"what": refusal.what} if refusal.what else text


def failed(failure: Failure, caller: Caller) -> str:
    """Say that a provider gave no answer; why is for the person alone."""
    if not caller.is_human:
        return _(_FROM_PASSAGES)
    said, advice = wording.failure(failure)
    return f"{said[:1].upper()}{said[1:]}. {advice}"


def limit(reached: LimitReached, caller: Caller) -> str:
    """Say which cap is reached."""
    if caller.is_human:
        return _(_CAPS[reached.cap]) % {"limit": reached.limit}
    return f"{_(_FROM_PASSAGES)} {_('The cap on questions is reached: do not ask again in this session.')}"


def all_kept_back() -> str:
    """Say that what was found may not leave."""
    return _("What was found may not leave this machine (`omitted` says why). Read `passages` yourself.")


def shown(count: int, allowed: On | Refusal, caller: Caller) -> str:
    """Say what a look at the context means."""
    if not count:
        return _("No passage would be sent, so nothing would be asked.")
    if isinstance(allowed, Refusal) and caller.is_human:
        return f"{_('Nothing was sent.')} {why(allowed)}"
    return _("Nothing was sent.")
