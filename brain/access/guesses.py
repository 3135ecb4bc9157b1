"""How many wrong proofs came in a row, and until when no other is looked at; kept for the machine, not a browser."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from django.db import transaction

from brain import clock
from brain.access.models import Guesses

FREE: Final = 5
_FIRST_WAIT: Final = timedelta(seconds=30)
LONGEST_WAIT: Final = timedelta(minutes=15)
_DOUBLINGS: Final = 10
_ROW: Final = 1


def begin() -> int:
    """Count a try before it is looked at, so that many at once gain nothing; return the seconds to wait, 0 for none."""
    now = clock.now()
    with transaction.atomic():
        row, _is_new = Guesses.objects.get_or_create(id=_ROW)
        left = (row.until - now) if row.until is not None else timedelta()
        if timedelta() < left <= LONGEST_WAIT:  # a longer one comes from a clock that was set back
            return -int(-left.total_seconds() // 1)
        row.wrong += 1
        row.until = now + _wait(row.wrong) if row.wrong >= FREE else None
        row.save()
    return 0


def forget() -> None:
    """Start anew: the proof was right."""
    Guesses.objects.all().delete()


def _wait(wrong: int) -> timedelta:
    return min(_FIRST_WAIT * (1 << min(wrong - FREE, _DOUBLINGS)), LONGEST_WAIT)
