"""Command lines as their users run them: as a script, or by a person at a terminal of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

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
