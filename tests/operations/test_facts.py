"""facts: what was true of what, and when."""

from __future__ import annotations

from datetime import date

import pytest

from brain import clock

RABBIT, SQS = "memory/facts/rabbit.md", "memory/facts/sqs.md"
ULID = "01JZ5T9Q0V3XK8M2N4P6R8S0TW"


@pytest.fixture
def atlas(ready):
    ready.note("wiki/entities/Projeto Atlas.md", "Faturamento.", type="entity", aliases=["Atlas"], id=ULID)
    ready.note("wiki/entities/RabbitMQ.md", "Fila própria.", type="entity")
    common = {"type": "fact", "predicate": "uses_queue"}
    ready.note(RABBIT, "O Atlas usou RabbitMQ.", **common, subject="[[Projeto Atlas]]", object="[[RabbitMQ]]",
               valid_from="2026-01-14", valid_until="2026-05-03")  # fmt: skip
    ready.note(SQS, "O Atlas usa SQS.", **common, subject="Atlas", object="SQS", valid_from="2026-05-03",
               supersedes=["[[rabbit]]"])  # fmt: skip
    ready.note("memory/facts/prazo.md", "Fecha no dia 5.", type="fact", subject="[[Projeto Atlas]]",
               predicate="closes-on", object="dia 5")  # fmt: skip
    return ready


def found(answer):
    return {fact.path: fact for fact in answer.facts}


def test_each_fact_says_whether_it_holds_on_the_day(atlas, agent):
    past = found(agent("facts", subject="Projeto Atlas", predicate="uses_queue", as_of="2026-03-01"))
    assert (past[RABBIT].validity, past[SQS].validity) == ("current", "not_yet_valid")
    later = found(agent("facts", subject="Projeto Atlas", predicate="uses_queue", as_of="2026-05-03"))
    assert (later[RABBIT].validity, later[SQS].validity) == ("expired", "current")


def test_a_chain_is_seen_from_both_ends_whichever_fact_says_it(atlas, agent):
    facts = found(agent("facts"))
    assert facts[RABBIT].superseded_by == [SQS]
    assert facts[SQS].supersedes == [RABBIT]
    assert facts[RABBIT].superseded_on == "2026-05-03"
    assert facts[SQS].superseded_on is None


def test_what_replaced_a_fact_tells_when_where_the_fact_does_not(atlas, agent):
    atlas.note("memory/facts/a.md", "A.", type="fact", subject="X", predicate="p", object="1", superseded_by=["[[b]]"])
    atlas.note("memory/facts/b.md", "B.", type="fact", subject="X", predicate="p", object="2", valid_from="2026-02-01")
    assert found(agent("facts", subject="X"))["memory/facts/a.md"].superseded_on == "2026-02-01"


@pytest.mark.parametrize(
    "subject",
    ["Projeto Atlas", "projeto atlas", "[[Projeto Atlas]]", "Atlas", "wiki/entities/Projeto Atlas.md", ULID],
)
def test_a_subject_is_found_by_each_of_its_names_however_the_facts_write_it(atlas, agent, subject):
    answer = agent("facts", subject=subject)
    assert set(found(answer)) == {RABBIT, SQS, "memory/facts/prazo.md"}
    assert (answer.subject.query, answer.subject.path) == (subject, "wiki/entities/Projeto Atlas.md")


def test_an_object_is_a_note_or_a_value(atlas, agent):
    assert set(found(agent("facts", object="RabbitMQ"))) == {RABBIT}
    assert set(found(agent("facts", object="Dia 5"))) == {"memory/facts/prazo.md"}
    fact = found(agent("facts"))[RABBIT]
    assert (fact.object, fact.object_path) == ("RabbitMQ", "wiki/entities/RabbitMQ.md")
    assert (found(agent("facts"))[SQS].object, found(agent("facts"))[SQS].object_path) == ("SQS", None)


def test_the_parts_narrow_each_other(atlas, agent):
    assert set(found(agent("facts", subject="Atlas", object="SQS"))) == {SQS}
    assert agent("facts", subject="RabbitMQ", object="SQS").total == 0


def test_a_predicate_is_compared_without_case_and_kind_of_separator(atlas, agent):
    assert set(found(agent("facts", predicate="Closes on"))) == {"memory/facts/prazo.md"}
    assert agent("facts", predicate="closes").total == 0


def test_archived_facts_and_notes_that_are_no_facts_are_left_out(atlas, agent):
    atlas.note("memory/_archive/f.md", "Velho.", type="fact", subject="Atlas", predicate="p", object="1")
    atlas.note("memory/gotchas/g.md", "Não é fato.", type="gotcha", subject="Atlas", predicate="p", object="1")
    atlas.note("memory/facts/sem.md", "Sem partes.", type="fact")
    assert set(found(agent("facts"))) == {RABBIT, SQS, "memory/facts/prazo.md"}


