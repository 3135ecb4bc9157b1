"""Who is asking: a person or an agent, through which client, in which session.

It is attribution and a guard for the ordinary course of work, not a boundary against a program that sets out to lie;
the page where a person approves is the real one.
"""

from __future__ import annotations

import os
import re
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Final


class Kind(StrEnum):
    """A person, or a program that acts for one."""

    HUMAN = "human"
    AGENT = "agent"


class Surface(StrEnum):
    """The way in by which a request came."""

    MCP = "mcp"
    WEB = "web"
    REST = "rest"
    CLI = "cli"


class Voice(StrEnum):
    """Who brings the person's yes: the caller, with a token in a second call, or the person, asked directly."""

    CALLER = "token"
    PERSON = "user"


Report = Callable[[int, int, str], object]


def unheard(_done: int, _total: int, _step: str) -> None:
    """Take in how far something is for one who did not ask."""


Tell = Callable[[object], object]


def untold(_part: object) -> None:
    """Take in a part of an answer for one who waits for the whole."""


@dataclass(frozen=True)
class Request:
    """What is asked for: a digest of its arguments, whether it may be confirmed, and the token that it came with.

    `given` are the arguments as JSON. With `rehearses` nothing is written: the change is raised as Rehearsed.
    `granted` is the digest of the very change that the person accepted. `op` names the operation beforehand, so that
    whoever asked can look for it after a crash.
    """

    arguments: str = ""
    confirmable: bool = False
    token: str | None = None
    given: str = ""
    rehearses: bool = False
    granted: str | None = None
    op: str = ""


@dataclass(frozen=True)
class Caller:
    """The one who asks; `connection` tells one server process or browser session from another.

    `voice` is set by the surface alone: PERSON where it asked the person itself. So is `proved`: False where a person's
    session is older than their last proof may be for what becomes an instruction to agents. `report(done, total, step)`
    is told how far a long operation is, and `tell(part)` gets each part of an answer that comes in parts.
    `consolidation` is the one that an agent is at work on by itself, with nobody there to ask.
    """

    kind: Kind
    client: str
    surface: Surface
    session: str | None = None
    connection: str = ""
    request: Request = field(default_factory=Request, repr=False)
    voice: Voice = Voice.CALLER
    proved: bool = True
    consolidation: str | None = None
    may_forget: bool = True
    gone: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)
    report: Report = field(default=unheard, compare=False, repr=False)
    tell: Tell = field(default=untold, compare=False, repr=False)

    @property
    def is_human(self) -> bool:
        """Tell whether a person asks."""
        return self.kind is Kind.HUMAN

    @property
    def origin(self) -> str:
        """Return the value of a note's `origin`: `human` or `agent:<client>`."""
        return "human" if self.is_human else f"agent:{self.client}"

    def in_session(self, session: str | None) -> Caller:
        """Return the same caller, tied to a session where one is given; to its consolidation whatever is given."""
        session = self.consolidation or session
        return replace(self, session=session) if session else self


# Marker of a command-line agent in the environment -> the client's name.
MARKERS: Final[Mapping[str, str]] = {
    "CLAUDECODE": "claude-code",
    "CODEX_SANDBOX": "codex-cli",
    "CODEX_THREAD_ID": "codex-cli",
    "GEMINI_CLI": "gemini-cli",
    "COPILOT_CLI": "copilot-cli",
    "OPENCODE": "opencode",
    "GOOSE_TERMINAL": "goose",
    "AI_AGENT": "agent",
}
# Name of a program among the ancestors -> the client's name. Never an editor: its terminals belong to the person.
AGENT_PROGRAMS: Final[Mapping[str, str]] = {
    "claude": "claude-code",
    "codex": "codex-cli",
    "gemini": "gemini-cli",
    "copilot": "copilot-cli",
    "opencode": "opencode",
    "goose": "goose",
}
_INTERPRETER: Final = re.compile(r"(node|bun|deno|python[\d.]*|ruby)")
_UNFIT: Final = re.compile(r"[^a-z0-9._-]+")


def client_name(text: str | None) -> str:
    """Return a client's name as it is written into notes and trailers: lower case, at most 64 safe characters."""
    return _UNFIT.sub("-", (text or "").strip().lower()).strip("-.")[:64].strip("-.") or "unknown"


def of_command_line(environ: Mapping[str, str] | None = None) -> Caller:
    """Tell who runs a command: a person at a controlling terminal, an agent by its marker, else the agent `script`."""
    agent = agent_in_environment(os.environ if environ is None else environ) or agent_among_ancestors()
    if agent is None and not has_controlling_terminal():
        agent = "script"
    kind = Kind.HUMAN if agent is None else Kind.AGENT
    return Caller(kind=kind, client=agent or "cli", surface=Surface.CLI)


def agent_in_environment(environ: Mapping[str, str]) -> str | None:
    """Return the client that a marker in an environment names."""
    named = environ.get("CABECAO_AGENT")
    if named:
        return client_name(named)
    return next((client for marker, client in MARKERS.items() if environ.get(marker)), None)


def agent_among_ancestors() -> str | None:
    """Return the client among this process's ancestors, on Linux; the environment alone decides elsewhere."""
    if not sys.platform.startswith("linux"):
        return None
    for process in _ancestors(os.getppid()):
        client = _agent_program(process) or agent_in_environment(_environment_of(process))
        if client:
            return client
    return None


def has_controlling_terminal() -> bool:
    """Tell whether a person can be at a terminal of this process."""
    if os.name == "nt":
        return sys.stdin is not None and sys.stdin.isatty()
    try:
        os.close(os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY))
    except OSError:
        return False
    return True


def _ancestors(pid: int) -> Iterator[Path]:
    for _ in range(64):
        if pid <= 1:
            return
        process = Path("/proc") / str(pid)
        yield process
        try:
            pid = int((process / "stat").read_text(errors="replace").rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):
            return


def _agent_program(process: Path) -> str | None:
    """Return the client whose program this is, also when it is a script that an interpreter runs."""
    try:
        words = (process / "cmdline").read_bytes().split(b"\0")[:2]
    except OSError:
        return None
    names = [Path(os.fsdecode(word)).name.removesuffix(".js").removesuffix(".exe") for word in words]
    names = names if _INTERPRETER.fullmatch(names[0]) else names[:1]
    return next((AGENT_PROGRAMS[name] for name in names if name in AGENT_PROGRAMS), None)


def _environment_of(process: Path) -> dict[str, str]:
    try:
        pairs = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return {}
    return dict(os.fsdecode(pair).split("=", 1) for pair in pairs if b"=" in pair)
