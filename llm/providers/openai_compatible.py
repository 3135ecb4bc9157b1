"""Chat completions as OpenAI, OpenRouter, Groq, LM Studio and compatible services speak them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from llm.attempts import Attempts
from llm.costs import price
from llm.failure import Code, Failure
from llm.providers.base import Delta, Piece, Usage
from llm.providers.http import HttpProvider, count, first, text_in
from llm.request import Request
from llm.transport import Reply, post

_PATH = "/chat/completions"
_NOT_UNDERSTOOD = frozenset({400, 404, 415, 422})


@dataclass(frozen=True)
class OpenAiCompatible(HttpProvider):
    """A service with `/chat/completions`."""

    def stream(self, request: Request, attempts: Attempts) -> Iterator[Piece]:
        """Yield the answer's text, then what it used.

        A compatible service that does not understand how the shape of the answer is asked for is asked without.
        """
        try:
            yield from self._asked(self._body(request), attempts)
        except Failure as failure:
            is_plain_enough = self.name not in {"compatible", "lmstudio"} or failure.status not in _NOT_UNDERSTOOD
            if is_plain_enough or failure.partial or attempts.left <= 0:
                raise
            yield from self._asked(self._plain_body(request), attempts)

    def _asked(self, body: dict[str, Any], attempts: Attempts) -> Iterator[Piece]:
        with post(self.call(_PATH, body, self.key_header("authorization", "Bearer ")), attempts) as reply:
            yield from self._pieces(reply)

    def _plain_body(self, request: Request) -> dict[str, Any]:
        messages = [{"role": "system", "content": request.system}, {"role": "user", "content": request.user}]
        limit = "max_completion_tokens" if self.name in {"openai", "groq"} else "max_tokens"
        return {"model": self.model, "messages": messages, "stream": True, limit: request.max_output_tokens}

    def _body(self, request: Request) -> dict[str, Any]:
        shape = {"name": "answer", "strict": True, "schema": dict(request.schema)}
        body = self._plain_body(request)
        body["response_format"] = {"type": "json_schema", "json_schema": shape}
        body["stream_options"] = {"include_usage": True}
        if self.name == "openai":
            body["store"] = False
        if self.name == "openrouter":
            body["provider"] = {"data_collection": "deny", "require_parameters": True}
            body["usage"] = {"include": True}
        return body

    def _pieces(self, reply: Reply) -> Iterator[Piece]:
        usage, is_answer = Usage(), False
        for event in [reply.whole()] if reply.is_json else reply.events():
            if not isinstance(event, dict):
                raise Failure(Code.MALFORMED)
            if event.get("error"):
                raise Failure(Code.SERVER)
            choice = first(event.get("choices"))
            is_answer = is_answer or isinstance(choice, dict)
            if text_in(choice, "delta", "refusal") or text_in(choice, "finish_reason") == "content_filter":
                raise Failure(Code.FILTERED)
            if text := text_in(choice, "delta", "content") or text_in(choice, "message", "content"):
                yield Delta(text)
            if isinstance(event.get("usage"), dict):
                usage = self._usage(event)
        if not is_answer:
            raise Failure(Code.MALFORMED)
        yield usage

    def _usage(self, event: dict[str, Any]) -> Usage:
        given, taken = count(event, "usage", "prompt_tokens"), count(event, "usage", "completion_tokens")
        said = event["usage"].get("cost")
        if self.name == "openrouter" and type(said) in {int, float}:
            return Usage(given, taken, float(said))
        return Usage(given, taken, 0.0 if self.entry.is_local else price(self.name, self.model, given, taken))
