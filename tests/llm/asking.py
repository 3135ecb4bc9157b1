"""Providers whose address is a server of the test, and what comes of asking them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from llm.attempts import Attempts
from llm.consent import NO_KEY, Entry
from llm.failure import Failure
from llm.keys import Keys
from llm.known import PROVIDERS, Need
from llm.providers import made
from llm.providers.base import Delta, Piece, Provider, Usage
from llm.request import Request

VARIABLE = "CHAVE_DO_TESTE"
NOWHERE = Path("/nonexistent")


def made_for(name: str, address: str, key: str = "", model: str = "modelo-1", *, is_person: bool = False) -> Provider:
    """A provider at an address of the test; llm.json lets the fixed addresses alone through."""
    has_key = key and PROVIDERS[name].need is not Need.NONE
    entry = Entry(name, model, address, f"variable:{VARIABLE}" if has_key else NO_KEY)
    return made.provider(entry, Keys(NOWHERE, is_person, {VARIABLE: key}))


def asked(provider: Provider, request: Request, attempts: Attempts | None = None) -> tuple[str, Usage]:
    """The text and what it used."""
    pieces: list[Piece] = list(provider.stream(request, attempts or Attempts(seconds=20)))
    text = "".join(one.text for one in pieces if isinstance(one, Delta))
    usage = pieces[-1]
    assert isinstance(usage, Usage)
    assert sum(isinstance(one, Usage) for one in pieces) == 1
    return text, usage


def failed(provider: Any, request: Request, attempts: Attempts | None = None) -> Failure:
    """The failure in which a question ends."""
    with pytest.raises(Failure) as raised:
        list(provider.stream(request, attempts or Attempts(seconds=20)))
    return raised.value
