"""llm_policy in .cabecao.json: changed by the person in one commit, and by no agent on any way."""

from __future__ import annotations

import json

import pytest

from brain.caller import Caller, Kind, Surface
from brain.errors import Conflict, HumanOnly
from brain.guard.llm_policy import Allow, LlmPolicy
from brain.services.writes import llm_policy

PERSON = Caller(kind=Kind.HUMAN, client="cli", surface=Surface.CLI)
AGENT = Caller(kind=Kind.AGENT, client="claude-code", surface=Surface.MCP)
NONE = LlmPolicy(Allow.NONE)


def settings(brain) -> dict[str, object]:
    return json.loads(brain.text(".cabecao.json"))


def test_it_is_one_commit_that_keeps_the_other_settings(ready):
    ready.write(".cabecao.json", '{"schema_version": 1, "language": "pt-br"}')
    ready.commit()
    before = ready.git("rev-list", "--count", "HEAD")
    done = llm_policy.change(PERSON, NONE, shown=None)
    assert settings(ready) == {"schema_version": 1, "language": "pt-br", "llm_policy": {"allow": "none"}}
    assert int(ready.git("rev-list", "--count", "HEAD")) == int(before) + 1
    assert ".cabecao.json" in ready.git("show", "--name-only", "--format=", done.commit).split()
    llm_policy.change(PERSON, LlmPolicy(), shown={"allow": "none"})
    assert "llm_policy" not in settings(ready)


def test_one_that_changed_after_it_was_shown_is_left_alone(ready):
    ready.commit()
    llm_policy.change(PERSON, NONE, shown=None)
    with pytest.raises(Conflict):
        llm_policy.change(PERSON, LlmPolicy(), shown=None)
    assert settings(ready)["llm_policy"] == {"allow": "none"}


def test_an_agent_changes_it_neither_directly_nor_by_a_passage_nor_by_undoing(ready, agent):
    ready.commit()
    done = llm_policy.change(PERSON, NONE, shown=None)
    with pytest.raises(HumanOnly):
        llm_policy.change(AGENT, LlmPolicy(), shown={"allow": "none"})
    for name, given in (
        ("patch_page", {"path": ".cabecao.json", "old": '"none"', "new": '"any"'}),
        ("undo", {"op": done.op}),
    ):
        with pytest.raises(HumanOnly):
            agent(name, **given)
    assert settings(ready)["llm_policy"] == {"allow": "none"}
