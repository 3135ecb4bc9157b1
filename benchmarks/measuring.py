"""Samples in rounds, floor and product by turns, and the figures made of them."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import median
from typing import Any, Final, TypeVar

STEADY: Final = 1.3  # the floor's slowest round over its fastest; above it the run says nothing
Item = TypeVar("Item")
Round = Callable[[int], list[float]]


class Failed(Exception):
    """A measurement could not be taken."""


@dataclass(frozen=True)
class Samples:
    """What was measured, round by round."""

    rounds: tuple[tuple[float, ...], ...]

    def at(self, statistic: str) -> float:
        """Return p50 or p95 of all rounds together."""
        ordered = sorted(value for one in self.rounds for value in one)
        return ordered[round(int(statistic.removeprefix("p")) / 100 * (len(ordered) - 1))]

    @property
    def void(self) -> str:
        """Why no ratio to it holds; empty where one does."""
        medians = [median(one) for one in self.rounds]
        low, high = min(medians), max(medians)
        return f"the floor's rounds went from {low:.3g} to {high:.3g}" if high > low * STEADY else ""


@dataclass(frozen=True)
class Figure:
    """One line of the report; `limit` is a ratio to the floor, or in the unit itself where `absolute`."""

    measure: str
    notes: int
    statistic: str
    unit: str
    product: float
    floor: float | None = None
    against: str = ""
    limit: float | None = None
    absolute: bool = False
    void: str = ""

    @property
    def ratio(self) -> float | None:
        """The product in floors."""
        return self.product / self.floor if self.floor else None

    @property
    def met(self) -> bool | None:
        """Tell whether the goal is met; None where there is none or the measurement is void."""
        value = self.product if self.absolute else self.ratio
        return None if self.void or self.limit is None or value is None else value <= self.limit

    def as_dict(self) -> dict[str, Any]:
        """Return everything, for JSON."""
        return asdict(self) | {"ratio": self.ratio, "met": self.met}


def compare(
    measure: str, notes: int, statistic: str, product: Samples, floor: Samples, *, against: str, **more: Any
) -> Figure:
    """Return the same statistic of both sides."""
    more = {"unit": "ms", "void": floor.void} | more
    return Figure(
        measure, notes, statistic, product=product.at(statistic), floor=floor.at(statistic), against=against, **more
    )


def alternate(floors: Mapping[str, Round], product: Round, *, rounds: int) -> tuple[dict[str, Samples], Samples]:
    """Run floors and product by turns, floors first and last; all once more where a floor was not steady."""
    taken = _alternate(floors, product, range(rounds))
    if any(one.void for one in taken[0].values()):
        return _alternate(floors, product, range(rounds + 1, 2 * rounds + 1))
    return taken


def _alternate(floors: Mapping[str, Round], product: Round, numbers: range) -> tuple[dict[str, Samples], Samples]:
    beneath: dict[str, list[tuple[float, ...]]] = {name: [] for name in floors}
    above: list[tuple[float, ...]] = []
    for number in (*numbers, numbers.stop):
        for name, floor in floors.items():
            beneath[name].append(tuple(floor(number)))
        if number in numbers:
            above.append(tuple(product(number)))
    return {name: Samples(tuple(one)) for name, one in beneath.items()}, Samples(tuple(above))


def timed(action: Callable[[Item], object], items: Iterable[Item]) -> list[float]:
    """Return how many milliseconds an action took with each item."""
    taken = []
    for item in items:
        start = time.perf_counter()
        action(item)
        taken.append((time.perf_counter() - start) * 1000)
    return taken


def spread(items: Sequence[Item], size: int) -> list[Item]:
    """Return some items from the first to the last: the same each round, so that only the machine tells."""
    return [items[place * len(items) // size] for place in range(size)]
