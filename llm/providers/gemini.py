"""Google's Gemini API."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from llm.attempts import Attempts
from llm.costs import price
from llm.failure import Code, Failure
from llm.providers.base import Delta, Piece, Usage
from llm.providers.http import HttpProvider, count, first, items, text_in
from llm.request import Request
from llm.transport import Reply, post

_DECLINED = frozenset({"SAFETY", "RECITATION", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"})


@dataclass(frozen=True)
class Gemini(HttpProvider):
    """generateContent; the key goes in a header, never in the address."""

    def stream(self, request: Request, attempts: Attempts) -> Iterator[Piece]:
        """Yield the answer's text, then what it used."""
        path = f"/models/{self.model.removeprefix('models/')}:streamGenerateContent?alt=sse"
        with post(self.call(path, _body(request), self.key_header("x-goog-api-key")), attempts) as reply:
            yield from self._pieces(reply)

    def _pieces(self, reply: Reply) -> Iterator[Piece]:
        usage, is_answer = Usage(), False
        for event in reply.events():
            if not isinstance(event, dict):
                raise Failure(Code.MALFORMED)
            if event.get("error"):
                raise Failure(Code.SERVER)
            candidate = first(event.get("candidates"))
            is_declined = text_in(candidate, "finishReason") in _DECLINED
            if is_declined or text_in(event, "promptFeedback", "blockReason"):
                raise Failure(Code.FILTERED)
            is_answer = is_answer or isinstance(candidate, dict)
            if text := _text(candidate):
                yield Delta(text)
            if isinstance(event.get("usageMetadata"), dict):
                usage = self._usage(event)
        if not is_answer:
            raise Failure(Code.MALFORMED)
        yield usage

    def _usage(self, event: dict[str, Any]) -> Usage:
        given = count(event, "usageMetadata", "promptTokenCount")
        written = count(event, "usageMetadata", "candidatesTokenCount")
        thought = count(event, "usageMetadata", "thoughtsTokenCount") or 0
        taken = None if written is None else written + thought
        return Usage(given, taken, price(self.name, self.model, given, taken))


def _body(request: Request) -> dict[str, Any]:
    return {
        "systemInstruction": {"parts": [{"text": request.system}]},
        "contents": [{"role": "user", "parts": [{"text": request.user}]}],
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseJsonSchema": dict(request.schema),
            "maxOutputTokens": request.max_output_tokens,
        },
    }


def _text(candidate: Any) -> str:
    """Return the text of a piece of the answer, without the model's thoughts."""
    content = candidate.get("content") if isinstance(candidate, dict) else None
    parts = content.get("parts") if isinstance(content, dict) else None
    return "".join(text_in(one, "text") for one in items(parts) if isinstance(one, dict) and not one.get("thought"))
