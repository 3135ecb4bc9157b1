"""What an agent may not do that consolidates by itself, with nobody there to say yes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from brain.caller import Caller
from brain.errors import HumanOnly
from brain.language import gettext as _

REFUSED: Final = frozenset({"ask", "sync", "undo", "handoff_save", "ingest"})


def refuse(caller: Caller, operation: str, arguments: Mapping[str, Any]) -> None:
    """Raise HumanOnly for what only happens with a person there, and for a consolidation other than the caller's."""
    starts = operation == "consolidate" and (
        arguments.get("action") != "finish" or arguments.get("consolidation_id") != caller.consolidation
    )
    if operation in REFUSED or starts or (operation == "forget" and not caller.may_forget):
        raise HumanOnly(
            _("In a consolidation that runs by itself, “%(operation)s” is not to be had. Nothing was changed.")
            % {"operation": operation},
            next_step=_("Go on with the material; leave the rest to the user, in a note in wiki/syntheses/."),
        )


def nobody_there() -> HumanOnly:
    """Return the refusal of what would need the person's yes."""
    return HumanOnly(
        _("This needs the user's explicit request, and in a consolidation that runs by itself nobody is there to ask."),
        next_step=_("Leave it to the user with propose, or in a note in wiki/syntheses/, and go on."),
    )
