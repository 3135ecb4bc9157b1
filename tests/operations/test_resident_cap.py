"""What every agent is given has a cap: a write above it fails, whoever makes it, and nothing is cut at reading."""

from __future__ import annotations

import json

import pytest

from brain.errors import ResidentCapExceeded
from brain.note import tokens

FORTY = "Responda sempre em português claro, com frases curtas, e diga o que ficou por fazer no fim."
CAP = 100


@pytest.fixture
def capped(ready):
    """A brain that lets every agent be given a hundred tokens, and holds one rule of some thirty."""
    ready.write(".cabecao.json", json.dumps({"schema_version": 1, "rings": {"resident_cap_tokens": CAP}}))
    ready.commit()
    assert 20 < tokens.count(FORTY) < 40
    return ready


def rule(call, name: str, text: str = FORTY, **more):
    given = {"path": f"memory/rules/{name}.md", "content": text, "frontmatter": {"type": "rule", "title": name, **more}}
    return call("write_page", **given)


def fill(person) -> None:
    for name in ("um", "dois", "tres"):
        rule(person, name)


def test_a_rule_above_the_cap_is_refused_with_the_figures_and_the_others_are_given_whole(capped, person, agent):
    fill(person)
    with pytest.raises(ResidentCapExceeded) as refused:
        rule(person, "quatro")
    assert refused.value.details == {"tokens": 4 * tokens.count(FORTY), "cap": CAP}
    assert not (capped.root / "memory/rules/quatro.md").exists()
    briefing = agent("recall", task="x", budget_tokens=100)
    assert [one.content for one in briefing.rules] == [FORTY] * 3


def test_an_agent_is_told_before_anybody_is_asked(capped, person, agent):
    fill(person)
    with pytest.raises(ResidentCapExceeded):
        rule(agent, "quatro")
    with pytest.raises(ResidentCapExceeded):
        agent("propose", operation="write_page", reason="pediu",
              arguments={"path": "memory/rules/q.md", "content": FORTY, "frontmatter": {"type": "rule"}})  # fmt: skip
    assert person("review").waiting == []


def test_an_agents_preference_counts_once_the_person_takes_it_over(capped, person, agent):
    fill(person)
    agent("remember", content=FORTY, type="preference", title="Frases curtas")  # ring 2: no instruction yet
    (path,) = [one.path for one in agent("recall", task="x").preferences]
    with pytest.raises(ResidentCapExceeded):
        person("attest", path=path, yes=True)
    tables = "Prefere tabelas quando há mais de três itens para comparar, e listas simples nos outros casos todos."
    proposed = {"content": tables, "type": "preference", "title": "Tabelas"}
    identity = agent("propose", operation="remember", arguments=proposed, reason="x").proposal_id
    with pytest.raises(ResidentCapExceeded):
        person("review", id=identity, accept=True)
    assert [one.id for one in person("review").waiting] == [identity]


def test_what_makes_them_smaller_always_goes_also_above_the_cap(capped, person):
    fill(person)
    capped.write(".cabecao.json", json.dumps({"schema_version": 1, "rings": {"resident_cap_tokens": 5}}))
    capped.commit()
    person("patch_page", path="memory/rules/um.md", old=FORTY, new="Seja breve.")
    person("forget", id="memory/rules/dois.md", reason="não vale mais")
    with pytest.raises(ResidentCapExceeded):
        person("patch_page", path="memory/rules/um.md", old="Seja breve.", new="Seja mais breve.")


def test_what_an_undo_brings_back_counts_too(capped, person):
    fill(person)
    gone = person("forget", id="memory/rules/dois.md", reason="não vale mais").op
    rule(person, "quatro")
    with pytest.raises(ResidentCapExceeded):
        person("undo", op=gone)


@pytest.mark.parametrize(
    "more",
    [{"ring": 2}, {"trust": "low"}, {"valid_until": "2020-01-01"}, {"superseded_by": ["[[um]]"]}],
    ids=["lowered", "unverified", "expired", "superseded"],
)
def test_what_no_agent_is_given_takes_no_room(capped, person, more):
    fill(person)
    assert rule(person, "quatro", **more).changed


def test_other_notes_are_never_held_up(capped, person, agent):
    fill(person)
    long = {"path": "wiki/concepts/L.md", "content": FORTY * 40, "frontmatter": {"type": "concept"}}
    assert agent("write_page", **long).changed


def test_the_default_is_eight_thousand_tokens(ready, person):
    text = "a" * 3600  # a thousand approximate tokens
    for number in range(8):
        rule(person, f"r{number}", text)
    with pytest.raises(ResidentCapExceeded):
        rule(person, "r8", text)
