"""What every provider does: stream the text of one answer.

Closing the iterator cancels the request, and with Claude Code ends its whole process tree. A provider raises nothing
but `Failure`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from llm.attempts import Attempts
from llm.failure import Code, Failure
from llm.request import Request

__all__ = ["Attempts", "Code", "Delta", "Failure", "Piece", "Provider", "Request", "Usage"]


@dataclass(frozen=True)
class Delta:
    """The next piece of the answer's text."""

    text: str


@dataclass(frozen=True)
class Usage:
    """What a request used, after its text; None where the provider does not say, never 0 instead."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cost_usd: float | None = None


Piece = Delta | Usage


class Provider(Protocol):
    """One that answers; `name`, `model` and `destination` are for the person alone."""

    @property
    def name(self) -> str:
        """The provider's code, such as `ollama`."""

    @property
    def model(self) -> str:
        """The model that is asked."""

    @property
    def destination(self) -> str:
        """Where the question goes: `host:port`, or the program."""

    def stream(self, request: Request, attempts: Attempts) -> Iterator[Piece]:
        """Yield the answer's text as it comes, then what it used."""
