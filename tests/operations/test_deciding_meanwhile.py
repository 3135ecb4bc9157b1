"""The person answers on the Approvals page what their client is asking them: the client drops its question."""

from __future__ import annotations

from concurrent.futures import Future
from typing import Any

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp_types import Implementation

from mcpbridge.server import Bridge

ERAS = ["legacy", "2026-07-28"]
RULE = "memory/rules/portugues.md"
CREATE = {"path": RULE, "content": "Responda em português.", "frontmatter": {"type": "rule", "title": "Português"}}


def asked_meanwhile(era: str, decide: Any, *, then: str | None) -> tuple[Any, list[str]]:
    """Call write_page with a client that asks; `decide` is done while it does. None: it waits until it is told off."""
    ready: Future[Any] = Future()
    ready.set_result(None)
    bridge, happened = Bridge(profile="standard", ready=ready), []

    async def answer(_context, _params):
        happened.append("asked")
        await anyio.to_thread.run_sync(decide)
        if then is None:
            try:
                await anyio.sleep(60)
            except anyio.get_cancelled_exc_class():
                happened.append("told off")
                raise
        return types.ElicitResult(action=then, content={} if then == "accept" else None)

    async def talk():
        info = Implementation(name="claude-code", version="1")
        async with Client(bridge.server(), mode=era, client_info=info, elicitation_callback=answer) as client:
            with anyio.fail_after(30):
                return await client.call_tool("write_page", CREATE)

    try:
        return anyio.run(talk), happened
    finally:
        bridge.close()


def test_a_yes_on_the_page_does_it_and_the_client_drops_its_question(ready, person):
    def decide():
        (one,) = person("review").waiting
        person("review", id=one.id, accept=True)

    result, happened = asked_meanwhile("legacy", decide, then=None)
    said = result.structured_content
    assert (said["status"], said["confirmed_by"]) == ("approved", "user")
    assert happened == ["asked", "told off"]
    assert "approved_by: user" in ready.text(RULE)


def test_a_no_on_the_page_is_a_no_with_its_reason(ready, person):
    def decide():
        (one,) = person("review").waiting
        person("review", id=one.id, reject=True, reason="Agora não.")

    result, happened = asked_meanwhile("legacy", decide, then=None)
    said = result.structured_content
    assert (said["status"], said["reasons"]) == ("declined", ["Agora não."])
    assert happened == ["asked", "told off"]
    assert not (ready.root / RULE).exists()


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("then", ["accept", "decline", "cancel"])
def test_what_is_said_in_the_client_afterwards_changes_nothing(ready, person, era, then):
    def decide():
        (one,) = person("review").waiting
        person("review", id=one.id, accept=True)

    result, _happened = asked_meanwhile(era, decide, then=then)
    assert result.structured_content["status"] == "approved"
    assert ready.git("log", "--oneline", "--", RULE).count("\n") == 1


@pytest.mark.parametrize("era", ERAS)
def test_a_yes_in_the_client_after_a_no_on_the_page_writes_nothing(ready, person, era):
    def decide():
        (one,) = person("review").waiting
        person("review", id=one.id, reject=True)

    result, _happened = asked_meanwhile(era, decide, then="accept")
    assert result.structured_content["status"] == "declined"
    assert not (ready.root / RULE).exists()
