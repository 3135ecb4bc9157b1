"""A brain with its records, written to as a client over MCP does, and the question whether it is whole."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

from brain import config, operations
from brain.caller import Caller, Kind, Surface
from brain.store import journal
from cabecao_site import bootstrap

NOTE = "wiki/concepts/Fila.md"
CLEANED = (".cabecao/tmp/write-*", ".git/**/*.lock")


@dataclass(frozen=True)
class Scribe:
    """A caller that writes to a brain, in this process."""

    root: Path
    brain: Any
    caller: Caller
    ops: list[str] = field(default_factory=list)

    def call(self, name: str, **arguments: Any) -> Any:
        return operations.dispatch(name, self.caller, arguments)

    def create(self, path: str, content: str, **fields: Any) -> Any:
        return self.call(
            "write_page", path=path, content=content, mode="create", frontmatter={"type": "concept", **fields}
        )

    def append(self, path: str, content: str) -> Any:
        return self.call("write_page", path=path, content=content, mode="append")

    def overwrite(self, path: str, content: str) -> Any:
        return self.call("write_page", path=path, content=content, mode="overwrite")

    def text(self, path: str = NOTE) -> str:
        return (self.root / path).read_bytes().decode()

    def git(self, *arguments: str) -> str:
        return str(self.brain.git(*arguments))

    def head(self) -> str:
        return self.git("rev-parse", "HEAD").strip()

    def committed(self, path: str = NOTE) -> str:
        return self.git("show", f"HEAD:{path}")

    def log(self, form: str = "%an|%s") -> list[str]:
        return self.git("log", f"--format={form}").splitlines()

    def dirt(self) -> str:
        return self.git("status", "--porcelain", "--untracked-files=all")

    def leftovers(self) -> list[str]:
        files = [str(file.relative_to(self.root)) for pattern in CLEANED for file in self.root.glob(pattern)]
        return files + [entry.op for entry in journal.pending(self.root)]

    def assert_whole(self) -> None:
        """HEAD, Git's index and the tree agree, the objects are sound, and nothing was left behind."""
        assert self.dirt() == ""
        assert self.git("fsck", "--strict", "--no-dangling", "--no-progress") == ""
        assert self.leftovers() == []

    def as_person(self) -> Scribe:
        return Scribe(self.root, self.brain, Caller(Kind.HUMAN, "web", Surface.WEB, connection="browser"))

    def as_client(self, client: str) -> Scribe:
        return Scribe(self.root, self.brain, Caller(Kind.AGENT, client, Surface.MCP, connection=client))


@pytest.fixture(scope="session")
def records(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the empty databases are kept once they were made."""
    return tmp_path_factory.mktemp("records")


def make_records(root: Path, records: Path) -> None:
    """Give a brain its records of state and audit, as this process's brain."""
    machine = root / ".cabecao"
    machine.mkdir(exist_ok=True)
    if not (records / "state.db").exists():
        bootstrap.prepare_records()
        connections.close_all()
        for name in ("state.db", "audit.db"):
            shutil.copy(machine / name, records)
    else:
        for file in records.iterdir():
            shutil.copy(file, machine)


@pytest.fixture
def scribe(brain: Any, records: Path) -> Iterator[Scribe]:
    """A brain with a first commit and one note in it, and its scribe."""
    from brain.services import workplace

    make_records(brain.root, records)
    brain.note(NOTE, "A fila guarda.", type="concept", title="Fila")
    brain.write("log.md", "# Log\n\n")
    brain.commit()
    yield Scribe(brain.root, brain, Caller(Kind.AGENT, "claude-code", Surface.MCP, connection=str(brain.root)))
    workplace.close()


@pytest.fixture
def move_to(scribe: Scribe, records: Path) -> Callable[[Path], Scribe]:
    """Make another folder this process's brain and return its scribe."""
    from brain.services import workplace

    def move(root: Path) -> Scribe:
        workplace.close()
        connections.close_all()
        bootstrap.point_at(config.enter(root))
        make_records(root, records)
        return Scribe(root, type(scribe.brain)(root), replace(scribe.caller, connection=str(root)))

    return move
