"""Finding out what an operation would write, without writing it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any, Final

from pydantic import BaseModel

from brain.caller import Caller, Request
from brain.contracts import checking, sources, writes
from brain.errors import Rehearsed

# What may be proposed: what it is given, and the service that does it.
PROPOSABLE: Final[Mapping[str, type[BaseModel]]] = {
    "remember": writes.RememberInput,
    "write_page": writes.WritePageInput,
    "patch_page": writes.PatchPageInput,
    "relate": writes.RelateInput,
    "ingest": sources.IngestInput,
    "forget": writes.ForgetInput,
    "undo": writes.UndoInput,
    "handoff_save": writes.HandoffSaveInput,
}


def rehearse(caller: Caller, operation: str, arguments: Mapping[str, Any]) -> tuple[Caller, Rehearsed | None]:
    """Return what an operation would write, and for whom; None where it would write nothing.

    Raises what the operation raises: what would be refused cannot be proposed.
    """
    model = PROPOSABLE[operation]
    given = checking.parse(model, {name: value for name, value in arguments.items() if name != "confirm_token"})
    plain = checking.plain(given)
    asking = caller.in_session(getattr(given, "session_handle", None))
    request = Request(hashlib.sha256(plain.encode()).hexdigest(), confirmable=True, given=plain, rehearses=True)
    asking = replace(asking, request=request)
    try:
        import_module(f"brain.services.writes.{operation}").run(asking, given)
    except Rehearsed as found:
        return asking, found
    return asking, None


def again(caller: Caller, operation: str, arguments: str) -> Rehearsed | None:
    """Return what a kept request would write now."""
    return rehearse(caller, operation, json.loads(arguments))[1]
