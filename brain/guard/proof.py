"""The proof that a person is there, for what weighs: what instructs agents, or lifts a guard."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from typing import Final

from brain.caller import Caller
from brain.errors import HumanOnly
from brain.language import gettext as _

LIFETIME: Final = timedelta(minutes=10)


def require(caller: Caller, reasons: Sequence[str] = ()) -> None:
    """Raise HumanOnly unless it is the person, whose proof is fresh where they are in a browser."""
    if not caller.is_human:
        raise HumanOnly(_("Only the person may do this. Nothing was changed."))
    if not caller.proved:
        why = " ".join(reasons).rstrip(".") or _("It is more than ten minutes since you did")
        raise HumanOnly(
            _("Prove first that it is you: %(reasons)s. Nothing was changed.") % {"reasons": why},
            next_step=_(
                "Do it on its page, which asks for the proof; or run `cabecao open` in a terminal, follow the link, "
                "and do it again within ten minutes."
            ),
            proof="due",
        )
