"""How much a question may use and how many there may be: `limits` in llm.json, which a person may edit by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Final


class InvalidLimits(Exception):
    """A limit is unknown, or not a whole number in its range; carries its name."""


@dataclass(frozen=True)
class Limits:
    """The limits of one machine, with their defaults."""

    context_tokens: int = 3000
    max_output_tokens: int = 2048
    timeout_ms: int = 60_000
    max_calls_per_hour: int = 30
    max_calls_per_session: int = 20

    @property
    def seconds(self) -> float:
        """The time for the requests of one question."""
        return self.timeout_ms / 1000


RANGES: Final[Mapping[str, tuple[int, int]]] = {
    "context_tokens": (200, 8000),
    "max_output_tokens": (64, 8192),
    "timeout_ms": (1000, 600_000),
    "max_calls_per_hour": (0, 10_000),
    "max_calls_per_session": (0, 10_000),
}


def parse(value: Any) -> Limits:
    """Return the limits in a value of llm.json; what is not there has its default."""
    if not isinstance(value, dict):
        raise InvalidLimits("limits")
    known = {one.name for one in fields(Limits)}
    for name, number in value.items():
        lowest, highest = RANGES.get(name, (0, 0))
        if name not in known or type(number) is not int or not lowest <= number <= highest:
            raise InvalidLimits(str(name)[:64])
    return Limits(**value)
