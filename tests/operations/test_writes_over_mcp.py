"""The errors of the operations that write, as an MCP client gets them; the brain is then as before."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import anyio
import pytest
from calling import SECRETS
from mcp.client.client import Client
from mcp_types import Implementation

from mcpbridge.server import Bridge

PATH = "wiki/concepts/Lote.md"


def over_mcp(*steps: tuple[str, dict[str, Any]] | Callable[[], Any]) -> list[Any]:
    """Return the raw results of tool calls over one connection; what is not a call is done between them."""
    brain_is_ready: Future[Any] = Future()
    brain_is_ready.set_result(None)
    bridge = Bridge(profile="standard", ready=brain_is_ready)

    async def talk() -> list[Any]:
        known = Implementation(name="Claude Code", version="1")
        async with Client(bridge.server(), client_info=known) as client:
            results = []
            for step in steps:
                if callable(step):
                    step()
                else:
                    results.append(await client.call_tool(*step))
            return results

    try:
        return anyio.run(talk)
    finally:
        bridge.close()


def code_of(result: Any) -> str | None:
    return json.loads(result.content[0].text)["error"]["code"] if result.is_error else None


PATCH = {"path": PATH, "old": "Dez", "new": "Onze"}
RELATE = {"from": "Lote", "to": "SQS", "type": "uses"}
REFUSED = [
    ("patch_not_found", "patch_page", {**PATCH, "old": "Doze"}),
    ("ambiguous_patch", "patch_page", {**PATCH, "old": "z"}),
    ("not_found", "patch_page", {**PATCH, "path": "wiki/concepts/Nada.md"}),
    ("not_found", "patch_page", {**PATCH, "section": "Nada"}),
    ("invalid_argument", "patch_page", {**PATCH, "old": ""}),
    ("invalid_path", "patch_page", {**PATCH, "path": "index.md"}),
    ("unsafe_path", "patch_page", {**PATCH, "path": "../Lote.md"}),
    ("invalid_note", "patch_page", {**PATCH, "path": "wiki/concepts/Torta.md"}),
    ("secret_detected", "patch_page", {**PATCH, "new": SECRETS["aws"]}),
    ("not_found", "relate", {**RELATE, "to": "Kafka"}),
    ("not_found", "relate", {**RELATE, "from": "Kafka"}),
    ("invalid_argument", "relate", {**RELATE, "type": "gosta_de"}),
    ("invalid_argument", "relate", {**RELATE, "to": "Lote"}),
    ("invalid_note", "relate", {**RELATE, "from": "Torta"}),
    ("invalid_argument", "handoff_save", {"next": ["Seguir"]}),
    ("invalid_argument", "handoff_save", {"session_handle": "s", "decisions": ["Só isto"]}),
    ("secret_detected", "handoff_save", {"session_handle": "s", "next": [SECRETS["aws"]]}),
    ("secret_detected", "relate", {**RELATE, "to": SECRETS["aws"]}),
]


@pytest.mark.parametrize(("code", "name", "arguments"), REFUSED)
def test_a_refusal_has_its_code_and_changes_nothing(ready, unchanged, code, name, arguments):
    ready.note(PATH, "Dez por vez.", type="concept")
    ready.note("wiki/entities/SQS.md", "Fila.", type="entity")
    ready.write("wiki/concepts/Torta.md", "---\ntitle: a: b: c\n---\nDez\n")
    ready.commit()
    with unchanged():
        (result,) = over_mcp((name, arguments))
    assert code_of(result) == code


def test_a_note_that_changed_since_it_was_read_is_a_conflict(ready):
    ready.note(PATH, "Dez por vez.", type="concept")
    ready.commit()
    edited = ready.text(PATH).replace("Dez", "Doze")

    results = over_mcp(("read", {"path": PATH}), lambda: ready.write(PATH, edited), ("patch_page", PATCH))
    assert [code_of(one) for one in results] == [None, "conflict"]
    assert ready.text(PATH) == edited
