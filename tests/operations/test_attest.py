"""attest: rules and preferences count once the person has vouched for their very text, on this machine."""

from __future__ import annotations

import hashlib

import pytest
from calling import calling

from brain import config
from brain.audit.models import Row
from brain.caller import Caller, Kind, Surface
from brain.errors import Conflict, HumanOnly, InvalidArgument, NotFound

RULE = "memory/rules/quente.md"
PREFERENCE = "memory/preferences/curto.md"


@pytest.fixture
def by_hand(ready):
    """A rule and a preference that were written in an editor."""
    ready.note(RULE, "Sirva sempre quente.", type="rule", title="Quente")
    ready.note(PREFERENCE, "Respostas curtas.", type="preference", title="Curto")
    ready.commit()
    return ready


def rules(call) -> list[str]:
    return [one.path for one in call("recall", task="servir o jantar").rules]


def waiting(call) -> list[str]:
    return [one.path for one in call("attest").residents]


def digest(path: str) -> str:
    return hashlib.sha256((config.here().root / path).read_bytes()).hexdigest()


def test_without_a_yes_the_texts_are_shown_whole_and_nothing_counts(by_hand, person, agent):
    shown = person("attest")
    assert [(one.path, one.content) for one in shown.residents] == [
        (RULE, "Sirva sempre quente."),
        (PREFERENCE, "Respostas curtas."),
    ]
    assert shown.attested == 0
    assert rules(agent) == []


def test_with_a_yes_they_count_until_another_hand_changes_them(by_hand, person, agent):
    assert person("attest", yes=True).attested == 2
    assert rules(agent) == [RULE]
    assert waiting(person) == []
    file = by_hand.root / RULE
    file.write_text(file.read_text(encoding="utf-8").replace("quente.", "frio."), encoding="utf-8")
    assert rules(agent) == []
    assert waiting(person) == [RULE]


def test_one_is_vouched_for_by_its_path_or_its_id(ready, person):
    ready.note(RULE, "Um.", type="rule", id="01KR2K2ER8WSC66YEXP487Q72D")
    ready.note("memory/rules/outra.md", "Dois.", type="rule")
    person("attest", path="01KR2K2ER8WSC66YEXP487Q72D", yes=True)
    assert waiting(person) == ["memory/rules/outra.md"]
    person("attest", path="memory/rules/outra.md", yes=True)
    assert waiting(person) == []
    assert person("attest", path=RULE, yes=True).attested == 0


def test_each_text_leaves_a_row_in_the_audit_log(by_hand, person):
    person("attest", yes=True)
    rows = Row.objects.using("audit").filter(action="attest").values_list("actor", "subject")
    assert sorted(rows) == [("human", PREFERENCE), ("human", RULE)]


def test_a_text_that_is_no_longer_the_one_shown_is_not_vouched_for(by_hand, person, agent):
    with pytest.raises(Conflict):
        person("attest", path=RULE, yes=True, digest="0" * 64)
    assert rules(agent) == []
    assert person("attest", path=RULE, yes=True, digest=digest(RULE)).attested == 1


def test_an_agent_may_not_even_look(by_hand, agent, refuses):
    refuses("human_only", agent, "attest")
    refuses("human_only", agent, "attest", yes=True)


def test_in_a_browser_the_proof_must_be_fresh(by_hand, agent):
    late = calling(Caller(Kind.HUMAN, "web", Surface.WEB, connection="x", proved=False))
    assert len(late("attest").residents) == 2
    with pytest.raises(HumanOnly) as raised:
        late("attest", yes=True)
    assert raised.value.details == {"proof": "due"}
    assert rules(agent) == []


def test_what_could_not_hold_does_not_wait(ready, person):
    ready.note("memory/rules/velha.md", "Um.", type="rule", expires_at="2020-01-01")
    ready.note("memory/rules/duvidosa.md", "Dois.", type="rule", trust="low")
    ready.note("raw/articles/regra.md", "Três.", type="rule")
    ready.note("wiki/concepts/nota.md", "Quatro.", type="concept")
    assert waiting(person) == []


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"path": "memory/rules/nada.md"}, NotFound),
        ({"path": "wiki/concepts/nota.md"}, InvalidArgument),
        ({"digest": "0" * 64}, InvalidArgument),
    ],
)
def test_what_cannot_be_asked_is_an_error_of_the_table(by_hand, person, arguments, error):
    by_hand.note("wiki/concepts/nota.md", "Quatro.", type="concept")
    with pytest.raises(error):
        person("attest", **arguments)


def test_what_hides_in_a_text_is_written_out(ready, person):
    ready.note(RULE, "Sirva\u202e sempre\u200b quente.", type="rule")
    assert person("attest").residents[0].content == "Sirva\\u202e sempre\\u200b quente."
