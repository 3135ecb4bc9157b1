"""Time and identifiers: now, today and ULIDs that stay in order within a process."""

from __future__ import annotations

import os
import secrets
import threading
from datetime import UTC, date, datetime
from typing import Final

_ALPHABET: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_lock = threading.Lock()
_last = [0]


def _start_afresh() -> None:
    """Forget what the parent of a forked process made: two children would go on from the same identifier."""
    _last[0] = 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)


def now() -> datetime:
    """Return this moment, aware, in UTC."""
    return datetime.now(UTC)


def today() -> date:
    """Return the person's local date."""
    return datetime.now().astimezone().date()


def timestamp(moment: datetime | None = None) -> str:
    """Return a moment as ISO 8601 in UTC with milliseconds, such as `2026-11-13T15:10:53.000Z`."""
    moment = (moment or now()).astimezone(UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03d}Z"


def new_id() -> str:
    """Return a ULID (26 characters), greater than any this process made before, even if the clock went back."""
    with _lock:
        fresh = (int(now().timestamp() * 1000) << 80) | secrets.randbits(80)
        _last[0] = fresh if fresh > _last[0] else _last[0] + 1
        return encode(_last[0])


def encode(number: int) -> str:
    """Return a 128-bit number as the 26 characters of a ULID."""
    return "".join(_ALPHABET[(number >> (5 * place)) & 31] for place in range(25, -1, -1))


def is_id(text: str) -> bool:
    """Tell whether a text has the form of a ULID."""
    return len(text) == 26 and text[0] in "01234567" and all(sign in _ALPHABET for sign in text)
