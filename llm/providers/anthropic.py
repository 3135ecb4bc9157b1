"""Anthropic's messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from llm.attempts import Attempts
from llm.costs import price
from llm.failure import Code, Failure
from llm.providers.base import Delta, Piece, Usage
from llm.providers.http import HttpProvider, count, text_in
from llm.request import Request
from llm.transport import Reply, post

_VERSION = "2023-06-01"
_INPUTS = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_OF_ERROR = {"overloaded_error": Code.SERVER, "rate_limit_error": Code.LIMITED, "api_error": Code.SERVER}


@dataclass(frozen=True)
class Anthropic(HttpProvider):
    """The Messages API, whose answer follows a schema."""

    def stream(self, request: Request, attempts: Attempts) -> Iterator[Piece]:
        """Yield the answer's text, then what it used."""
        headers = {"anthropic-version": _VERSION, **self.key_header("x-api-key")}
        with post(self.call("/v1/messages", self._body(request), headers), attempts) as reply:
            yield from self._pieces(reply)

    def _body(self, request: Request) -> dict[str, Any]:
        return {
            "model": self.model,
            "max_tokens": request.max_output_tokens,
            "system": request.system,
            "messages": [{"role": "user", "content": request.user}],
            "output_config": {"format": {"type": "json_schema", "schema": dict(request.schema)}},
            "stream": True,
        }

    def _pieces(self, reply: Reply) -> Iterator[Piece]:
        given = taken = None
        is_answer = False
        for event in reply.events():
            kind = text_in(event, "type")
            if kind == "error":
                raise Failure(_OF_ERROR.get(text_in(event, "error", "type"), Code.REJECTED))
            if text_in(event, "delta", "stop_reason") == "refusal":
                raise Failure(Code.FILTERED)
            if kind == "message_start":
                counts = [count(event, "message", "usage", name) for name in _INPUTS]
                given = sum(one or 0 for one in counts) if counts[0] is not None else None
            if kind == "content_block_delta" and (text := text_in(event, "delta", "text")):
                is_answer = True
                yield Delta(text)
            if (so_far := count(event, "usage", "output_tokens")) is not None:
                taken = so_far
            is_answer = is_answer or kind == "message_stop"
        if not is_answer:
            raise Failure(Code.MALFORMED)
        yield Usage(given, taken, price(self.name, self.model, given, taken))
