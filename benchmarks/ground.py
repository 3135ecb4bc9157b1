"""What a run stands on: one corpus, as a brain, as a plain repository and as a floor's index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final

from benchmarks import floor_index
from benchmarks.client import Server
from benchmarks.corpus import Corpus, Note, note, write
from benchmarks.measuring import Failed

PROJECT: Final = Path(__file__).resolve().parent.parent
_HERE: Final = Path(__file__).resolve().parent
_GIT_SETTINGS: Final = (
    "[user]\n\tname = Bench\n\temail = bench@example.invalid\n[gc]\n\tauto = 0\n[init]\n\tdefaultBranch = main\n"
)
_OWN: Final = ("GIT_", "CABECAO_", "PYTHON", "XDG_", "DJANGO_")


class Ground:
    """Everything of one size, made when it is first asked for."""

    def __init__(self, work: Path, *, notes: int, rounds: int) -> None:
        self.notes, self.rounds = notes, rounds
        self._work = work / str(notes)
        self._work.mkdir(parents=True)
        self.environment = environment(work)

    @cached_property
    def corpus(self) -> Corpus:
        """The notes as they were generated."""
        return write(self._work / "corpus", self.notes)

    @cached_property
    def brain(self) -> Path:
        """The notes in a brain, its history packed."""
        folder = self._work / "brain"
        shutil.rmtree(folder, ignore_errors=True)  # what a measure that failed has left
        shutil.copytree(self.corpus.folder, folder)
        self.cabecao("init", str(folder), "--yes", "--name", f"bench-{self.notes}")
        self.git(folder, "gc", "--quiet")
        return folder

    @cached_property
    def repository(self) -> Path:
        """A copy of the brain's repository, which Git alone writes to."""
        folder = self._work / "repository"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(self.brain, folder, ignore=shutil.ignore_patterns(".cabecao"))
        self.git(folder, "update-index", "-q", "--refresh")
        return folder

    @cached_property
    def index(self) -> Path:
        """The floor's search index of the corpus."""
        file = self._work / "floor.db"
        floor_index.build(self.corpus.folder, file)
        return file

    @cached_property
    def cabecao_command(self) -> list[str]:
        """How the product is started: its console script where it is installed."""
        script = Path(sys.executable).with_name("cabecao")
        return [str(script)] if script.exists() else [sys.executable, "-m", "cabecao_site.cli"]

    def fresh(self, *, after: int = 0) -> Iterator[Note]:
        """Return notes that are not in the corpus, one after the other; the first ones `after` those are left out."""
        number = self.notes + after
        while True:
            yield note(number)
            number += 1

    def thin_server(self) -> Server:
        """Start the floor's MCP server."""
        return self._server(sys.executable, "-P", str(_HERE / "floor.py"), str(self.index), str(self.corpus.folder))

    def server(self, *, tools: str = "standard") -> Server:
        """Start the product's MCP server."""
        return self._server(*self.cabecao_command, "--brain", str(self.brain), "mcp", "--tools", tools)

    def warm_up(self) -> None:
        """Start both servers once, so that neither compiles its modules while it is measured."""
        for start in (self.thin_server, self.server):
            with start():
                pass

    def _server(self, *command: str) -> Server:
        return Server(command, self.environment, self._work / "servers.log")

    def cabecao(self, *words: str) -> str:
        """Run a command of the product."""
        return self.run(*self.cabecao_command, *words)

    def git(self, folder: Path, *words: str) -> str:
        """Run Git in a repository."""
        return self.run("git", "-C", str(folder), *words)

    def run(self, *command: str) -> str:
        """Run a program and return what it printed; Failed with its last words where it failed."""
        done = subprocess.run(
            command,
            env=self.environment,
            cwd=self._work,
            capture_output=True,
            text=True,
            stdin=subprocess.DEVNULL,
            check=False,
        )
        if done.returncode:
            said = (done.stderr or done.stdout).strip()[-600:]
            raise Failed(f"{' '.join(command)[-160:]} ended with {done.returncode}: {said}")
        return done.stdout


def environment(work: Path) -> Mapping[str, str]:
    """Return an environment without the developer's own settings, and with compiled modules for both sides."""
    settings = work / "gitconfig"
    settings.write_text(_GIT_SETTINGS, encoding="utf-8")
    (work / "home").mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_OWN)}
    return kept | {
        "HOME": str(work / "home"),
        "GIT_CONFIG_GLOBAL": str(settings),
        "GIT_CONFIG_SYSTEM": os.devnull,
        "PYTHONPATH": str(PROJECT),
        "PYTHONPYCACHEPREFIX": str(work / "compiled"),
        "CABECAO_LANG": "en",
    }
