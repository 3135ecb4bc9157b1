"""The answer to `initialize`, given before the protocol library is imported.

Standard library only. It answers what is beyond doubt; any other opening waits for the library. The library gets the
same request afterwards and its own answer is dropped; a test holds that the two are equal.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from brain import __version__
from mcpbridge import instructions

NAME: Final = "cabecao"
TITLE: Final = "Cabeção"
VERSIONS: Final = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
# What the server does: `ask` comes and goes while it runs, no other list changes, nothing is subscribed to.
CAPABILITIES: Final[dict[str, dict[str, bool]]] = {
    "prompts": {"listChanged": False},
    "resources": {"subscribe": False, "listChanged": False},
    "tools": {"listChanged": True},
}

# A type, {key: shape} of an object whose other keys are free, or (shape,) of an object's values or a list's items.
Shape = Any
_OBJECTS: Final[Shape] = {"": (dict,)}
_PARAMS: Final[Shape] = {
    "protocolVersion": str,
    "capabilities": {
        "experimental": _OBJECTS,
        "extensions": _OBJECTS,
        "roots": {"listChanged": bool},
        "sampling": {"context": dict, "tools": dict},
        "elicitation": {"form": dict, "url": dict},
    },
    "clientInfo": {
        "name": str,
        "version": str,
        "title": str,
        "description": str,
        "websiteUrl": str,
        "icons": [{"src": str, "mimeType": str, "sizes": [str]}],
    },
}


@dataclass(frozen=True)
class Answer:
    """An answer to `initialize`, and the id of the request."""

    id: int | str
    line: bytes


def answer(line: bytes, profile: str, *, asks: bool = False) -> Answer | None:
    """Return the answer to a first line, None where it is no plain `initialize`."""
    try:
        request = json.loads(line.decode("utf-8"))
    except (ValueError, RecursionError):
        return None
    if not _is_initialize(request):
        return None
    reply = {
        "jsonrpc": "2.0",
        "id": request["id"],
        "result": result(request["params"]["protocolVersion"], profile, asks=asks),
    }
    return Answer(request["id"], json.dumps(reply, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def result(asked: str, profile: str, *, asks: bool = False) -> dict[str, Any]:
    """Return what `initialize` results in when a protocol version is asked for."""
    return {
        "protocolVersion": asked if asked in VERSIONS else VERSIONS[-1],
        "capabilities": CAPABILITIES,
        "serverInfo": {"name": NAME, "title": TITLE, "version": __version__},
        "instructions": instructions.text(profile, asks=asks),
    }


def _is_initialize(request: Any) -> bool:
    if not isinstance(request, dict) or set(request) != {"jsonrpc", "id", "method", "params"}:
        return False
    number, params = request["id"], request["params"]
    if request["jsonrpc"] != "2.0" or request["method"] != "initialize":
        return False
    if type(number) not in {int, str} or len(str(number)) > 64:
        return False
    return _fits(params, _PARAMS) and _is_whole(params)


def _is_whole(params: dict[str, Any]) -> bool:
    client = params.get("clientInfo", {})
    parts = {"protocolVersion", "capabilities", "clientInfo"}
    return parts <= params.keys() and "_meta" not in params and {"name", "version"} <= client.keys() and _plain(params)


def _plain(params: dict[str, Any]) -> bool:
    capabilities = params["capabilities"]
    icons = params["clientInfo"].get("icons", [])
    return "tasks" not in capabilities and all("src" in icon and "theme" not in icon for icon in icons)


def _fits(value: Any, shape: Shape) -> bool:
    if isinstance(shape, type):
        return type(value) is shape
    if isinstance(shape, list):
        return type(value) is list and all(_fits(item, shape[0]) for item in value)
    if type(value) is not dict:
        return False
    if "" in shape:
        return all(_fits(item, shape[""][0]) for item in value.values())
    return all(_fits(value[key], inner) for key, inner in shape.items() if key in value)
