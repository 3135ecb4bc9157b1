"""lint_fix: what has one mend is mended in one commit, by the person alone."""

from __future__ import annotations

import pytest

from brain.errors import HumanOnly, InvalidArgument, NotFound
from brain.services.linting import mending

NOTE = "wiki/nota.md"


@pytest.fixture
def kafka(ready):
    ready.write("wiki/Apache Kafka.md", "---\ntype: entity\n---\n\nFila.\n")
    return ready


def body(brain) -> str:
    return (brain.root / NOTE).read_text(encoding="utf-8").split("---\n", 2)[2]


def mendable(call, rule):
    return [one.line for one in call("lint", rules=[rule]).findings if one.mendable]


def test_a_link_with_one_near_name_gets_it_and_keeps_heading_and_label(kafka, person):
    kafka.write(NOTE, "---\ntype: concept\n---\n\nVer [[Apache Kafca#Uso|a fila]] e [[Outra coisa]].\n")
    assert mendable(person, "broken_link") == [5]
    answer = person("lint_fix", rule="broken_link", path=NOTE, line=5)
    assert "Ver [[wiki/Apache Kafka#Uso|a fila]] e [[Outra coisa]]." in body(kafka)
    assert answer.changed
    assert answer.commit == kafka.git("rev-parse", "HEAD").strip()


def test_a_name_becomes_a_link_as_it_is_written(kafka, person):
    kafka.write(NOTE, "---\ntype: concept\n---\n\n`apache kafka` é código; o APACHE KAFKA é uma fila.\n")
    person("lint_fix", rule="unlinked_mention", path=NOTE)
    assert "`apache kafka` é código; o [[APACHE KAFKA]] é uma fila." in body(kafka)
    assert mendable(person, "unlinked_mention") == []


def test_accents_before_and_in_a_name_do_not_move_the_brackets(ready, person):
    ready.write("wiki/Migração.md", "Passos.\n")
    ready.write(NOTE, "---\ntype: concept\n---\n\nAção à noite: a Migrac\u0327a\u0303o começa.\n")
    person("lint_fix", rule="unlinked_mention", path=NOTE)
    assert "a [[Migrac\u0327a\u0303o]] começa" in body(ready)


def test_the_mend_is_one_operation_that_can_be_undone(kafka, person):
    kafka.write(NOTE, "---\ntype: concept\n---\n\n[[Apache-Kafka]]\n\n[[ApacheKafka]]\n")
    done = person("lint_fix", rule="broken_link", path=NOTE)
    assert body(kafka).count("[[wiki/Apache Kafka]]") == 2
    person("undo", op=done.op)
    assert "[[Apache-Kafka]]" in body(kafka)


@pytest.mark.parametrize("target", ["Apache Kafka 2", "Kaf", "Apache"])
def test_a_link_without_a_near_name_is_left_alone(kafka, person, target):
    kafka.write(NOTE, f"---\ntype: concept\n---\n\n[[{target}]]\n")
    assert mendable(person, "broken_link") == []
    with pytest.raises(NotFound):
        person("lint_fix", rule="broken_link", path=NOTE)
    assert f"[[{target}]]" in body(kafka)


def test_two_near_names_are_a_choice_to_make(kafka, person):
    kafka.write("wiki/Apache Kafta.md", "Outra.\n")
    kafka.write(NOTE, "---\ntype: concept\n---\n\n[[Apache Kafca]]\n")
    assert mendable(person, "broken_link") == []


def test_a_number_is_never_taken_for_another():
    assert "versao3" not in mending.slips("versao2")
    assert "versao" not in mending.slips("versao2")


def test_an_agent_may_not(kafka, agent):
    kafka.write(NOTE, "---\ntype: concept\n---\n\n[[Apache Kafca]]\n")
    with pytest.raises(HumanOnly):
        agent("lint_fix", rule="broken_link", path=NOTE)
    assert "[[Apache Kafca]]" in body(kafka)


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"rule": "orphan_note", "path": NOTE}, InvalidArgument),
        ({"rule": "broken_link", "path": NOTE, "line": 0}, InvalidArgument),
        ({"rule": "broken_link", "path": "wiki/nada.md"}, NotFound),
    ],
)
def test_what_cannot_be_asked_is_an_error_of_the_table(kafka, person, arguments, error):
    with pytest.raises(error):
        person("lint_fix", **arguments)
