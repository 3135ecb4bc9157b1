"""The protocol library's loop between the two pipes.

Lines are read and parsed in a thread of their own and handed to the loop one by one, so that a slow client or a slow
server holds the other back; answers leave in whole lines. A line that is no message is answered, never dropped.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import anyio
import anyio.from_thread
import anyio.lowlevel
import anyio.to_thread
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.shared.message import SessionMessage

from mcpbridge.ending import PATIENCE, Ending
from mcpbridge.lines import Refused, RequestId, parse
from mcpbridge.pipes import Pipes
from mcpbridge.server import Bound, Bridge

if TYPE_CHECKING:
    from mcpbridge.launcher import Start

Deliver = Callable[[bytes], bool]
_LOOK_AGAIN: Final = 0.005
_LOOK_SECONDS: Final = 2.0  # between two looks at whether `ask` has come or gone


class Wire:
    """What goes in and out, and which requests wait for their answer."""

    def __init__(self, pipes: Pipes, ending: Ending, *, answered: RequestId | None) -> None:
        self._pipes = pipes
        self._ending = ending
        self._answered = answered
        self._waiting: Counter[RequestId] = Counter()
        self._has_begun = False
        self._to_server: MemoryObjectSendStream[SessionMessage | Exception]
        self.received: MemoryObjectReceiveStream[SessionMessage | Exception]
        self.replies: MemoryObjectSendStream[SessionMessage]
        self._from_server: MemoryObjectReceiveStream[SessionMessage]
        self._to_server, self.received = anyio.create_memory_object_stream[SessionMessage | Exception](16)
        self.replies, self._from_server = anyio.create_memory_object_stream[SessionMessage](16)
        self._one_writer = anyio.CapacityLimiter(1)

    @property
    def is_idle(self) -> bool:
        """Tell whether every request was answered."""
        return not self._waiting.total()

    async def take(self, line: bytes) -> None:
        """Pass a line on to the server, or answer it where it is no message."""
        try:
            message = parse(line)
        except Refused as refused:
            await self._write(refused.reply)
            return
        self._note(message)
        await self._to_server.send(SessionMessage(message))

    def deliverer(self, token: anyio.lowlevel.EventLoopToken) -> Deliver:
        """Return how another thread hands a line over; it returns False once nobody takes it any more."""

        def deliver(line: bytes) -> bool:
            try:
                anyio.from_thread.run(self.take, line, token=token)
            except (anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.RunFinishedError, RuntimeError):
                return False
            return True

        return deliver

    async def send_replies(self) -> None:
        """Write what the server says until it has ended."""
        async with self._from_server:
            async for session_message in self._from_server:
                await self._reply(session_message.message)

    async def tell_of_tools(self) -> None:
        """Tell a client that has begun its session that the list of tools is another one now."""
        if self._has_begun:
            await self._write(types.JSONRPCNotification(jsonrpc="2.0", method="notifications/tools/list_changed"))

    def close(self) -> None:
        """Tell the server that nothing more comes."""
        self._to_server.close()

    async def _reply(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            if message.id == self._answered:
                self._answered = None
            else:
                await self._write(message)
            self._settle(message.id)
        else:
            await self._write(message)

    async def _write(self, message: types.JSONRPCMessage) -> None:
        line = message.model_dump_json(by_alias=True, exclude_unset=True).encode() + b"\n"
        try:
            # A thread is for what would wait: while one is at it, the next line waits behind it.
            rest = self._pipes.begin(line) if self._one_writer.available_tokens else memoryview(line)
            if rest:
                await anyio.to_thread.run_sync(self._pipes.write, rest, limiter=self._one_writer)
        except OSError:  # nobody listens
            self._ending.begin()

    def _note(self, message: types.JSONRPCMessage) -> None:
        if isinstance(message, types.JSONRPCRequest):
            self._waiting[message.id] += 1
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/cancelled":
            given = (message.params or {}).get("requestId")
            if isinstance(given, int | str):
                self._settle(given)
        elif isinstance(message, types.JSONRPCNotification) and message.method == "notifications/initialized":
            self._has_begun = True

    def _settle(self, request: RequestId) -> None:
        if self._waiting[request] > 1:
            self._waiting[request] -= 1
        else:
            del self._waiting[request]


def serve(start: Start, opening: bytes, *, answered: RequestId | None) -> None:
    """Serve the client until it goes; `answered` is the request whose answer it already has."""
    bound = Bound(start.consolidation, start.may_forget) if start.consolidation else None
    bridge = Bridge(
        start.profile,
        start.ready,
        interrupted=start.interrupted,
        gone=start.ending.gone,
        bound=bound,
        answers=start.answers,
    )
    try:
        anyio.run(_serve, start, bridge, opening, answered)
    finally:
        bridge.close()


async def _serve(start: Start, bridge: Bridge, opening: bytes, answered: RequestId | None) -> None:
    wire = Wire(start.pipes, start.ending, answered=answered)
    token = anyio.lowlevel.current_token()
    ended = anyio.Event()
    start.ending.then(lambda: _in_loop(ended.set, token))
    server = bridge.server()
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(wire.send_replies)
        tasks.start_soon(_close_when_done, wire, bridge, ended)
        tasks.start_soon(_tell_of_tools, wire, bridge, ended)
        await wire.take(opening)
        start.deliver.set_result(wire.deliverer(token))
        await server.run(wire.received, wire.replies, server.create_initialization_options())
        ended.set()


def _in_loop(step: Callable[[], None], token: anyio.lowlevel.EventLoopToken) -> None:
    """Run a step in the loop, from any thread, the loop's own among them."""
    import threading

    def hand_over() -> None:
        try:
            anyio.from_thread.run_sync(step, token=token)
        except RuntimeError:  # the loop has ended
            return

    threading.Thread(target=hand_over, daemon=True).start()


async def _tell_of_tools(wire: Wire, bridge: Bridge, ended: anyio.Event) -> None:
    """Tell a client that is connected when `ask` comes or goes: the person turned answers on or off meanwhile."""
    known = bridge.asks()
    while not ended.is_set():
        with anyio.move_on_after(_LOOK_SECONDS):
            await ended.wait()
        if (now := bridge.asks()) != known and not ended.is_set():
            known = now
            await wire.tell_of_tools()


async def _close_when_done(wire: Wire, bridge: Bridge, ended: anyio.Event) -> None:
    """Once the client is gone, let what runs come to its end, within limits, then close."""
    await ended.wait()
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and not (wire.is_idle and bridge.is_idle):  # noqa: ASYNC110 (threads end too)
        await anyio.sleep(_LOOK_AGAIN)
    wire.close()
