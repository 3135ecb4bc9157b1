"""search: whether its hits contradict each other, whom it asks that, and what it says where it could not be told."""

from __future__ import annotations

import json
import sys
import threading

import pytest
from answering import Answers
from calling import calling

from brain import language
from brain.caller import Caller, Kind, Surface
from cabecao_site.cli import render_asking
from cabecao_site.cli.terminal import Terminal
from llm import caps, folders, switch
from llm.consent import Entry
from llm.failure import Code, Failure
from llm.limits import Limits

QUERY = "fila Corvina"
DECISION = "memory/decisions/fila.md"
EPISODE = "memory/episodes/2026/05/fila.md"
LOWER = "A fila Corvina guarda cada mensagem por sete dias inteiros."
UPPER = "A fila Corvina guarda cada mensagem por trinta dias inteiros."


@pytest.fixture
def answers(ready, tmp_path, monkeypatch):
    on = Answers(tmp_path / "settings")
    on.folder.mkdir()
    (on.folder / folders.SETTINGS).write_text("{}")
    monkeypatch.setenv("CABECAO_CONFIG_DIR", str(on.folder))
    monkeypatch.setattr(switch, "enabled", on.enabled)
    monkeypatch.setattr(switch, "consented", on.consented)
    on.says(pairs())
    return on


@pytest.fixture
def in_english():
    language.configure("en")
    yield
    language.configure(None)


@pytest.fixture
def both(ready):
    ready.note(DECISION, LOWER, type="decision", title="Fila decidida")
    ready.note(EPISODE, UPPER, type="episode", title="Fila contada")
    ready.commit()
    return ready


def pairs(*named):
    return json.dumps({"pairs": [{"a": one, "b": other} for one, other in named]})


def configure(brain, **more):
    brain.write(".cabecao.json", json.dumps({"schema_version": 1, **more}))


def by_path(said):
    return {hit.path: hit for hit in said.hits}


def test_of_two_rings_the_lower_one_prevails(both, answers, agent):
    answers.says(pairs(("S2", "S1")))
    said = agent("search", query=QUERY)
    decided, told = (by_path(said)[path].citation for path in (DECISION, EPISODE))
    assert (decided[:3], told[:3]) == ("r2-", "r3-")
    assert said.contradiction_check == "done"
    assert [one.model_dump() for one in said.contradictions] == [{"citations": [decided, told], "prevails": decided}]
    assert said.warnings == []
    assert LOWER in answers.model.sent
    assert UPPER in answers.model.sent
    assert "Fila contada" in answers.model.sent


def test_the_person_reads_which_hits_contradict_each_other(both, answers, capsys, in_english):
    answers.says(pairs(("S1", "S2")))
    said = calling(Caller(Kind.HUMAN, "cli", Surface.CLI))("search", query=QUERY)
    render_asking.contradictions(said, Terminal())
    decided, told = said.contradictions[0].citations
    lines = " ".join(capsys.readouterr().out.split())
    assert f"Fila decidida ({decided}) and Fila contada ({told}) contradict each other; the first" in lines
    said.contradictions[0].prevails = None
    render_asking.contradictions(said, Terminal())
    assert "for you to settle" in " ".join(capsys.readouterr().out.split())


def test_within_one_ring_nobody_prevails(both, answers, agent):
    both.note("memory/gotchas/fila.md", "A fila Corvina perde toda mensagem.", type="gotcha", title="Fila perde")
    found = by_path(agent("search", query=QUERY))
    labels = {path: f"S{place}" for place, path in enumerate(found, 1)}
    answers.says(pairs((labels[DECISION], labels["memory/gotchas/fila.md"])))
    (one,) = agent("search", query=QUERY).contradictions
    assert one.prevails is None
    assert set(one.citations) == {found[DECISION].citation, found["memory/gotchas/fila.md"].citation}


def test_hits_of_one_ring_are_not_asked_about(ready, answers, agent):
    ready.note(DECISION, LOWER, type="decision")
    ready.note("memory/gotchas/fila.md", UPPER, type="gotcha")
    said = agent("search", query=QUERY)
    assert len(said.hits) == 2
    assert (said.contradiction_check, answers.model.asked) == ("not_needed", [])


def test_what_no_longer_holds_contradicts_nothing(both, answers, agent):
    both.note(EPISODE, UPPER, type="episode", valid_until="2020-01-01")
    assert agent("search", query=QUERY).contradiction_check == "not_needed"
    assert answers.model.asked == []
    assert agent("search", query=QUERY, as_of="2019-12-31").contradiction_check == "done"


