"""sync: this brain and its remote brought to the same notes."""

from __future__ import annotations

from brain.caller import Caller, Surface
from brain.contracts.syncing import SyncInput, SyncOutput
from brain.services.syncing import apart, running


def run(caller: Caller, given: SyncInput) -> SyncOutput:
    """Sync here where a command asks, in a process of its own for everyone else."""
    if caller.surface is Surface.CLI:
        return running.run(caller, accept_deletions=given.accept_deletions)
    return apart.run(caller)
