"""A brain with its records, and the callers that ask it for something."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connections

sys.path.insert(0, str(Path(__file__).parents[1] / "guard"))
sys.path.insert(0, str(Path(__file__).parent))

import surfaces
from calling import Call, as_client, calling, state
from surfaces import Ask

from brain import language
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError
from cabecao_site import bootstrap


@pytest.fixture(scope="session")
def records(tmp_path_factory):
    """Where the empty databases are kept once they were made."""
    return tmp_path_factory.mktemp("records")


@pytest.fixture
def ready(brain, records):
    """The brain with its records of state and audit."""
    from brain.services import workplace

    machine = brain.root / ".cabecao"
    machine.mkdir(exist_ok=True)
    if (records / "state.db").exists():
        for file in records.iterdir():
            shutil.copy(file, machine)
    else:
        bootstrap.prepare_records()
        connections.close_all()
        for name in ("state.db", "audit.db"):
            shutil.copy(machine / name, records)
    yield brain
    workplace.close()


@pytest.fixture
def agent(ready) -> Call:
    """Do an operation as a client over MCP."""
    return as_client("claude-code")


@pytest.fixture
def other_agent(ready) -> Call:
    """Do an operation as another client."""
    return as_client("codex-cli")


@pytest.fixture
def person(ready) -> Call:
    """Do an operation as the person in the browser."""
    return calling(Caller(Kind.HUMAN, "web", Surface.WEB, connection=f"browser of {ready.root}"))


@pytest.fixture
def unchanged(ready) -> Callable[[], Any]:
    """Assert that the brain is byte for byte as before."""

    @contextmanager
    def watch() -> Iterator[None]:
        before = state(ready)
        yield
        assert state(ready) == before

    return watch


@pytest.fixture
def refuses(unchanged) -> Callable[..., BrainError]:
    """Assert that a call fails with a code and changes nothing; return the error."""

    def check(code: str, call: Call, name: str, **arguments: Any) -> BrainError:
        with unchanged(), pytest.raises(BrainError) as raised:
            call(name, **arguments)
        assert raised.value.code == code, raised.value.message
        assert raised.value.message
        assert raised.value.next_step
        return raised.value

    return check


@pytest.fixture
def over_rest(ready, settings, monkeypatch) -> Ask:
    """Call an operation over REST as a program."""
    return surfaces.rest(settings, monkeypatch)


@pytest.fixture
def by_command(ready, monkeypatch, capsys) -> Iterator[Ask]:
    """Run an operation's command as a program."""
    yield surfaces.command_line(ready.root, monkeypatch, capsys)
    language.configure(None)
