"""Answers that come part by part, as Server-Sent Events, made in a thread that is told when whoever asked has gone."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import queue
import re
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Final

from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpRequest, StreamingHttpResponse
from django.utils import translation

TYPE: Final = "text/event-stream"
_BEAT_SECONDS: Final = 1.0
_BEAT: Final = ": \n\n"  # what nobody reads; where it cannot be sent, whoever asked has gone
_LINE_END: Final = re.compile(r"\r\n|\r|\n")

Send = Callable[[str, str], object]  # the name of an event, and its text
Work = Callable[[Send, threading.Event], object]
_Put = Callable[[str | None], object]


def is_wanted(request: HttpRequest) -> bool:
    """Tell whether a script of the page asks, which takes an answer part by part."""
    return TYPE in request.headers.get("Accept", "")


def answer(request: HttpRequest, work: Work) -> StreamingHttpResponse:
    """Answer with what `work(send, gone)` sends; it runs in the language of the request, and not before it is read."""
    here, name = contextvars.copy_context(), translation.get_language()

    def spoken(send: Send, gone: threading.Event) -> None:
        with translation.override(name):  # what Django keeps for a thread is in no context
            work(send, gone)

    parts = _later(here, spoken) if isinstance(request, ASGIRequest) else _now(here, spoken)
    return StreamingHttpResponse(parts, content_type=TYPE, headers={"Cache-Control": "no-store"})


def event(name: str, text: str) -> str:
    """Return an event as it is sent."""
    return f"event: {name}\n" + "".join(f"data: {line}\n" for line in _LINE_END.split(text)) + "\n"


def _now(here: contextvars.Context, work: Work) -> Iterator[str]:
    """Yield the events for a server that reads them in a thread; a beat between them finds out who has gone."""
    parts: queue.SimpleQueue[str | None] = queue.SimpleQueue()
    gone = threading.Event()
    _start(here, work, parts.put, gone)
    try:
        while (part := _next(parts)) is not None:
            yield part
    finally:
        gone.set()


def _next(parts: queue.SimpleQueue[str | None]) -> str | None:
    try:
        return parts.get(timeout=_BEAT_SECONDS)
    except queue.Empty:
        return _BEAT


async def _later(here: contextvars.Context, work: Work) -> AsyncIterator[str]:
    """Yield the events for a server with an event loop, which ends this where whoever asked has gone."""
    parts: asyncio.Queue[str | None] = asyncio.Queue()
    gone, loop = threading.Event(), asyncio.get_running_loop()

    def put(part: str | None) -> None:
        with contextlib.suppress(RuntimeError):  # the loop has ended, and nobody waits any more
            loop.call_soon_threadsafe(parts.put_nowait, part)

    _start(here, work, put, gone)
    try:
        while (part := await parts.get()) is not None:
            yield part
    finally:
        gone.set()


def _start(here: contextvars.Context, work: Work, put: _Put, gone: threading.Event) -> None:
    def send(name: str, text: str) -> None:
        put(event(name, text))

    def run() -> None:
        try:
            here.run(work, send, gone)
        finally:
            connections.close_all()
            put(None)

    threading.Thread(target=run, name="answer", daemon=True).start()
