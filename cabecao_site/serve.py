"""The server of the pages: one process on 127.0.0.1, with a worker beside it that ends with it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Final

import uvicorn

from brain.config import Brain
from brain.errors import Locked, reason_of
from brain.language import gettext as _
from cabecao_site import running
from cabecao_site.supervisor import Supervisor, worker_command

HOST: Final = "127.0.0.1"
PORT: Final = 8765
_BACKLOG: Final = 2048
_TRIES: Final = 20
_LAST_REQUESTS_SECONDS: Final = 3
_ENDING = tuple(getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this machine's own address only; Locked where the port is taken."""
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        _keep_others_out(found)
        found.bind((HOST, port))
        found.listen(_BACKLOG)
    except (OSError, OverflowError) as error:
        found.close()
        raise Locked(
            _("Port %(port)d cannot be used: %(reason)s.") % {"port": port, "reason": reason_of(error)},
            next_step=_("Choose another one with --port, or run `cabecao open` if Cabeção serves there already."),
        ) from error
    return found


def listen_near(port: int) -> socket.socket:
    """Return a listening socket on the first free port from `port` on, any free one where all those are taken."""
    for wanted in (*range(port, min(port + _TRIES, 65536)), 0):
        try:
            return listen(wanted)
        except Locked:
            continue
    return listen(0)


def _keep_others_out(found: socket.socket) -> None:
    """Let a port be used again right after its last server, and by nobody else at the same time."""
    if sys.platform == "win32":
        found.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)


def port_of(listening: socket.socket) -> int:
    """Return the port of a listening socket."""
    return int(listening.getsockname()[1])


class Ending:
    """Whether this process was told to end, and how often; a signal only notes it, and interrupts nothing."""

    def __init__(self) -> None:
        self.times = 0
        self._told: Callable[[int], None] | None = None

    def then(self, told: Callable[[int], None]) -> None:
        """Call `told` with how often it was said so far, now where it was said already, and at each signal."""
        self._told = told
        if self.times:
            told(self.times)

    def note(self, *_signal: object) -> None:
        """Note one signal; safe inside a handler."""
        self.times += 1
        if self._told:
            self._told(self.times)


@contextmanager
def held_signals() -> Generator[Ending, None, None]:
    """Note the signals that end a process, instead of breaking off what runs.

    After the block they are ignored: it is the last thing that a process does, and one that came while Python itself
    ends would show a traceback or change the exit code.
    """
    ending = Ending()
    for one in _ENDING:
        if signal.getsignal(one) is not signal.SIG_IGN:  # nohup means it
            signal.signal(one, ending.note)
    yield ending
    for one in _ENDING:
        signal.signal(one, signal.SIG_IGN)


def serve(brain: Brain, listening: socket.socket, ending: Ending, *, ready: Callable[[], None]) -> None:
    """Serve until `ending`; `ready` is called in a thread once requests are answered."""
    os.environ.pop("CABECAO_BRAIN", None)  # the brain is chosen; the application must not choose again
    supervisor = Supervisor(worker_command(brain), brain.machine / "logs" / "worker.log")

    def announce() -> None:
        from django.db import connections

        running.write(brain, port_of(listening))
        supervisor.start()
        try:
            ready()
        finally:
            connections.close_all()

    config = uvicorn.Config(
        "cabecao_site.asgi:application",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_LAST_REQUESTS_SECONDS,
    )
    server = Server(config, announce)
    ending.then(server.leave)
    try:
        server.run(sockets=[listening])
    finally:
        supervisor.stop()
        running.remove(brain)


class Server(uvicorn.Server):
    """A uvicorn server that says when it is ready, and takes no signals."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start answering requests, then say so."""
        await super().startup(sockets)
        if self.started:
            await asyncio.to_thread(self._ready)

    def leave(self, times: int) -> None:
        """Stop serving; told twice, wait for no request."""
        self.should_exit = True
        self.force_exit = times > 1

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave the signals to whoever serves: what belongs to the server is put away before they count again."""
        yield
