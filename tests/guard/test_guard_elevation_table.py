"""The table of elevation, whole: every operation on every target by every caller, held against what the rules say."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import pytest

from brain.caller import Caller, Kind, Surface
from brain.guard.elevation import Action, Verdict, decide, wants_proof

WRITES = ("remember", "write_page", "patch_page", "relate", "ingest", "handoff_save", "consolidate", "undo", "forget")
ADMINISTRATION = ("attest", "egress", "elevate", "embeddings", "llm", "retention", "review", "token")
AGENTS = tuple(Caller(Kind.AGENT, "claude-code", surface) for surface in Surface)
PEOPLE = tuple(Caller(Kind.HUMAN, "x", surface, proved=proved) for surface, proved in product(Surface, (True, False)))


@dataclass(frozen=True)
class Target:
    """A file, what is done to it, and what the rules say of it: of an agent, and whether a person's proof is due."""

    path: str
    verdict: Verdict
    weighs: bool = False
    note_type: str | None = "concept"
    before_type: str | None = None
    creates: bool = False
    trust: str | None = None
    ring: int | None = None
    changes_config: bool = False


ALLOWED, ASK, NEVER = Verdict.ALLOWED, Verdict.ASK, Verdict.NEVER
TARGETS = {
    "a new note": Target("wiki/concepts/a.md", ALLOWED, creates=True),
    "a note": Target("wiki/concepts/a.md", ALLOWED, before_type="concept"),
    "a memory": Target("memory/gotchas/a.md", ALLOWED, note_type="gotcha", before_type="gotcha"),
    "a new rule": Target("memory/rules/a.md", ASK, weighs=True, note_type="rule", creates=True),
    "a rule": Target("memory/rules/a.md", ASK, weighs=True, note_type="rule", before_type="rule"),
    "a rule elsewhere": Target("wiki/concepts/a.md", ASK, weighs=True, note_type="rule", creates=True),
    "something among the rules": Target("memory/rules/a.md", ASK, weighs=True, creates=True),
    "a rule that stops being one": Target("wiki/concepts/a.md", ASK, weighs=True, before_type="rule"),
    "a preference": Target("memory/preferences/a.md", ALLOWED, weighs=True, note_type="preference", creates=True),
    "AGENTS.md": Target("AGENTS.md", ASK, weighs=True, note_type=None),
    "the log": Target("log.md", ASK, weighs=True, note_type=None),
    "the settings": Target(".cabecao.json", ASK, weighs=True, note_type=None),
    "what may leave": Target(".cabecao.json", NEVER, weighs=True, note_type=None, changes_config=True),
    "an instruction file": Target("wiki/CLAUDE.md", ASK, weighs=True, creates=True),
    "new outside material": Target("raw/articles/a.md", ALLOWED, note_type="source", creates=True),
    "outside material": Target("raw/articles/a.md", ASK, note_type="source", before_type="source"),
    "high trust": Target("wiki/concepts/a.md", ASK, trust="high", creates=True),
    "medium trust": Target("wiki/concepts/a.md", ALLOWED, trust="medium", creates=True),
    "ring 0": Target("wiki/concepts/a.md", NEVER, weighs=True, ring=0, creates=True),
    "ring 1": Target("wiki/concepts/a.md", NEVER, weighs=True, ring=1, creates=True),
    "ring 3": Target("wiki/concepts/a.md", ALLOWED, ring=3, creates=True),
    "the catalogue": Target("index.md", NEVER, weighs=True, note_type=None),
    "a conflict copy": Target("wiki/a.conflict-maq-20261112-100000.md", NEVER),
}
HEAVIEST = (NEVER, ASK, ALLOWED)


def action_on(target: Target, operation: str, **more: bool) -> Action:
    return Action(
        operation,
        target.path,
        note_type=target.note_type,
        before_type=target.before_type,
        creates=target.creates,
        trust=target.trust,
        ring=target.ring,
        changes_config=target.changes_config,
        **more,
    )


def heavier(one: Verdict, other: Verdict) -> Verdict:
    return min(one, other, key=HEAVIEST.index)


@pytest.mark.parametrize(("name", "operation"), list(product(TARGETS, (*WRITES, *ADMINISTRATION))))
def test_of_an_agent(name: str, operation: str) -> None:
    target = TARGETS[name]
    own = NEVER if operation in ADMINISTRATION else ASK if operation == "forget" else ALLOWED
    for caller in AGENTS:
        decision = decide(action_on(target, operation), caller)
        assert decision.verdict is heavier(target.verdict, own)
        assert bool(decision.reasons) == (decision.verdict is not ALLOWED)


@pytest.mark.parametrize("marks", [{"undoes_person": True}, {"partial_id": True}])
@pytest.mark.parametrize("name", TARGETS)
def test_of_an_agents_undo_of_what_is_not_its_own_or_by_the_start_of_an_id(name: str, marks: dict) -> None:
    for caller in AGENTS:
        decision = decide(action_on(TARGETS[name], "undo", **marks), caller)
        assert decision.verdict is heavier(TARGETS[name].verdict, ASK)


@pytest.mark.parametrize(("name", "operation"), list(product(TARGETS, (*WRITES, *ADMINISTRATION))))
def test_of_a_person(name: str, operation: str) -> None:
    target = TARGETS[name]
    for caller in PEOPLE:
        action = action_on(target, operation)
        assert decide(action, caller).verdict is (NEVER if name == "the catalogue" else ALLOWED)
        assert bool(wants_proof(action, caller)) == (target.weighs and not caller.proved)


@pytest.mark.parametrize("name", TARGETS)
def test_no_agent_proves_anything(name: str) -> None:
    for caller in AGENTS:
        assert wants_proof(action_on(TARGETS[name], "write_page"), caller) == ()
