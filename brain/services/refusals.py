"""Refused writes leave a row in the audit log: who asked for what, and the code of the refusal."""

from __future__ import annotations

import logging
from typing import Final

from django.db import DatabaseError

from brain.audit import chain
from brain.caller import Caller
from brain.errors import BrainError

logger = logging.getLogger(__name__)

GUARDED: Final = frozenset(
    {
        "secret_detected",
        "unsafe_path",
        "human_only",
        "rule_requires_human",
        "confirmation_required",
        "resident_cap_exceeded",
    }
)


def record(caller: Caller, operation: str, error: BrainError) -> None:
    """Add the row where a guard refused; a log that cannot be written never hides the refusal."""
    if error.code not in GUARDED:
        return
    try:
        detail = {"code": error.code, "surface": str(caller.surface), "session": caller.session}
        chain.append("refusal", actor=caller.origin, subject=operation, detail=detail)
    except (DatabaseError, BrainError, OSError) as failure:
        logger.warning("a refusal could not be recorded (%s)", type(failure).__name__)
