"""What a request costs, where the price is known. An unknown price is None, and shown as unknown, never as 0."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

PRICES_OF: Final = "2026-11-13"


@dataclass(frozen=True)
class Price:
    """US dollars for a million tokens."""

    given: float
    taken: float


# Providers do not publish prices where a program reads them: a row is added with its source, and none is guessed.
_PRICES: Final[Mapping[tuple[str, str], Price]] = {}


def price(provider: str, model: str, given: int | None, taken: int | None) -> float | None:
    """Return what a request cost in US dollars, None where the price or the number of tokens is not known."""
    row = _PRICES.get((provider, model))
    if row is None or given is None or taken is None:
        return None
    return (given * row.given + taken * row.taken) / 1_000_000
