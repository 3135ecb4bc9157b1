"""The Claude Code that is installed here, run for one answer: without tools, settings or servers, in an empty folder.

What runs is the program whose path the person confirmed. For an agent nothing of its environment comes along: neither
an address, a key or a folder of settings, nor a PATH of its making.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from llm import folders
from llm.attempts import Attempts
from llm.consent import Entry
from llm.failure import Code, Failure
from llm.keys import Keys
from llm.providers.base import Delta, Piece, Usage
from llm.providers.http import count, text_in
from llm.request import Request
from llm.transport import LARGEST_BODY, as_json

_SECONDS_TO_END: Final = 2.0
_SYSTEM_PATH: Final = ("/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin")
_OF_THE_SYSTEM: Final = ("LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT", "COMSPEC", "PATHEXT", "WINDIR")
_INPUTS: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
_NO_LOGIN: Final = ("/login", "api key", "authentication")
_SHAPE: Final = "Answer with one JSON value and nothing else, without code fences. It must follow this JSON schema:"
ARGUMENTS: Final = (
    "-p",
    "--output-format",
    "stream-json",
    "--verbose",
    "--include-partial-messages",
    "--tools",
    "",
    "--strict-mcp-config",
    "--mcp-config",
    '{"mcpServers":{}}',
    "--setting-sources",
    "",
    "--disable-slash-commands",
    "--no-session-persistence",
    "--max-turns",
    "1",
)


@dataclass(frozen=True)
class ClaudeCode:
    """One run of the program for each answer."""

    entry: Entry
    keys: Keys

    @property
    def name(self) -> str:
        """The provider's code."""
        return self.entry.provider

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.entry.model

    @property
    def destination(self) -> str:
        """The program."""
        return self.entry.program

    def stream(self, request: Request, attempts: Attempts) -> Iterator[Piece]:
        """Yield the answer's text, then what it used; the program and what it started end with the iterator."""
        program = Path(self.entry.program)
        if os.path.realpath(program) != str(program) or not os.access(program, os.X_OK) or program.is_dir():
            raise Failure(Code.NOT_INSTALLED)
        attempts.take()
        with (
            tempfile.TemporaryDirectory(prefix="cabecao-", ignore_cleanup_errors=True) as empty,
            self._running(request, empty, attempts) as process,
            attempts.watched(lambda: end(process)),
        ):
            yield from self._pieces(process, request, attempts)

    @contextlib.contextmanager
    def _running(self, request: Request, folder: str, attempts: Attempts) -> Iterator[subprocess.Popen[bytes]]:
        system = f"{request.system}\n\n{_SHAPE}\n{json.dumps(request.schema, ensure_ascii=False)}"
        command = [self.entry.program, *ARGUMENTS, "--model", self.model, "--system-prompt", system]
        given = {**environment(self.entry, self.keys), "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(request.max_output_tokens)}
        try:
            process = subprocess.Popen(
                command,
                cwd=folder,
                env=given,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except (OSError, ValueError):
            attempts.give_back()
            raise Failure(Code.NOT_INSTALLED) from None
        try:
            yield process
        finally:
            end(process)
            for stream in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):
                    stream.close()  # type: ignore[union-attr]

    def _pieces(self, process: subprocess.Popen[bytes], request: Request, attempts: Attempts) -> Iterator[Piece]:
        threading.Thread(target=_tell, args=(process, request.user.encode()), daemon=True).start()
        has_text, result = False, None
        for event in _events(process):
            attempts.check()
            if text_in(event, "type") == "result":
                result = event
                break
            elif text := text_in(event, "event", "delta", "text"):
                has_text = True
                yield Delta(text)
        attempts.check()
        if result is None:
            raise Failure(Code.SERVER if process.wait() else Code.MALFORMED)
        said = text_in(result, "result")
        if result.get("is_error"):
            is_login = any(word in said.casefold() for word in _NO_LOGIN)
            raise Failure(Code.UNAUTHORIZED if is_login else Code.SERVER)
        if said and not has_text:
            yield Delta(said)
        yield _usage(result)


def _tell(process: subprocess.Popen[bytes], text: bytes) -> None:
    """Give the program the question, on its standard input, where no list of processes shows it."""
    with contextlib.suppress(OSError, ValueError):
        process.stdin.write(text)  # type: ignore[union-attr]
        process.stdin.close()  # type: ignore[union-attr]


def _events(process: subprocess.Popen[bytes]) -> Iterator[dict[str, Any]]:
    size = 0
    while line := process.stdout.readline(LARGEST_BODY + 1):  # type: ignore[union-attr]
        size += len(line)
        if size > LARGEST_BODY:
            raise Failure(Code.TOO_LARGE)
        if line.strip():
            event = as_json(line)
            if isinstance(event, dict):
                yield event


def _usage(result: dict[str, Any]) -> Usage:
    counts = [count(result, "usage", name) for name in _INPUTS]
    given = sum(one or 0 for one in counts) if counts[0] is not None else None
    cost = result.get("total_cost_usd")
    told = float(cost) if isinstance(cost, int | float) else None
    return Usage(given, count(result, "usage", "output_tokens"), told)


def environment(entry: Entry, keys: Keys) -> dict[str, str]:
    """Return what the program gets: the person's environment, or for an agent only what the system says."""
    if keys.is_person:
        return dict(keys.environ)
    home = str(folders.own_home())
    homes = {"HOME": home}
    if sys.platform == "win32":
        homes = {"USERPROFILE": home, "APPDATA": str(folders.own().parent)}
    return {**_of_the_system(keys.environ), **homes, **_names(), "PATH": _path(entry), "TERM": "dumb"}


def _of_the_system(environ: Mapping[str, str]) -> dict[str, str]:
    return {name: environ[name] for name in _OF_THE_SYSTEM if name in environ}


def _names() -> dict[str, str]:
    if sys.platform == "win32":
        return {}
    import pwd

    name = pwd.getpwuid(os.getuid()).pw_name
    return {"USER": name, "LOGNAME": name}


def _path(entry: Entry) -> str:
    own = [str(Path(entry.program).parent), *([str(Path(entry.node).parent)] if entry.node else [])]
    system = [rf"{os.environ.get('SYSTEMROOT', '')}\System32"] if sys.platform == "win32" else _SYSTEM_PATH
    return os.pathsep.join([*own, *system])


def end(process: subprocess.Popen[bytes]) -> None:
    """End a program and everything that it started: asked first, then killed."""
    if process.poll() is not None and not _group_lives(process.pid):
        return
    tree = _tree(process.pid)
    for one in tree:
        with contextlib.suppress(Exception):
            one.terminate()
    _signal_group(process.pid, signal.SIGTERM)
    import psutil

    _gone, alive = psutil.wait_procs(tree, timeout=_SECONDS_TO_END)
    for one in alive:
        with contextlib.suppress(psutil.Error):
            one.kill()
    _signal_group(process.pid, getattr(signal, "SIGKILL", signal.SIGTERM))
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=_SECONDS_TO_END)


def _tree(pid: int) -> list[Any]:
    import psutil

    try:
        root = psutil.Process(pid)
        return [root, *root.children(recursive=True)]
    except psutil.Error:
        return []


def _group_lives(pid: int) -> bool:
    if os.name != "posix":
        return False
    try:
        os.killpg(pid, 0)
    except OSError:
        return False
    return True


def _signal_group(pid: int, number: int) -> None:
    if os.name == "posix":
        with contextlib.suppress(OSError):
            os.killpg(pid, number)
