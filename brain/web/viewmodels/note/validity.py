"""Since when and until when a note holds, in words and as a bar."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from brain.language import gettext as _
from brain.note.fields import Fields
from brain.web.viewmodels import moments

_LEFT: Final = 6
_RIGHT: Final = 154
_OPEN_TODAY: Final = 130


@dataclass(frozen=True)
class Bar:
    """A bar on a scale of 0 to 160: from `start` to `until`, `today` where the tick stands."""

    start: int
    until: int
    today: int
    is_open: bool
    is_past: bool
    text: str


def last_day(note: Fields) -> date | None:
    """Return the last day on which a note holds, None where it has no end."""
    ends = [note.valid_until - timedelta(days=1)] if note.valid_until else []
    ends += [note.expires_at] if note.expires_at else []
    return min(ends, default=None)


def bar(note: Fields, *, written: date | None, today: date) -> Bar | None:
    """Return the bar of a note; None where it names no day. Without a beginning it counts from its writing."""
    end = last_day(note)
    if end is None and note.valid_from is None:
        return None
    start = note.valid_from or written or min(today, end or today)
    text = _text(note.valid_from, end)
    if end is None:
        return _open(start, today, text)
    low, high = min(start, today), max(end, today)
    first, last, tick = (_place(one, low, high, _RIGHT) for one in (start, end, today))
    return Bar(first, last, tick, is_open=False, is_past=end < today, text=text)


def _open(start: date, today: date, text: str) -> Bar:
    if start > today:
        return Bar(_OPEN_TODAY, _OPEN_TODAY, _LEFT * 4, is_open=True, is_past=False, text=text)
    place = _OPEN_TODAY - 24 if start == today else _LEFT * 4
    return Bar(place, _OPEN_TODAY, _OPEN_TODAY, is_open=True, is_past=False, text=text)


def _place(one: date, low: date, high: date, right: int) -> int:
    whole = max(1, (high - low).days)
    return _LEFT + (right - _LEFT) * (one - low).days // whole


def _text(start: date | None, end: date | None) -> str:
    if start and end:
        return _("%(start)s to %(end)s") % {"start": moments.day(start), "end": moments.day(end)}
    if start:
        return _("%(start)s, without end") % {"start": moments.day(start)}
    return _("until %(end)s") % {"end": moments.day(end)} if end else ""
