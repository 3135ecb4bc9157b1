"""What there is on this machine that could answer: an installed agent, keys in the environment, local servers."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from llm import addresses, consent
from llm.known import PROVIDERS, Known, Protocol

CLAUDE_CODE: Final = "claude-code"
MOST_MODELS: Final = 8
_SECONDS: Final = 1.0
_LARGEST: Final = 1 << 20
# Where Claude Code's own installers put it, under the person's home.
_ITS_FOLDERS: Final = (".local/bin", ".claude/local")


@dataclass(frozen=True)
class Found:
    """One way to answer; `model` is empty where the person has to name one, `variable` where it needs no key."""

    provider: str
    model: str = ""
    variable: str = ""

    @property
    def known(self) -> Known:
        """Its row in the table of providers."""
        return PROVIDERS[self.provider]


@dataclass(frozen=True)
class Program:
    """The real paths of Claude Code and of the Node there is, empty without one."""

    program: str
    node: str = ""


def look(environ: Mapping[str, str]) -> list[Found]:
    """Return what there is: Claude Code first, then keys in the environment, then servers that listen here."""
    found = [Found(CLAUDE_CODE, PROVIDERS[CLAUDE_CODE].model)] if claude_code(environ) else []
    found += [
        Found(one.name, one.model, one.variable)
        for one in PROVIDERS.values()
        if one.variable and environ.get(one.variable)
    ]
    return [*found, *_local_servers()]


def _local_servers() -> Iterator[Found]:
    for known in PROVIDERS.values():
        if known.is_on_this_machine:
            yield from (Found(known.name, model) for model in models(known, known.address))


def claude_code(environ: Mapping[str, str]) -> Program | None:
    """Return where Claude Code really is, None where it is not installed."""
    path = environ.get("PATH") or os.defpath
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    places = [path, *(str(Path(home) / folder) for folder in _ITS_FOLDERS if home)]
    program = shutil.which("claude", path=os.pathsep.join(places))
    if program is None:
        return None
    node = shutil.which("node", path=path)
    return Program(os.path.realpath(program), os.path.realpath(node) if node else "")


def models(known: Known, address: str) -> list[str]:
    """Return the models that a server on this machine says it has; none where nothing answers there."""
    place = addresses.parse(address)
    if not place.is_local or place.scheme != "http":
        return []
    is_ollama = known.protocol is Protocol.OLLAMA
    path = place.text.partition("://")[2].partition("/")[2]
    asked = "/".join(filter(None, ("", path, "api/tags" if is_ollama else "models")))
    told = _told(place.host, place.port, f"/{asked.lstrip('/')}")
    listed = told.get("models" if is_ollama else "data") if isinstance(told, dict) else None
    names = [one.get("name" if is_ollama else "id") for one in listed or () if isinstance(one, dict)]
    return [name for name in names if isinstance(name, str) and consent.is_model(name)][:MOST_MODELS]


def _told(host: str, port: int, path: str) -> Any:
    """Return the JSON that this machine answers, None where it answers none; no proxy is asked."""
    connection = http.client.HTTPConnection(host, port, timeout=_SECONDS)
    with contextlib.closing(connection), contextlib.suppress(OSError, http.client.HTTPException, ValueError):
        connection.request("GET", path)
        answer = connection.getresponse()
        if answer.status == http.client.OK:
            return json.loads(answer.read(_LARGEST))
    return None
