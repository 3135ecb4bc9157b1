"""A provider of the tests' own: it keeps what it is sent and says what a test lets it say."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from llm import folders, switch
from llm.attempts import Attempts
from llm.consent import Entry, Settings
from llm.failure import Failure
from llm.limits import Limits
from llm.providers.base import Delta, Piece, Usage
from llm.request import Request

PIECE = 7  # signs in each piece of an answer that comes bit by bit
Said = str | Failure | Callable[[Request], str]


def claim(text: str, *quotes: str | tuple[str, str]) -> dict[str, Any]:
    """Return a claim; a quote without a label is of the first passage."""
    pairs = [one if isinstance(one, tuple) else ("S1", one) for one in quotes]
    return {"text": text, "citations": [{"label": label, "quote": quote} for label, quote in pairs]}


def answer(*claims: dict[str, Any], missing: str = "") -> str:
    """Return an answer as a model writes it."""
    return json.dumps({"claims": claims, "missing": missing}, ensure_ascii=False)


@dataclass
class Model:
    """Answers with what is in `says`, the last of it again and again."""

    says: list[Said] = field(default_factory=list)
    asked: list[Request] = field(default_factory=list)
    usage: Usage = field(default_factory=lambda: Usage(120, 30, None))
    given: int = 0  # how many signs of the last answer were taken
    name: str = "fake"
    model: str = "fake-1"
    destination: str = "here"

    @property
    def sent(self) -> str:
        """Everything that was sent."""
        return "\n".join(f"{one.system}\n{one.user}" for one in self.asked)

    @property
    def passages(self) -> dict[str, str]:
        """The passages of the last request, by their labels."""
        found = re.findall(r"<<<passage (S\d+) (\w+) [^>]*>>>\n(.*?)\n<<<end \1 \2>>>", self.asked[-1].user, re.DOTALL)
        return {label: text for label, _mark, text in found}

    def stream(self, request: Request, attempts: Attempts) -> Iterator[Piece]:
        attempts.take()
        said = self.says[min(len(self.asked), len(self.says) - 1)]
        self.asked.append(request)
        if isinstance(said, Failure):
            raise said
        text = said(request) if callable(said) else said
        for place in range(0, len(text), PIECE):
            self.given = place + PIECE
            yield Delta(text[place : place + PIECE])
        yield self.usage


@dataclass
class Answers:
    """What is turned on: the model, the limits, the folder."""

    folder: Path
    model: Model = field(default_factory=Model)
    limits: Limits = field(default_factory=Limits)
    entry: Entry = field(default_factory=lambda: Entry("ollama", "fake-1", "http://localhost:11434"))
    is_on: bool = True

    def says(self, *said: Said) -> Model:
        """Let the model say this from now on, and forget what it was sent."""
        self.model.says, self.model.asked = list(said), []
        return self.model

    def consented(self, **_who: object) -> switch.Consented | switch.Off:
        """Stand for what the person turned on."""
        if not self.is_on:
            return switch.Off(switch.Reason.NOT_CONFIGURED)
        return switch.Consented(self.folder, Settings((self.entry,), self.limits), (self.entry,))

    def enabled(self, **_who: object) -> switch.On | switch.Off:
        """Stand for the settings of this machine."""
        if not self.is_on:
            return switch.Off(switch.Reason.NOT_CONFIGURED)
        folders.make(self.folder)
        return switch.On(self.folder, self.limits, (self.entry,), (self.model,))
