"""Progress notifications: how far a long operation is, for a client that asked with a progress token."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

from mcp.server.context import ServerRequestContext

from brain.caller import Report, unheard


def reporter(ctx: ServerRequestContext[Any, Any]) -> Report:
    """Return what an operation in a worker thread tells its steps to; unheard where the client asked for none."""
    token = (ctx.meta or {}).get("progress_token")
    if token is None:
        return unheard
    loop, last = asyncio.get_running_loop(), [-1]

    def report(done: int, total: int, step: str) -> None:
        if done <= last[0]:  # a step that is done again: the protocol wants a number that grows
            return
        last[0] = done
        telling = ctx.session.send_progress_notification(token, done, total, step)
        with contextlib.suppress(RuntimeError):
            asyncio.run_coroutine_threadsafe(telling, loop)

    return report
