"""What a client can read without a tool: how the brain is organised, the catalogue of its notes, and each note."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Final
from urllib.parse import unquote

from brain import config, operations
from brain.caller import Caller
from brain.errors import InvalidArgument, NotFound
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.store import files

SCHEMA: Final = "cabecao://schema"
INDEX: Final = "cabecao://index"
PAGE: Final = "cabecao://page/"
_MARKDOWN: Final = "text/markdown"
_JSON: Final = "application/json"
_GUIDE: Final = "AGENTS.md"


def listed() -> list[dict[str, Any]]:
    """Return the resources that have an address of their own."""
    rows = (
        (SCHEMA, "schema", N_("How the brain is organised (its AGENTS.md).")),
        (INDEX, "index", N_("The catalogue of all notes.")),
    )
    return [{"uri": uri, "name": name, "description": _(doc), "mimeType": _MARKDOWN} for uri, name, doc in rows]


def templates() -> list[dict[str, Any]]:
    """Return the pattern of the addresses of notes."""
    doc = _("A note as JSON, the same as the tool read returns.")
    return [{"uriTemplate": PAGE + "{+path}", "name": "page", "description": doc, "mimeType": _JSON}]


def read(uri: str, caller: Caller) -> dict[str, Any]:
    """Return a resource's content; a BrainError where there is none."""
    fixed: dict[str, Callable[[], str]] = {SCHEMA: _guide, INDEX: _catalogue}
    if uri in fixed:
        return _content(uri, fixed[uri](), _MARKDOWN)
    if uri.startswith(PAGE):
        return _content(uri, _page(uri.removeprefix(PAGE), caller), _JSON)
    raise NotFound(_("There is no resource “%(uri)s”.") % {"uri": uri[:200]})


def _content(uri: str, text: str, kind: str) -> dict[str, Any]:
    return {"contents": [{"uri": uri, "mimeType": kind, "text": text}]}


def _guide() -> str:
    content = files.read(config.here().root, _GUIDE)
    if content is None:
        raise NotFound(_("The brain has no %(file)s.") % {"file": _GUIDE})
    return content.decode("utf-8", "replace").removeprefix("\ufeff")


def _catalogue() -> str:
    text: str = import_module("brain.services.reads.catalogue").text()
    return text


def _page(encoded: str, caller: Caller) -> str:
    try:
        path = unquote(encoded, errors="strict")
    except UnicodeDecodeError:
        raise InvalidArgument(_("The address is not valid UTF-8 once its percent signs are read.")) from None
    return operations.dispatch("read", caller, {"path": path}).model_dump_json(by_alias=True)
