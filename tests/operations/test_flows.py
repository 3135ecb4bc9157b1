"""Each flow gone through over MCP by a client that does only what the last `next_step` says."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass, field
from typing import Any

import anyio
import pytest
from mcp.client.client import Client
from mcp_types import Implementation

from brain import language, operations
from mcpbridge import prompts, tools
from mcpbridge.server import Bridge

RULE = "Nunca publique na sexta-feira à noite."
NAMED = re.compile(r"(\w+)\(\{ (.*?) \}\)")


@dataclass
class Agent:
    """A client that keeps what it was told last."""

    client: Client
    said: dict[str, Any] = field(default_factory=dict)

    async def call(self, name: str, **arguments: Any) -> dict[str, Any]:
        result = await self.client.call_tool(name, arguments)
        if result.is_error:
            self.said = json.loads(result.content[0].text)["error"]
        else:
            self.said = dict(result.structured_content)
        return self.said

    @property
    def step(self) -> str:
        return self.said["next_step"]

    async def confirm(self, name: str, **arguments: Any) -> dict[str, Any]:
        """Call what asks first, then once more with the token, as its next_step says."""
        first = await self.call(name, **arguments)
        assert first["status"] == "confirmation_required"
        assert f"call {name} again with the same arguments and confirm_token" in self.step
        return await self.call(name, **arguments, confirm_token=first["confirm_token"])

    async def as_told(self, **more: Any) -> tuple[str, dict[str, Any]]:
        """Return the call that the last next_step names, with its arguments."""
        found = NAMED.search(self.step)
        assert found, self.step
        told = re.sub(r"(\w+):", r'"\1":', found[2].replace("“", '"').replace("”", '"'))
        return found[1], {**json.loads("{" + told + "}"), **more}


@pytest.fixture(autouse=True)
def in_english() -> Iterator[None]:
    language.configure("en")  # for the threads that work for a client too
    yield
    language.configure(None)


@pytest.fixture
def flow(ready) -> Callable[[Callable[[Agent], Awaitable[None]]], None]:
    brain_is_ready: Future[Any] = Future()
    brain_is_ready.set_result(None)

    def run(script: Callable[[Agent], Awaitable[None]]) -> None:
        bridge = Bridge(profile="full", ready=brain_is_ready)

        async def talk() -> None:
            info = Implementation(name="claude-code", version="1")
            async with Client(bridge.server(), client_info=info) as client:
                with anyio.fail_after(60):
                    await script(Agent(client))

        try:
            anyio.run(talk)
        finally:
            bridge.close()

    return run


def test_a_rule_is_asked_for_saved_given_and_undone(flow):
    async def script(agent: Agent) -> None:
        handle = (await agent.call("recall", task="publicar"))["session_handle"]
        assert "session_handle" in agent.step
        await agent.confirm("remember", content=RULE, type="rule", session_handle=handle)
        assert agent.said["decision"] == "created"
        name, given = await agent.as_told(session_handle=handle)
        assert [one["content"] for one in (await agent.call("recall", task="publicar"))["rules"]] == [RULE]
        await agent.confirm(name, **given)
        assert (await agent.call("recall", task="publicar"))["rules"] == []

    flow(script)


def test_what_the_user_should_decide_later_is_left_looked_at_and_taken_back(flow):
    async def script(agent: Agent) -> None:
        given = {"content": RULE, "type": "rule"}
        first = await agent.call("remember", **given)
        assert "propose" in first["proposal_hint"]
        await agent.call("propose", operation="remember", arguments=given, reason="o usuário pediu")
        identity = agent.said["proposal_id"]
        assert "go on without it" in agent.step
        await agent.call("review")
        assert "by its id" in agent.step
        assert [one["id"] for one in agent.said["waiting"]] == [identity]
        await agent.call("review", id=identity)
        assert "The user decides" in agent.step
        assert "--accept" not in agent.step
        name, told = await agent.as_told()
        await agent.call(name, **told)
        assert agent.said["decided"] == "withdrawn"
        assert "propose" in agent.step

    flow(script)


def test_a_client_sees_no_proposal_of_another(flow, other_agent):
    given = {"content": RULE, "type": "rule"}
    identity = other_agent("propose", operation="remember", arguments=given, reason="x").proposal_id

    async def script(agent: Agent) -> None:
        await agent.call("review", id=identity)
        assert agent.said["code"] == "not_found"
        assert "review without an id" in agent.step
        assert (await agent.call("review"))["waiting"] == []

    flow(script)


def test_a_note_is_archived_and_brought_back(flow, ready):
    ready.note("wiki/concepts/Fila.md", "Texto.", type="concept", id="01KPTMDA406MCFZVF48S027CR0")
    ready.commit()

    async def script(agent: Agent) -> None:
        given = {"id": "wiki/concepts/Fila.md", "reason": "duplicada"}
        await agent.confirm("forget", **given)
        assert agent.said["status"] == "archived"
        name, told = await agent.as_told()
        archived = agent.said["archived_path"]
        await agent.call("forget", id=archived, reason="duplicada")
        assert "nothing to do" in agent.step
        assert "undo" in agent.step
        await agent.call(name, **told)
        assert (await agent.call("read", path="wiki/concepts/Fila.md"))["archived"] is False
        await agent.call("undo", op=told["op"])
        assert agent.said["code"] == "already_undone"

    flow(script)


def test_a_stale_passage_is_read_again_and_replaced(flow, ready):
    path = "wiki/concepts/Fila.md"
    ready.note(path, "Dez por vez.", type="concept")
    ready.commit()

    async def script(agent: Agent) -> None:
        await agent.call("read", path=path)
        ready.write(path, ready.text(path).replace("Dez", "Vinte"))
        await agent.call("patch_page", path=path, old="Dez por vez", new="Onze por vez")
        assert agent.said["code"] == "conflict"
        assert "Read it again" in agent.step
        text = (await agent.call("read", path=path))["note"]["content"]
        await agent.call("patch_page", path=path, old=text, new="Vinte e um por vez.")
        assert agent.said["changed"]
        await agent.call("patch_page", path=path, old="e", new="E")
        assert "longer passage" in agent.step
        name, told = "write_page", {"path": path, "content": "x", "mode": "create", "frontmatter": {"type": "concept"}}
        await agent.call(name, **told)
        assert agent.said["code"] == "already_exists"
        assert "append" in agent.step
        await agent.call("write_page", path=path, content="Mais.", mode="append")
        assert agent.said["changed"]

    flow(script)


def test_a_memory_like_another_is_compared_and_resolved(flow):
    async def script(agent: Agent) -> None:
        text = "Os consumidores leem em lotes de {} mensagens por chamada, com espera longa de vinte segundos."
        await agent.call("remember", content=text.format(10), type="procedure")
        given = {"content": text.format(25), "type": "procedure"}
        await agent.call("remember", **given)
        assert agent.said["decision"] == "needs_resolution"
        (candidate,) = agent.said["candidates"]
        assert "supersede:<id>" in agent.step
        await agent.call("remember", **given, resolution="supersede:01KPTMDA406MCFZVF48S027CR0")
        assert "candidates" in agent.step
        await agent.call("remember", **given, resolution=f"supersede:{candidate['id']}")
        assert agent.said["decision"] == "superseded"
        name, told = await agent.as_told()
        await agent.call(name, **told)
        assert agent.said["undone"]

    flow(script)


def test_the_plan_of_a_source_is_followed_to_its_end(flow, ready):
    ready.note("wiki/entities/SQS.md", "Fila.", type="entity", id="01KPTMDA406MCFZVF48S027CR0", title="SQS")
    ready.commit()

    async def script(agent: Agent) -> None:
        await agent.call("ingest", path="raw/articles/nada.md")
        assert "as content, with a title" in agent.step
        await agent.call("ingest", content="O SQS cobra por pedido.", title="Custos", source="https://example.org/x")
        assert "plan.steps" in agent.step
        plan = agent.said["plan"]
        read, make, update, save, _rule = plan["steps"]
        name, told = NAMED.search(read).groups()
        path = told.split("“")[1].split("”")[0]
        assert (await agent.call(name, path=path))["note"]["trust"] == "low"
        assert "write_page (mode “create”)" in make
        await agent.call("write_page", mode="create", content="Cobra por pedido.", **plan["create"])
        assert agent.said["changed"], agent.said
        (note,) = plan["update"]
        assert "patch_page" in update
        await agent.call("read", path=note["path"])
        await agent.call("write_page", path=note["path"], content="Cobra por pedido.", mode="append")
        assert agent.said["changed"]
        link = re.search(r"“(\[\[raw/.*?\]\])”", save)[1]
        await agent.call("remember", content="O SQS cobra por pedido feito.", type="gotcha", sources=[link])
        assert agent.said["decision"] == "created"

    flow(script)


def test_half_an_operations_id_asks_first(flow):
    async def script(agent: Agent) -> None:
        await agent.call("remember", content="A impressora quer papel fosco.", type="gotcha")
        op = agent.said["op"]
        await agent.confirm("undo", op=op[:12])
        assert [one["op"] for one in agent.said["undone"]] == [op]
        name, told = await agent.as_told()
        await agent.call(name, **told)
        assert agent.said["undone"]

    flow(script)


@pytest.mark.parametrize("profile", ["core", "standard", "full"])
def test_a_prompt_calls_tools_that_its_client_has(profile):
    known = {one.name for one in operations.OPERATIONS}
    given = {one["name"] for one in prompts.listed(profile)}
    assert given == (set() if profile == "core" else {one.name for one in prompts.PROMPTS})
    for prompt in prompts.PROMPTS:
        called = {name for name in re.findall(r"`(\w+)`", prompt.script) if name in known}
        assert called <= prompt.tools
        assert prompt.tools <= tools.names("standard")
        if prompt.name not in given:
            with pytest.raises(Exception, match="no prompt"):
                prompts.get(prompt.name, {}, profile)
