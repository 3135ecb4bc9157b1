import sys
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent))

import standins

from brain import operations
from brain.caller import Caller
from mcpbridge.server import Bridge

Service = Callable[[Caller, Any], Any]


@pytest.fixture
def services(monkeypatch: pytest.MonkeyPatch) -> dict[str, Service]:
    """The service functions by the name of their operation, to be filled by the test."""
    table: dict[str, Service] = {
        "search": standins.found,
        "read": standins.shown,
        "write_page": standins.written,
    }
    monkeypatch.setattr(operations, "_service", lambda module: table[module.rpartition(".")[2]])
    monkeypatch.setattr("brain.services.proposals.telling.decided", lambda *_arguments: None)
    monkeypatch.setattr("brain.services.proposals.telling.is_decided", lambda _content: False)
    return table


@pytest.fixture
def bridge() -> Any:
    """A connection whose brain is ready."""
    ready: Future[Any] = Future()
    ready.set_result(None)
    made = Bridge(profile="standard", ready=ready)
    yield made
    made.close()
