"""The three surfaces that a program asks on: each takes an operation and arguments, and gives back the answer's JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from typing import Any

import anyio
import pytest
from django.test import Client as Browser
from mcp.client.client import Client
from mcp_types import Implementation

import brain.caller
from brain.caller import Caller, Kind, Surface
from cabecao_site.cli import run
from cabecao_site.cli.__main__ import main
from mcpbridge.server import Bridge

HOST = "cabecao.localhost:8765"
EXITS = {"invalid_argument": 2, "confirmation_required": 3, "human_only": 4, "rule_requires_human": 4}
STATUSES = {
    **dict.fromkeys(("invalid_argument", "invalid_path", "unsafe_path"), 400),
    **dict.fromkeys(("human_only", "rule_requires_human"), 403),
    "not_found": 404,
    **dict.fromkeys(("conflict", "already_exists", "already_undone", "nothing_to_undo", "ambiguous_patch"), 409),
    **dict.fromkeys(("patch_not_found", "confirmation_required", "repository_busy", "resident_cap_exceeded"), 409),
    **dict.fromkeys(("invalid_note", "secret_detected"), 422),
    "locked": 423,
    "disk_full": 507,
}
Said = dict[str, Any]
Ask = Callable[[str, Mapping[str, Any]], Said]


def over_mcp(name: str, arguments: Mapping[str, Any]) -> Said:
    """Call a tool in this process; an error comes as `error`, and has no structured content."""
    brain_is_ready: Future[Any] = Future()
    brain_is_ready.set_result(None)
    bridge = Bridge(profile="full", ready=brain_is_ready)

    async def talk() -> Any:
        async with Client(bridge.server(), client_info=Implementation(name="Script", version="1")) as client:
            return await client.call_tool(name, dict(arguments))

    try:
        result = anyio.run(talk)
    finally:
        bridge.close()
    if not result.is_error:
        return dict(result.structured_content)
    assert result.structured_content is None
    return {"error": json.loads(result.content[0].text)["error"]}


def rest(settings: Any, patch: pytest.MonkeyPatch) -> Ask:
    """Return what posts to the API as a program; the status must be that of the error's code."""
    from brain.access import launch

    patch.setenv("DJANGO_ALLOW_ASYNC_UNSAFE", "true")
    settings.MIDDLEWARE = [name for name in settings.MIDDLEWARE if not name.startswith("servestatic.")]
    browser = Browser(enforce_csrf_checks=True, headers={"host": HOST}, raise_request_exception=False)
    assert browser.get("/enter", {"c": launch.create()}).status_code == 302
    found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', browser.get("/settings").content.decode())
    assert found
    program = Caller(Kind.AGENT, "script", Surface.REST, connection="token")
    patch.setattr("brain.web.person.caller", lambda _request: program)

    def call(name: str, arguments: Mapping[str, Any]) -> Said:
        given = {"content_type": "application/json", "headers": {"X-CSRFToken": found[1]}}
        answer = browser.post(f"/api/{name.replace('_', '-')}", json.dumps(dict(arguments)), **given)
        said = dict(answer.json())
        assert answer.status_code == (STATUSES.get(said["error"]["code"], 500) if "error" in said else 200)
        return said

    return call


def command_line(root: Any, patch: pytest.MonkeyPatch, captured: pytest.CaptureFixture[str]) -> Ask:
    """Return what runs a command as a program; the exit code must be that of the error's code."""
    program = Caller(Kind.AGENT, "script", Surface.CLI)
    patch.setattr(brain.caller, "of_command_line", lambda: program)
    patch.setattr(run, "keep_log", lambda *_given, **_named: None)
    patch.setenv("CABECAO_LANG", "en")
    patch.setenv("CABECAO_BRAIN", str(root))

    def call(name: str, arguments: Mapping[str, Any]) -> Said:
        words = [word for field, value in arguments.items() for word in _words(field, value)]
        code = main([name.replace("_", "-"), "--json", *words])
        said = dict(json.loads(captured.readouterr().out))
        assert code == (EXITS.get(said["error"]["code"], 1) if "error" in said else 0)
        return said

    return call


def _words(field: str, value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    typed = [json.dumps(one) if isinstance(one, dict) else str(one) for one in values]
    return [f"--{field.replace('_', '-')}={one}" for one in typed]
