"""A bare client of one server process, and a server in process: lines of JSON in, lines of JSON out."""

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, Self

import anyio
import mcp_types as types
from mcp.shared.message import SessionMessage

ENVELOPE = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "Outro Cliente", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(number: int | str, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": dict(params or {})}


def initialize(
    version: str = "2025-11-25", *, number: int | str = 0, client: str = "Cliente de Teste"
) -> dict[str, Any]:
    params = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": client, "version": "1"}}
    return request(number, "initialize", params)


def call(number: int, tool: str, arguments: Any = ...) -> dict[str, Any]:
    return request(number, "tools/call", {"name": tool, "arguments": {} if arguments is ... else arguments})


class Process:
    """A server process, and what it said."""

    def __init__(self, command: Sequence[str], environment: Mapping[str, str] | None = None) -> None:
        self.process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(environment or {})},
        )
        self.noise: list[bytes] = []
        self.errors = b""
        self._said: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
        self._threads = [threading.Thread(target=self._listen), threading.Thread(target=self._collect)]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
        if self.ended(10) is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(10)
        self.process.stdout.close()
        self.process.stderr.close()

    def _listen(self) -> None:
        for line in self.process.stdout:
            try:
                message = json.loads(line)
                assert message["jsonrpc"] == "2.0"
            except (ValueError, TypeError, KeyError, AssertionError):
                self.noise.append(line)
            else:
                self._said.put(message)
        self._said.put(None)

    def _collect(self) -> None:
        self.errors = self.process.stderr.read()

    def send(self, *messages: Mapping[str, Any] | bytes) -> None:
        for message in messages:
            line = message if isinstance(message, bytes) else json.dumps(message, ensure_ascii=False).encode()
            self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def next(self, seconds: float = 30) -> dict[str, Any]:
        try:
            message = self._said.get(timeout=seconds)
        except Empty:
            raise AssertionError("the server says nothing") from None
        assert message is not None, "the server ended"
        return message

    def silent(self, seconds: float) -> bool:
        try:
            return self._said.get(timeout=seconds) is None
        except Empty:
            return True

    def ask(self, message: Mapping[str, Any]) -> dict[str, Any]:
        self.send(message)
        answer = self.next()
        assert answer["id"] == message["id"]
        return answer

    def greet(self, **more: Any) -> dict[str, Any]:
        answer = self.ask(initialize(**more))
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        return answer

    def close(self) -> None:
        if not self.process.stdin.closed:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.close()

    def ended(self, seconds: float) -> int | None:
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


def play_server(root: Path, *arguments: str, **environment: str) -> Process:
    """Start a server whose operations are those of playing.py."""
    script = Path(__file__).with_name("playing.py")
    return Process([sys.executable, str(script), str(root), *arguments], environment)


def answers(server: Any, *messages: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a server in process answers to messages sent one after the other."""
    said: list[dict[str, Any]] = []

    async def talk() -> None:
        to_server, received = anyio.create_memory_object_stream[Any](0)
        replies, from_server = anyio.create_memory_object_stream[SessionMessage](0)
        async with anyio.create_task_group() as tasks, to_server, from_server:
            tasks.start_soon(server.run, received, replies, server.create_initialization_options())
            for message in messages:
                parsed = types.jsonrpc_message_adapter.validate_python(dict(message), by_name=False)
                await to_server.send(SessionMessage(parsed))
                if "id" in message:
                    with anyio.fail_after(20):
                        reply = (await from_server.receive()).message
                    said.append(json.loads(reply.model_dump_json(by_alias=True, exclude_unset=True)))
            to_server.close()

    anyio.run(talk)
    return said


def eventually(true: Callable[[], bool], seconds: float = 10) -> bool:
    """Tell whether something becomes true in time."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if true():
            return True
        time.sleep(0.02)
    return true()


def error_of(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return the product's error in a tool's answer, checked for its form."""
    result = answer["result"]
    assert result["isError"] is True
    assert "structuredContent" not in result
    (content,) = result["content"]
    error: dict[str, Any] = json.loads(content["text"])["error"]
    assert error["message"]
    assert error["next_step"]
    return error