@pytest.mark.parametrize(
    "entry",
    [
        Entry("openai", "gpt-6-luna", "https://api.openai.com/v1"),
        Entry("ollama", "gpt-oss:20b-cloud", "http://localhost:11434"),
        Entry("compatible", "one", "https://models.example.org/v1"),
    ],
)
def test_a_provider_elsewhere_is_never_asked(both, answers, agent, entry):
    answers.entry = entry
    said = agent("search", query=QUERY)
    assert (said.contradiction_check, said.warnings, answers.model.asked) == ("off", [], [])


def test_nothing_is_asked_where_answers_are_off_or_the_brain_lets_nobody_have_its_notes(both, answers, agent):
    configure(both, llm_policy={"allow": "none"})
    assert agent("search", query=QUERY).contradiction_check == "off"
    configure(both, llm_policy={"allow": "agent"})
    assert agent("search", query=QUERY).contradiction_check == "off"
    configure(both)
    answers.is_on = False
    assert agent("search", query=QUERY).contradiction_check == "off"
    assert answers.model.asked == []


def test_what_may_not_leave_is_not_compared(both, answers, agent):
    configure(both, llm_policy={"exclude_types": ["episode"]})
    assert agent("search", query=QUERY).contradiction_check == "not_needed"
    configure(both)
    both.note(EPISODE, UPPER, type="episode", private=True)
    assert agent("search", query=QUERY).contradiction_check == "not_needed"
    assert answers.model.asked == []


def test_a_private_name_is_not_sent(both, answers, agent):
    both.note("memory/gotchas/zarabatana.md", "Nada.", type="gotcha", title="Zarabatana azul", private=True)
    both.note(EPISODE, f"{UPPER} Diz a Zarabatana azul.", type="episode")
    assert agent("search", query=QUERY).contradiction_check == "done"
    assert "arabatana" not in answers.model.sent


def test_over_the_time_the_hits_come_with_a_caveat(both, answers, agent):
    answers.says(pairs(("S1", "S2")))
    answers.model.stream = waiting
    configure(both, retrieval={"contradiction_budget_ms": 50})
    said = agent("search", query=QUERY)
    assert len(said.hits) == 2
    assert (said.contradiction_check, said.contradictions) == ("unfinished", [])
    assert [one.code for one in said.warnings] == ["contradictions_unchecked"]
    assert "50" in said.warnings[0].message


def waiting(_request, attempts):
    """Stand for a model that says nothing before its time is over."""
    over = threading.Event()
    with attempts.watched(over.set):
        over.wait()
    attempts.check()
    yield from ()


@pytest.mark.parametrize(
    "said",
    [
        "",
        "none that I can see",
        "{",
        '{"pairs": 7}',
        '{"pairs": [1]}',
        '{"pairs": [{"a": 1, "b": 2}]}',
        '{"pairs": [{"a": "first", "b": "second"}]}',
        "[" * 5000,
        Failure(Code.OFFLINE),
        Failure(Code.MALFORMED),
    ],
)
def test_what_cannot_be_read_is_a_caveat(both, answers, agent, said):
    answers.says(said)
    found = agent("search", query=QUERY)
    assert len(found.hits) == 2
    assert (found.contradiction_check, found.contradictions) == ("unfinished", [])
    assert [one.code for one in found.warnings] == ["contradictions_unchecked"]


@pytest.mark.parametrize("named", [("S1", "S1"), ("S1", "S9"), ("S0", "S2"), ("S-1", "S2")])
def test_a_passage_that_was_not_sent_is_no_contradiction(both, answers, agent, named):
    answers.says(pairs(named))
    said = agent("search", query=QUERY)
    assert (said.contradiction_check, said.contradictions) == ("done", [])
    assert "contradictions" not in said.model_dump()


def test_both_sides_of_a_contradiction_are_among_the_hits(both, answers, agent):
    for path in (DECISION, EPISODE):
        both.note(path, " ".join([LOWER] * 60), type=path.split("/")[1].removesuffix("s"))
    answers.says(pairs(("S1", "S2")))
    said = agent("search", query=QUERY, budget_tokens=500)
    shown = {hit.citation for hit in said.hits}
    assert all(shown.issuperset(one.citations) for one in said.contradictions)


def test_caps_of_questions_neither_count_it_nor_stop_it(both, answers, agent):
    answers.limits = Limits(max_calls_per_hour=0, max_calls_per_session=0)
    assert agent("search", query=QUERY).contradiction_check == "done"
    assert caps.used_in_hour(answers.folder) == 0


def test_the_page_of_search_asks_nothing(both, answers, person):
    assert person("search", query=QUERY).contradiction_check == "off"
    assert answers.model.asked == []


def test_without_settings_nothing_of_providers_is_looked_up(both, answers, monkeypatch):
    (answers.folder / folders.SETTINGS).unlink()
    monkeypatch.setitem(sys.modules, "brain.services.asking.comparing", None)
    ask = calling(Caller(Kind.HUMAN, "cli", Surface.CLI))
    assert ask("search", query=QUERY).contradiction_check == "off"
