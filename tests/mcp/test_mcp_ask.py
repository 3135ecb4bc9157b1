"""The tool `ask`: there where a person turned answers on and the brain allows it, told when it comes or goes."""

from __future__ import annotations

import json

import anyio
import pytest

from brain.caller import Caller, Kind, Surface
from brain.services.asking import permission
from llm import consent, folders
from mcpbridge import wire
from mcpbridge.answers import Answers


@pytest.fixture
def folder(own_home, monkeypatch):
    """The user's own folder of settings."""
    mine = own_home / "config" / "cabecao"
    monkeypatch.setattr(folders, "own", lambda: mine)
    folders.make(mine)
    return mine


def turn(folder, *, on):
    entry = consent.Entry("ollama", "fake-1", "http://localhost:11434")
    consent.save(folder, consent.Settings((entry,)), on=["ollama"] if on else [])


def test_it_is_there_while_answers_are_on(brain, folder):
    answers = Answers(brain.root)
    assert not answers.are_on()
    turn(folder, on=True)
    assert answers.are_on()
    turn(folder, on=False)
    assert not answers.are_on()


@pytest.mark.parametrize(
    ("policy", "is_there"),
    [({"allow": "none"}, False), ({"allow": "agent"}, False), ({"allow": "x"}, False), ({}, True)],
)
def test_the_brain_decides_too(brain, folder, policy, is_there):
    turn(folder, on=True)
    brain.write(".cabecao.json", json.dumps({"schema_version": 1, "llm_policy": policy}))
    assert Answers(brain.root).are_on() is is_there


def test_a_folder_that_the_environment_names_counts_for_no_agent(brain, folder, tmp_path, monkeypatch):
    other = tmp_path / "other"
    folders.make(other)
    turn(other, on=True)
    monkeypatch.setenv("CABECAO_CONFIG_DIR", str(other))
    assert not Answers(brain.root).are_on()
    for surface in (Surface.MCP, Surface.REST, Surface.CLI):
        refused = permission.given(Caller(Kind.AGENT, "codex-cli", surface))
        assert (refused.reason, refused.why) == ("not_configured", "redirected")
    in_browser = permission.given(Caller(Kind.HUMAN, "web", Surface.WEB))
    assert in_browser.why == "redirected"
    assert not isinstance(permission.given(Caller(Kind.HUMAN, "cli", Surface.CLI)), permission.Refusal)


def test_without_a_brain_or_alone_it_is_not_there(folder):
    turn(folder, on=True)
    assert not Answers(None).are_on()


def test_a_client_is_told_when_it_comes_and_goes(monkeypatch):
    monkeypatch.setattr(wire, "_LOOK_SECONDS", 0.01)
    told, looks = [], iter([False, False, True, True, False])

    class Line:
        async def tell_of_tools(self):
            told.append(True)

    async def run():
        ended = anyio.Event()

        class Bridge:
            def asks(self):
                now = next(looks, None)
                if now is None:
                    ended.set()
                return bool(now)

        with anyio.fail_after(20):
            await wire._tell_of_tools(Line(), Bridge(), ended)

    anyio.run(run)
    assert len(told) == 2


def test_nothing_is_told_before_the_session_has_begun():
    written = []

    class Pipes:
        def begin(self, line):
            written.append(json.loads(line))

    async def run():
        line = wire.Wire(Pipes(), None, answered=None)
        await line.tell_of_tools()
        assert written == []
        with anyio.fail_after(20):
            async with anyio.create_task_group() as tasks:
                tasks.start_soon(line.take, b'{"jsonrpc":"2.0","method":"notifications/initialized"}')
                await line.received.receive()
        await line.tell_of_tools()
        line.close()
        for stream in (line.received, line.replies, line._from_server):
            stream.close()

    anyio.run(run)
    assert [one["method"] for one in written] == ["notifications/tools/list_changed"]
