"""The two pipes of the protocol, taken out of everybody else's reach.

Standard library only. After `claim`, file descriptor 0 reads nothing and 1 is standard error, so that neither a
library that prints nor a child process can touch the protocol.
"""

from __future__ import annotations

import io
import os
import select
import sys
import threading
from collections.abc import Iterator
from contextlib import suppress
from typing import Final

LINE_LIMIT: Final = 32_000_000
_PIECE: Final = 65_536
_SURE: Final = min(getattr(select, "PIPE_BUF", 512), 4_096)  # a pipe with room takes as much without waiting


class Pipes:
    """The client's lines come in at one descriptor, the server's go out at the other."""

    def __init__(self, incoming: int, outgoing: int) -> None:
        self._incoming = incoming
        self._outgoing = outgoing
        self._writing = threading.Lock()

    def lines(self) -> Iterator[bytes]:
        """Yield each line that is not blank, without its end, until the client closes; an overlong one is cut."""
        kept: list[bytes] = []
        size = 0
        while piece := self._read():
            *whole, rest = piece.split(b"\n")
            for part in whole:
                yield from _unless_blank(b"".join((*kept, part)))
                kept, size = [], 0
            if rest and size <= LINE_LIMIT:
                kept.append(rest)
                size += len(rest)

    def write(self, line: bytes | memoryview) -> None:
        """Send all of it; OSError where the client no longer listens."""
        with self._writing:
            rest = memoryview(line)
            while rest:
                rest = rest[os.write(self._outgoing, rest) :]

    def begin(self, line: bytes) -> memoryview:
        """Send what the pipe takes at once and return what is left, which `write` has to wait for."""
        rest = memoryview(line)
        with self._writing:
            while rest and self._takes_some():
                rest = rest[os.write(self._outgoing, rest[:_SURE]) :]
        return rest

    def _takes_some(self) -> bool:
        """Tell whether the pipe takes a small piece without waiting; no where the system can't say."""
        if not hasattr(select, "poll"):
            return False
        room = select.poll()
        room.register(self._outgoing, select.POLLOUT)
        return room.poll(0) == [(self._outgoing, select.POLLOUT)]

    def _read(self) -> bytes:
        try:
            return os.read(self._incoming, _PIECE)
        except OSError:
            return b""


def _unless_blank(line: bytes) -> Iterator[bytes]:
    line = line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r")
    if line:
        yield line


def claim() -> Pipes:
    """Take standard input and output for the protocol; whatever else reads or writes them misses it."""
    pipes = Pipes(_above_standard(0), _above_standard(1))
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # standard error is closed
        os.dup2(nothing, 1)
    if nothing > 2:
        os.close(nothing)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(ValueError):
                stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    return pipes


def _above_standard(descriptor: int) -> int:
    """Return a duplicate that no child inherits and that is none of 0, 1 and 2."""
    if sys.platform == "win32":
        duplicate = os.dup(descriptor)
        os.set_inheritable(duplicate, False)  # noqa: FBT003 (the library's own signature)
        return duplicate
    import fcntl

    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 3)
