"""An MCP client over real pipes that adds as little as it can."""

from __future__ import annotations

import json
import os
import select
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Self

from benchmarks.measuring import Failed

_PATIENCE: Final = 120.0
_HELLO: Final = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "benchmarks", "version": "1"},
}


class Server:
    """A server and the one connection to it; `initialize` was answered `ready_ms` after it was spawned."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], log: Path) -> None:
        self._number, self._pending = 0, b""
        start = time.perf_counter()
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors, env=env, cwd=log.parent
            )
        assert self._process.stdin
        assert self._process.stdout
        self._to, self._from = self._process.stdin, self._process.stdout
        self.request("initialize", _HELLO)
        self.ready_ms = (time.perf_counter() - start) * 1000
        self._send({"method": "notifications/initialized"})

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_exception: object) -> None:
        self._to.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._from.close()

    @property
    def pid(self) -> int:
        """The process's number."""
        return self._process.pid

    def call(self, tool: str, arguments: Mapping[str, Any]) -> bytes:
        """Call a tool and return the line that answered; Failed where it is an error."""
        line, answer = self._exchange("tools/call", {"name": tool, "arguments": arguments})
        if answer["result"].get("isError"):
            raise Failed(f"{tool}: {line[:400].decode(errors='replace')}")
        return line

    def request(self, method: str, params: Mapping[str, Any]) -> bytes:
        """Send a request and return the line that answered."""
        return self._exchange(method, params)[0]

    def tell(self, message: Mapping[str, Any]) -> None:
        """Send a message and wait for nothing."""
        self._send(message)

    def _exchange(self, method: str, params: Mapping[str, Any]) -> tuple[bytes, dict[str, Any]]:
        self._number += 1
        self._send({"id": self._number, "method": method, "params": params})
        ends = time.monotonic() + _PATIENCE
        while True:
            line = self._line(method, ends)
            answer = json.loads(line)
            if answer.get("id") == self._number and "method" not in answer:
                break
        if "error" in answer:
            raise Failed(f"{method}: {line[:400].decode(errors='replace')}")
        return line, answer

    def _send(self, message: Mapping[str, Any]) -> None:
        try:
            self._to.write(json.dumps({"jsonrpc": "2.0", **message}, ensure_ascii=False).encode() + b"\n")
            self._to.flush()
        except BrokenPipeError:
            raise Failed(f"the server ended with {self._process.wait()}") from None

    def _line(self, method: str, ends: float) -> bytes:
        while b"\n" not in self._pending:
            if not select.select([self._from], [], [], max(0.0, ends - time.monotonic()))[0]:
                raise Failed(f"{method}: no answer in {_PATIENCE:.0f} s")
            piece = os.read(self._from.fileno(), 1 << 16)
            if not piece:
                raise Failed(f"{method}: the server ended with {self._process.wait()}")
            self._pending += piece
        line, _, self._pending = self._pending.partition(b"\n")
        return line
