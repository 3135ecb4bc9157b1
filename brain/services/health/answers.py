"""Whether answers from a language model are on, without a word about the provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brain.caller import Caller
from brain.contracts.reads import Standing
from brain.errors import reason_of
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from llm import switch
from llm.switch import Off, Reason

# Why answers are off though a provider was configured -> what the person is told. An agent is told of none.
FAULTS: Final[Mapping[Reason, str]] = {
    Reason.UNSAFE_FOLDER: N_("other users of this machine can change the folder of its settings (%(what)s)"),
    Reason.INVALID: N_("llm.json cannot be taken as it is (%(what)s)"),
    Reason.CONSENT: N_("llm.json was changed or copied after you confirmed it"),
}


def state(caller: Caller) -> switch.On | Off:
    """Return what holds for whoever asks; off where the settings cannot be reached."""
    try:
        return switch.enabled(caller_is_person=caller.is_human)
    except OSError as error:
        return Off(Reason.INVALID, reason_of(error))


def standing(found: switch.On | Off) -> Standing:
    """Return it in one word."""
    if isinstance(found, Off):
        return "optional" if found.reason is Reason.NOT_CONFIGURED else "off"
    return "on"


def fault(found: switch.On | Off) -> str:
    """Return what is wrong with the settings, for the person alone; empty where nothing is."""
    if isinstance(found, Off) and found.reason in FAULTS:
        return _(FAULTS[found.reason]) % {"what": found.what}
    return ""
