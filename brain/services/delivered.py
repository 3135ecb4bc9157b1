"""Which handoffs were delivered to which sessions of this machine; it is no truth, and losing it loses a hint."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Any, Final

from brain import clock, config
from brain.caller import Caller

FILE: Final = "delivered.json"
MOST_NOTES: Final = 50
MOST_SESSIONS: Final = 10  # of one handoff, the latest


def record(caller: Caller, handoff: str, session: str) -> tuple[str, str] | None:
    """Remember that a session got a handoff, and return the session that got it last before, and when.

    The caller's own connection does not count. A folder that cannot be written is no reason to fail.
    """
    known = _read()
    earlier = known.pop(handoff, [])
    row = {"session": session, "at": clock.timestamp(), "connection": caller.connection}
    kept = dict([*known.items(), (handoff, [*earlier, row][-MOST_SESSIONS:])][-MOST_NOTES:])
    new = _file().with_name(f"{FILE}.{os.getpid()}")
    with contextlib.suppress(OSError):
        new.write_text(json.dumps(kept), encoding="utf-8")
        new.replace(_file())
    others = (one for one in reversed(earlier) if not caller.connection or one["connection"] != caller.connection)
    return next(((one["session"], one["at"]) for one in others), None)


def _file() -> Path:
    return config.here().machine / FILE


def _read() -> dict[str, list[dict[str, str]]]:
    try:
        known: Any = json.loads(_file().read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return known if _is_sound(known) else {}


def _is_sound(known: Any) -> bool:
    return isinstance(known, dict) and all(
        isinstance(rows, list)
        and all(isinstance(row, dict) and {"session", "at", "connection"} <= row.keys() for row in rows)
        for rows in known.values()
    )
