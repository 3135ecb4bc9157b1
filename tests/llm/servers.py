"""HTTP servers in threads that speak as providers do, and keep what they receive."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SSE = "text/event-stream"
NDJSON = "application/x-ndjson"
PIECES = ('{"claims": [', '{"text": "Água, não gelo."', "}]}")
TEXT = "".join(PIECES)
GIVEN, TAKEN = 120, 34


@dataclass(frozen=True)
class Step:
    """What a server does with one request.

    `framing` is `chunked`, `length`, or `close`, where the end of the connection is the end of the body. `ending` is
    `whole`, `cut` (the connection breaks off behind the pieces) or `hang` (nothing more comes, and it stays open).
    """

    status: int = 200
    pieces: Sequence[bytes] = ()
    kind: str = SSE
    headers: tuple[tuple[str, str], ...] = ()
    framing: str = "chunked"
    ending: str = "whole"
    is_silent: bool = False  # not even a status

    def recut(self, size: int) -> Step:
        """The same bytes in pieces of another size, across lines and letters."""
        whole = b"".join(self.pieces)
        return replace(self, pieces=[whole[at : at + size] for at in range(0, len(whole), size)])


@dataclass(frozen=True)
class Received:
    """One request as it came in."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def everything(self) -> str:
        return f"{self.method} {self.path} {self.headers} {self.body.decode()}"


@dataclass
class Log:
    """What a server received, and whether a client went away while it hung."""

    received: list[Received] = field(default_factory=list)
    has_request: threading.Event = field(default_factory=threading.Event)
    has_lost_client: threading.Event = field(default_factory=threading.Event)


class Server(ThreadingHTTPServer):
    """Takes one step after the other, the last one again and again."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, *steps: Step) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.steps = list(steps)
        self.log = Log()
        self.is_ending = threading.Event()
        self.guard = threading.Lock()

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def received(self) -> list[Received]:
        return self.log.received

    def take(self, one: Received) -> Step:
        with self.guard:
            self.log.received.append(one)
            step = self.steps[min(len(self.log.received), len(self.steps)) - 1]
        self.log.has_request.set()
        return step

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of a client that goes away."""


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        step = self.server.take(Received(self.command, self.path, headers, self.rfile.read(length)))
        self.close_connection = True
        if not step.is_silent:
            with contextlib.suppress(OSError):
                self._tell(step)
        if step.ending == "hang":
            self._hang()

    do_GET = do_CONNECT = do_POST  # noqa: N815 (the names that the server calls)

    def _tell(self, step: Step) -> None:
        self.send_response(step.status)
        self.send_header("Content-Type", step.kind)
        for name, value in step.headers:
            self.send_header(name, value)
        if step.framing == "chunked":
            self.send_header("Transfer-Encoding", "chunked")
        elif step.framing == "length":
            self.send_header("Content-Length", str(sum(map(len, step.pieces)) + (step.ending != "whole")))
        self.end_headers()
        for piece in step.pieces:
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece) if step.framing == "chunked" else piece)
            self.wfile.flush()
        if step.framing == "chunked" and step.ending == "whole":
            self.wfile.write(b"0\r\n\r\n")

    def _hang(self) -> None:
        while not self.server.is_ending.is_set():
            readable, _writable, _broken = select.select([self.connection], [], [], 0.05)
            if readable and not self._still_there():
                self.server.log.has_lost_client.set()
                return

    def _still_there(self) -> bool:
        try:
            return bool(self.connection.recv(1024))
        except OSError:
            return False

    def log_message(self, *_arguments: object) -> None:
        """Say nothing on the terminal."""


@contextlib.contextmanager
def serving(*steps: Step) -> Iterator[Server]:
    """Yield a server that runs."""
    with Server(*steps) as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.is_ending.set()
            server.shutdown()
            thread.join()


def closed_port() -> int:
    """A port of this machine where nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        return int(taken.getsockname()[1])


def event(value: Any, name: str = "") -> bytes:
    """One server-sent event."""
    return (f"event: {name}\n" if name else "").encode() + f"data: {json.dumps(value, ensure_ascii=False)}\n\n".encode()


def line(value: Any) -> bytes:
    """One line of NDJSON."""
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def openai(pieces: Sequence[str] = PIECES) -> Step:
    """A chat completion."""
    first = event({"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}], "usage": None})
    told = [event({"choices": [{"index": 0, "delta": {"content": one}}], "usage": None}) for one in pieces]
    stop = event({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": None})
    used = event({"choices": [], "usage": {"prompt_tokens": GIVEN, "completion_tokens": TAKEN}})
    return Step(pieces=[b": ping\n\n", first, *told, stop, used, b"data: [DONE]\n\n"])


def anthropic(pieces: Sequence[str] = PIECES) -> Step:
    """A message; part of the input was read from the cache."""
    usage = {"input_tokens": GIVEN - 100, "cache_read_input_tokens": 100, "output_tokens": 1}
    start = event({"type": "message_start", "message": {"usage": usage}}, "message_start")
    opened = event({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}})
    told = [event({"type": "content_block_delta", "delta": {"type": "text_delta", "text": one}}) for one in pieces]
    ends = {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": TAKEN}}
    return Step(pieces=[start, opened, event({"type": "ping"}), *told, event(ends), event({"type": "message_stop"})])


def gemini(pieces: Sequence[str] = PIECES) -> Step:
    """generateContent, with a thought that is no part of the answer."""
    used = {"promptTokenCount": GIVEN, "candidatesTokenCount": TAKEN - 4, "thoughtsTokenCount": 4}
    thought = event({"candidates": [{"content": {"parts": [{"text": "pensando", "thought": True}]}}]})
    told = [event({"candidates": [{"content": {"role": "model", "parts": [{"text": one}]}}]}) for one in pieces]
    ends = event({"candidates": [{"content": {"parts": []}, "finishReason": "STOP"}], "usageMetadata": used})
    return Step(pieces=[thought, *told, ends])


def ollama(pieces: Sequence[str] = PIECES) -> Step:
    """Ollama's chat."""
    told = [line({"message": {"role": "assistant", "content": one}, "done": False}) for one in pieces]
    ends = {"message": {"content": ""}, "done": True, "prompt_eval_count": GIVEN, "eval_count": TAKEN}
    return Step(pieces=[*told, line(ends)], kind=NDJSON)
