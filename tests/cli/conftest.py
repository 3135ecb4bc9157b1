"""Command lines as their users run them: in this process, as a script, or by a person at a terminal of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

import brain.caller
from brain import config, language
from brain.caller import Caller, Kind, Surface
from cabecao_site.cli.__main__ import main

PROJECT = Path(__file__).resolve().parents[2]
AT_TERMINAL = Path(__file__).with_name("at_terminal.py")
_LEFT_OUT = (
    "GIT_",
    "XDG_",
    "LC_",
    "CABECAO",
    "CLAUDE",
    "CODEX",
    "GEMINI_CLI",
    "COPILOT",
    "OPENCODE",
    "GOOSE",
    "AI_AGENT",
)


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str


@dataclass(frozen=True)
class CommandLine:
    """A home of its own, and the command in it."""

    home: Path

    def environment(self, **more: str) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(_LEFT_OUT)}
        kept.pop("NO_COLOR", None)
        return {
            **kept,
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(self.home / ".config"),
            "PYTHONPATH": str(PROJECT),
            "PYTHONUTF8": "1",
            "TERM": "xterm-256color",
            **more,
        }

    def command(self, *words: str) -> list[str]:
        return [sys.executable, "-m", "cabecao_site.cli", *words]

    def run(self, *words: str, person: bool = False, typed: str = "", cwd: Path | None = None, **env: str) -> Ended:
        command = self.command(*words)
        report = self.home / f"report-{time.monotonic_ns()}"
        if person:
            command = [sys.executable, str(AT_TERMINAL), str(report), "60", *command]
        process = subprocess.run(
            command,
            input=typed.encode(),
            check=False,
            capture_output=True,
            env=self.environment(**env),
            cwd=cwd or self.home,
            timeout=90,
            start_new_session=True,
        )
        code = int(report.read_text()) if person else process.returncode
        return Ended(code, process.stdout.decode(), process.stderr.decode())


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ana\n\temail = ana@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    return CommandLine(home)


@pytest.fixture
def made_brain(cli: CommandLine, tmp_path: Path) -> Path:
    """A brain made by init, known as `notas`."""
    root = tmp_path / "notas"
    ended = cli.run("init", str(root), "--yes")
    assert ended.code == 0, ended.err
    return root


@pytest.fixture
def in_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """This process speaks English, knows no brain, and forgets afterwards what a command set."""
    monkeypatch.setenv("CABECAO_LANG", "en")
    monkeypatch.delenv("CABECAO_BRAIN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    yield
    language.configure(None)
    config.leave()


@pytest.fixture
def call(in_english: None, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run a command line in this process."""

    def run(*words: str) -> Ended:
        code = main(words)
        shown = capsys.readouterr()
        return Ended(code, shown.out, shown.err)

    return run


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Caller:
    found = Caller(kind=Kind.HUMAN, client="cli", surface=Surface.CLI)
    monkeypatch.setattr(brain.caller, "of_command_line", lambda: found)
    return found


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Caller:
    found = Caller(kind=Kind.AGENT, client="script", surface=Surface.CLI)
    monkeypatch.setattr(brain.caller, "of_command_line", lambda: found)
    return found
