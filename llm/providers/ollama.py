"""Ollama's own protocol, which takes a schema and the length of the context."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from llm.attempts import Attempts
from llm.failure import Code, Failure
from llm.providers.base import Delta, Piece, Usage
from llm.providers.http import HttpProvider, count, text_in
from llm.request import Request
from llm.transport import Reply, as_json, post

_BYTES_A_TOKEN: Final = 2.5  # on the safe side: what does not fit is cut without a word
_STEP: Final = 4096


@dataclass(frozen=True)
class Ollama(HttpProvider):
    """A server on this machine, or at an address that the person chose."""

    def stream(self, request: Request, attempts: Attempts) -> Iterator[Piece]:
        """Yield the answer's text, then what it used."""
        with post(self.call("/api/chat", self._body(request)), attempts) as reply:
            yield from self._pieces(reply)

    def _body(self, request: Request) -> dict[str, Any]:
        size = len((request.system + request.user).encode()) / _BYTES_A_TOKEN + request.max_output_tokens
        context = (int(size) // _STEP + 1) * _STEP
        return {
            "model": self.model,
            "messages": [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}],
            "format": dict(request.schema),
            "options": {"num_predict": request.max_output_tokens, "num_ctx": context, "temperature": 0},
            "stream": True,
        }

    def _pieces(self, reply: Reply) -> Iterator[Piece]:
        usage, is_answer = Usage(), False
        for event in (as_json(line) for line in reply.lines() if line.strip()):
            if not isinstance(event, dict):
                raise Failure(Code.MALFORMED)
            if event.get("error"):
                raise Failure(Code.SERVER)
            is_answer = is_answer or isinstance(event.get("message"), dict)
            if text := text_in(event, "message", "content"):
                yield Delta(text)
            if event.get("done"):
                usage = self._usage(event)
        if not is_answer:
            raise Failure(Code.MALFORMED)
        yield usage

    def _usage(self, event: dict[str, Any]) -> Usage:
        given, taken = count(event, "prompt_eval_count"), count(event, "eval_count")
        return Usage(given, taken, 0.0 if self.entry.is_local else None)
