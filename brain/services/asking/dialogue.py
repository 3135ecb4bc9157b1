"""One question to the providers that are on: claims are checked as they come, and a wrong form asked for once more."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Generator, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from brain.caller import Caller
from brain.contracts.asking import Again
from brain.services.asking.checking import Draft
from brain.services.asking.passages import Passage
from llm import prompt
from llm.answer import Malformed, Reader
from llm.attempts import Attempts
from llm.failure import Code, Failure
from llm.providers.base import Provider, Usage
from llm.request import Request
from llm.switch import On

_LOOK_SECONDS: Final = 0.2
_CUT_SHORT: Final = frozenset({Code.OFFLINE, Code.SERVER, Code.MALFORMED})


@dataclass
class Dialogue:
    """The requests of one question and what they used.

    `asked` is the provider whose turn it was last, `seconds` the time that was the providers'.
    """

    on: On
    passages: Mapping[str, Passage]
    caller: Caller

    def __post_init__(self) -> None:
        self.attempts: Attempts = self.on.attempts()
        self.asked: Provider = self.on.providers[0]
        self.usage = Usage()
        self.seconds = 0.0

    def _turn(self, provider: Provider) -> None:
        self.asked = provider

    def run(self, request: Request) -> Draft:
        """Return what was said and checked; Failure where no whole answer came."""
        with self._watched():
            try:
                return self._once(request)
            except Malformed:
                pass
            except Failure as failure:
                if not (failure.partial and failure.code in _CUT_SHORT):
                    raise
            if self.attempts.left <= 0:
                raise Failure(Code.MALFORMED)
            self.caller.tell(Again())
            try:
                return self._once(prompt.repair(request))
            except Malformed:
                raise Failure(Code.MALFORMED) from None

    def _once(self, request: Request) -> Draft:
        draft, reader = Draft(self.passages), Reader()
        with contextlib.closing(self._pieces(request)) as pieces:
            for text in pieces:
                for claim in reader.feed(text):
                    part = draft.take(claim)
                    if part is not None:
                        self.caller.tell(part)
        draft.lacks(reader.end())
        return draft

    def _pieces(self, request: Request) -> Generator[str]:
        """Yield the text of an answer, and count what it used and how long it was waited for."""
        with contextlib.closing(self.on.stream(request, self.attempts, turn=self._turn)) as stream:
            while True:
                began = time.monotonic()
                try:
                    piece = next(stream, None)
                finally:
                    self.seconds += time.monotonic() - began
                if piece is None:
                    return
                if isinstance(piece, Usage):
                    self.usage = added(self.usage, piece, is_first=self.attempts.used <= 1)
                else:
                    yield piece.text

    @contextlib.contextmanager
    def _watched(self) -> Iterator[None]:
        """End the request that runs when whoever asked has gone."""
        over = threading.Event()

        def watch() -> None:
            while not over.wait(_LOOK_SECONDS):
                if self.caller.gone.is_set():
                    self.attempts.cancel()
                    return

        watching = threading.Thread(target=watch, daemon=True)
        watching.start()
        try:
            yield
        finally:
            over.set()


def added(one: Usage, other: Usage, *, is_first: bool) -> Usage:
    """Return what two requests used together; unknown where one of them did not say."""
    if is_first:
        return other
    return Usage(
        _sum(one.input_tokens, other.input_tokens),
        _sum(one.output_tokens, other.output_tokens),
        None if one.cost_usd is None or other.cost_usd is None else one.cost_usd + other.cost_usd,
    )


def _sum(one: int | None, other: int | None) -> int | None:
    return None if one is None or other is None else one + other