def test_an_archived_note_is_no_subject_any_more(atlas, agent):
    atlas.note("memory/_archive/Kafka.md", "Velha.", type="entity")
    atlas.note("memory/facts/k.md", "K.", type="fact", subject="[[Kafka]]", predicate="p", object="1")
    fact = found(agent("facts", subject="Kafka"))["memory/facts/k.md"]
    assert fact.subject_path is None


def test_the_order_is_that_of_subject_predicate_and_time(atlas, agent):
    atlas.note("memory/facts/z.md", "Z.", type="fact", subject="Projeto Atlas", predicate="uses_queue", object="Pombo",
               valid_from="2020-01-01")  # fmt: skip
    paths = [fact.path for fact in agent("facts", subject="Atlas", predicate="uses_queue").facts]
    assert paths.index("memory/facts/z.md") < paths.index(RABBIT)
    assert paths == [fact.path for fact in agent("facts", subject="Atlas", predicate="uses_queue").facts]


def test_a_limit_cuts_and_the_total_stays(atlas, agent):
    answer = agent("facts", limit=1)
    assert (len(answer.facts), answer.total, answer.truncated) == (1, 3, True)
    assert "2" in answer.next_step


def test_a_long_text_is_an_excerpt(atlas, agent):
    atlas.note("memory/facts/longo.md", "palavra " * 200, type="fact", subject="L", predicate="p", object="1")
    fact = found(agent("facts", subject="L"))["memory/facts/longo.md"]
    assert fact.content_kind == "excerpt"
    assert len(fact.content) < 320


def test_nothing_found_explains_itself_and_names_the_nearest_subject(atlas, agent):
    assert "Projeto Atlas" in agent("facts", subject="Projeto Atlante").next_step
    assert agent("facts", predicate="come").next_step


@pytest.mark.parametrize("arguments", [{"limit": 0}, {"limit": 201}, {"as_of": "2026-13-01"}, {"subject": " "}])
def test_arguments_outside_their_bounds_are_refused(atlas, agent, refuses, arguments):
    refuses("invalid_argument", agent, "facts", **arguments)


@pytest.fixture
def changing(atlas, agent, monkeypatch):
    """A fact that another one is to replace in ten days."""
    monkeypatch.setattr(clock, "today", lambda: date(2026, 6, 1))
    agent("remember", content="O plantão da semana é da Helena.", type="fact", subject="Projeto Atlas",
          predicate="on_call", object="Helena")  # fmt: skip
    done = agent("remember", content="O plantão da semana passa ao Bruno.", type="fact", subject="Projeto Atlas",
                 predicate="on_call", object="Bruno", valid_from="2026-06-11")  # fmt: skip
    assert done.decision == "superseded"
    return done.superseded.path, done.path


def test_a_fact_holds_until_the_day_on_which_another_takes_its_place(changing, agent, monkeypatch):
    old, new = changing
    facts = found(agent("facts", predicate="on_call"))
    assert (facts[old].validity, facts[new].validity) == ("current", "not_yet_valid")
    assert (facts[old].valid_until, facts[old].superseded_on) == ("2026-06-11", "2026-06-11")
    assert {one.path for one in agent("recall", task="plantão").memories} >= {old}
    assert new not in {one.path for one in agent("recall", task="plantão").memories}

    monkeypatch.setattr(clock, "today", lambda: date(2026, 6, 11))
    facts = found(agent("facts", predicate="on_call"))
    assert (facts[old].validity, facts[new].validity) == ("expired", "current")
    assert old not in {one.path for one in agent("recall", task="plantão").memories}
    assert new in {one.path for one in agent("recall", task="plantão").memories}


def test_a_fact_that_will_be_replaced_counts_whole_in_search_until_then(changing, person, monkeypatch):
    old, _new = changing
    (hit,) = [one for one in person("search", query="plantão Helena", explain=True).hits if one.path == old]
    assert hit.explanation.past is None

    monkeypatch.setattr(clock, "today", lambda: date(2026, 6, 11))
    (hit,) = [one for one in person("search", query="plantão Helena", explain=True).hits if one.path == old]
    assert hit.explanation.past == "expired"


def test_a_memory_replaced_from_a_later_day_on_holds_until_then_too(ready, agent, monkeypatch):
    monkeypatch.setattr(clock, "today", lambda: date(2026, 6, 1))
    old = agent("remember", content="As reuniões da equipe são às terças, no fim da tarde.", type="decision")
    new = agent("remember", content="Encontros às quintas.", type="decision", valid_from="2026-07-01",
                resolution=f"supersede:{old.id}")  # fmt: skip

    assert new.decision == "superseded"
    assert "valid_until: 2026-07-01" in ready.text(old.path)
    assert old.path in {one.path for one in agent("recall", task="reuniões").memories}
