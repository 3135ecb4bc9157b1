"""Whether answers from a language model are on, without a word about the provider."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brain.caller import Caller
from brain.contracts.reads import Standing
from brain.errors import reason_of
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.services.asking import permission
from llm import switch
from llm.switch import Consented, Off, On, Reason

# Why answers are off though a provider was configured -> what the person is told. An agent is told of none.
FAULTS: Final[Mapping[Reason, str]] = {
    Reason.UNSAFE_FOLDER: N_("other users of this machine can change the folder of its settings (%(what)s)"),
    Reason.INVALID: N_("llm.json cannot be taken as it is (%(what)s)"),
    Reason.CONSENT: N_("llm.json was changed or copied after you confirmed it"),
}


def state(caller: Caller) -> Consented | Off:
    """Return what holds for whoever asks, as for `ask`; off where the settings cannot be reached."""
    try:
        return switch.consented(caller_is_person=permission.is_at_terminal(caller))
    except OSError as error:
        return Off(Reason.INVALID, reason_of(error))


def standing(found: Consented | Off) -> Standing:
    """Return it in one word."""
    if isinstance(found, Off):
        return "optional" if found.reason is Reason.NOT_CONFIGURED else "off"
    return "on"


def fault(found: Consented | On | Off) -> str:
    """Return what is wrong with the settings, for the person alone; empty where nothing is."""
    if isinstance(found, Off) and found.reason in FAULTS:
        return _(FAULTS[found.reason]) % {"what": found.what}
    return ""
