"""How many questions there may be: a slot is taken in ask-usage.json before a request goes out.

A file lock holds over every process of the machine, so that many questions at once do not pass the cap. A process that
dies keeps its slot taken. A counter that cannot be read counts as full: nobody knows what was spent.
"""

from __future__ import annotations

import json
import math
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from llm.consent import write_closed
from llm.limits import Limits

FILE: Final = "ask-usage.json"
HOUR: Final = 3600.0
_KEPT_SESSIONS: Final = 7 * 24 * 3600.0
_LOCK_SECONDS: Final = 10


class LimitReached(Exception):
    """There is no slot; `cap` is `hour`, `session`, or `counter` where the counter cannot be read."""

    def __init__(self, cap: str, limit: int = 0) -> None:
        super().__init__(cap)
        self.cap = cap
        self.limit = limit


@dataclass(frozen=True)
class Slot:
    """The place of one question under the caps."""

    folder: Path
    id: str

    def give_back(self) -> None:
        """Free the place; only where no request went out."""
        with _counting(self.folder) as calls:
            calls[:] = [one for one in calls if one["id"] != self.id]


def reserve(folder: Path, session: str | None, limits: Limits) -> Slot:
    """Take a slot of the hour, and of the session where one is named; LimitReached where none is left."""
    with _counting(folder) as calls:
        now = time.time()
        in_hour = sum(1 for one in calls if one["at"] > now - HOUR)
        in_session = sum(1 for one in calls if session and one["session"] == session)
        if in_hour >= limits.max_calls_per_hour:
            raise LimitReached("hour", limits.max_calls_per_hour)
        if session and in_session >= limits.max_calls_per_session:
            raise LimitReached("session", limits.max_calls_per_session)
        slot = Slot(folder, secrets.token_hex(8))
        calls.append({"id": slot.id, "at": now, "session": session or ""})
    return slot


def used_in_hour(folder: Path) -> int | None:
    """Return how many questions the last hour had, None where the counter cannot be read."""
    now = time.time()
    try:
        return sum(1 for one in _read(folder / FILE) if now - HOUR < one["at"])
    except LimitReached:
        return None


@contextmanager
def _counting(folder: Path) -> Iterator[list[dict[str, Any]]]:
    """Yield the calls that count, and keep what the block leaves of them, also where it raises.

    So a call from the future is from now once and for all, and does not fill the cap until its time comes.
    """
    from filelock import FileLock, Timeout

    try:
        lock = FileLock(folder / f"{FILE}.lock", timeout=_LOCK_SECONDS, mode=0o600)
        with lock:
            before = _read(folder / FILE)
            calls = _current(before)
            try:
                yield calls
            finally:
                if calls != before:
                    write_closed(folder / FILE, json.dumps({"calls": calls}).encode())
    except (OSError, Timeout):
        raise LimitReached("counter") from None


def _current(calls: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the calls that still count for something; one from the future, of a clock that was wrong, is from now."""
    now = time.time()
    calls = [{**one, "at": min(one["at"], now)} for one in calls]
    return [one for one in calls if one["at"] > now - (_KEPT_SESSIONS if one["session"] else HOUR)]


def _read(file: Path) -> list[dict[str, Any]]:
    try:
        calls = json.loads(file.read_bytes())["calls"]
        if isinstance(calls, list) and all(_is_call(one) for one in calls):
            return calls
    except FileNotFoundError:
        return []
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        pass
    raise LimitReached("counter")


def _is_call(one: Any) -> bool:
    return (
        isinstance(one, dict)
        and isinstance(one["id"], str)
        and isinstance(one["session"], str)
        and (type(one["at"]) is int or (type(one["at"]) is float and math.isfinite(one["at"])))
    )
