"""Answers with a model: servers of the test's own, a key that is in no file, and the user's own folder in a temporary one."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from servers import Server, Step, serving

from llm import folders, transport
from llm.request import Request


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Start servers, each with its steps."""
    with contextlib.ExitStack() as running:
        yield lambda *steps: running.enter_context(serving(*steps or (Step(),)))


@pytest.fixture
def key() -> str:
    return f"sk-{secrets.token_hex(20)}"


@pytest.fixture
def question() -> Request:
    schema = {"type": "object", "properties": {"claims": {"type": "array"}}}
    return Request(system="Responde só pelas notas.", user="Qual é a fila?", schema=schema, max_output_tokens=321)


@pytest.fixture
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Try again without a pause."""
    monkeypatch.setattr(transport, "_PAUSES", (0.0, 0.0))


@pytest.fixture
def own_folder(monkeypatch: pytest.MonkeyPatch, own_home: Path) -> Path:
    """The user's own folder of settings, by the system account."""
    monkeypatch.setattr(folders, "own_home", lambda: own_home)
    folder = folders.own()
    folders.make(folder)
    return folder
