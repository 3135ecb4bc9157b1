"""Days as places on one axis, from 0 to 100, with the ticks that it is labelled with."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from django.utils.formats import date_format

_MOST_TICKS: Final = 5
_ROOM: Final = 20  # one part in so many of free axis at each end
_SHORTEST: Final = 30  # days
_MONTH_STEPS: Final = (1, 2, 3, 6)


@dataclass(frozen=True)
class Tick:
    """A labelled day."""

    place: str
    label: str


@dataclass(frozen=True)
class Axis:
    """The days from `low` to `high`."""

    low: date
    high: date

    def place(self, day: date) -> float:
        """Return where a day stands, in percent; one outside stands at the nearer end."""
        inside = min(max(day, self.low), self.high)
        return round(100 * (inside - self.low).days / (self.high - self.low).days, 2)

    def ticks(self) -> tuple[Tick, ...]:
        """Return the first days of months or years, as many as there is room for."""
        months = (self.high.year - self.low.year) * 12 + self.high.month - self.low.month
        step = next((one for one in _MONTH_STEPS if months // one <= _MOST_TICKS), 12 * max(1, -(-months // 60)))
        form = "Y" if step >= 12 else "M Y"
        return tuple(Tick(percent(self.place(day)), date_format(day, form)) for day in self._firsts(step))

    def _firsts(self, step: int) -> Iterator[date]:
        """Yield the first days of every so many months, counted from a January."""
        number = -(-(self.low.year * 12 + self.low.month) // step) * step
        while number < self.high.year * 12 + self.high.month:
            yield date(number // 12, number % 12 + 1, 1)
            number += step


def percent(place: float) -> str:
    """Return a place as an SVG attribute has it, in every language."""
    return f"{place:.6g}%"


def around(days: Iterable[date]) -> Axis:
    """Return the axis that holds some days, with a little room at both ends."""
    known = sorted(days)
    room = timedelta(days=max(_SHORTEST, (known[-1] - known[0]).days) // _ROOM + 1)
    try:
        return Axis(known[0] - room, known[-1] + room)
    except OverflowError:
        return Axis(known[0], known[-1])
