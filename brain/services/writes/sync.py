"""sync: this brain and its remote brought to the same notes."""

from __future__ import annotations

from brain.caller import Caller, Surface
from brain.contracts.syncing import SyncInput, SyncOutput
from brain.errors import HumanOnly
from brain.language import gettext as _
from brain.services.syncing import apart, running


def run(caller: Caller, given: SyncInput) -> SyncOutput:
    """Sync here where a command asks, in a process of its own for everyone else."""
    if caller.surface is Surface.CLI:
        return running.run(caller, accept_deletions=given.accept_deletions)
    if given.accept_deletions:
        raise HumanOnly(
            _("Only the person may accept that notes are deleted. Nothing was changed."),
            next_step=_("If that is meant, run `cabecao sync --accept-deletions` in a terminal."),
        )
    return apart.run(caller)
