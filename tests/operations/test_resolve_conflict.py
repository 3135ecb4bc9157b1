"""resolve_conflict: two texts that a sync kept become one, by the person's hand, and nothing is lost."""

from __future__ import annotations

import pytest
from calling import calling

from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError
from brain.services import shown

NOTE = "wiki/concepts/Fila.md"
COPY = "wiki/concepts/Fila.conflict-escritorio-20260503-101500.md"
ID = "01JZ0000000000000000000001"


@pytest.fixture
def two(ready):
    ready.note(NOTE, "Dez por vez.\n\nTrinta, lá.\n\nFim.", id=ID, type="concept", title="Fila", tags=["lá"])
    ready.note(COPY, "Dez por vez.\n\nVinte, aqui.\n\nFim.", id=ID, type="concept", title="Fila", aliases=["Queue"])
    ready.commit()
    return ready


def digests(brain):
    return {"base": shown.digest((brain.root / NOTE).read_bytes()),
            "copy_base": shown.digest((brain.root / COPY).read_bytes())}  # fmt: skip


@pytest.mark.parametrize(
    ("keep", "has", "lacks"),
    [
        ("note", ["Trinta, lá."], ["Vinte, aqui."]),
        ("copy", ["Vinte, aqui."], ["Trinta, lá."]),
        ("both", ["Trinta, lá.", "Vinte, aqui.", 'tags: ["lá"]', "Queue"], []),
    ],
)
def test_one_commit_keeps_what_was_chosen_and_undo_brings_both_back(two, person, keep, has, lacks):
    before = {path: two.text(path) for path in (NOTE, COPY)}
    count = int(two.git("rev-list", "--count", "HEAD"))
    done = person("resolve_conflict", path=COPY, keep=keep, **digests(two))
    text = two.text(NOTE)

    assert [one for one in has if one not in text] == []
    assert [one for one in lacks if one in text] == []
    assert text.count("Dez por vez.") == text.count("Fim.") == 1
    assert not (two.root / COPY).exists()
    assert int(two.git("rev-list", "--count", "HEAD")) == count + 1
    assert done.path == NOTE
    assert person("status").conflicts == []

    person("undo", op=done.op)
    assert {path: two.text(path) for path in (NOTE, COPY)} == before


def test_a_text_of_the_persons_own_takes_the_place_of_both(two, person):
    text = two.text(NOTE).replace("Trinta, lá.", "Vinte e cinco.")
    person("resolve_conflict", path=COPY, keep="text", text=text, **digests(two))
    assert "Vinte e cinco." in two.text(NOTE)
    assert not (two.root / COPY).exists()


def test_a_text_without_its_choice_is_refused(two, person, refuses):
    refuses("invalid_argument", person, "resolve_conflict", path=COPY, keep="text")
    refuses("invalid_argument", person, "resolve_conflict", path=COPY, keep="both", text="x")


@pytest.mark.parametrize("moved", [NOTE, COPY])
def test_a_decision_over_a_version_that_moved_changes_nothing(two, person, refuses, moved):
    seen = digests(two)
    two.write(moved, two.text(moved).replace("Fim.", "Fim, depois."))
    refuses("conflict", person, "resolve_conflict", path=COPY, keep="copy", **seen)


def test_a_copy_whose_note_is_gone_becomes_the_note_again(two, person, refuses):
    seen, text = digests(two), two.text(COPY)
    (two.root / NOTE).unlink()
    refuses("conflict", person, "resolve_conflict", path=COPY, keep="copy", **seen)
    person("resolve_conflict", path=COPY, keep="copy", base="none", copy_base=seen["copy_base"])
    assert two.text(NOTE) == text
    assert not (two.root / COPY).exists()


def test_a_copy_follows_its_note_to_where_it_was_moved(two, person):
    (two.root / NOTE).rename(two.root / "wiki/concepts/Filas.md")
    person("resolve_conflict", path=COPY, keep="copy")
    assert "Vinte, aqui." in two.text("wiki/concepts/Filas.md")
    assert not (two.root / NOTE).exists()


def test_what_is_no_copy_or_is_settled_is_told(two, person, refuses):
    refuses("invalid_argument", person, "resolve_conflict", path=NOTE, keep="note")
    person("resolve_conflict", path=COPY, keep="note")
    refuses("not_found", person, "resolve_conflict", path=COPY, keep="note")


def test_a_rule_wants_the_persons_fresh_proof(ready, person):
    rule, copy = "memory/rules/curto.md", "memory/rules/curto.conflict-casa-20260503-101500.md"
    ready.note(rule, "Responda curto.", type="rule", title="Curto")
    ready.note(copy, "Responda longo.", type="rule", title="Curto")
    ready.commit()
    stale = calling(Caller(Kind.HUMAN, "web", Surface.WEB, connection="old", proved=False))
    with pytest.raises(BrainError) as refused:
        stale("resolve_conflict", path=copy, keep="copy")
    assert refused.value.details["proof"] == "due"
    assert "curto" in ready.text(rule)


def test_an_agent_settles_nothing_and_does_not_undo_it(two, person, agent, refuses):
    refuses("human_only", agent, "resolve_conflict", path=COPY, keep="note")
    refuses("invalid_path", agent, "write_page", path=COPY, content="x", mode="overwrite")
    done = person("resolve_conflict", path=COPY, keep="note")
    with pytest.raises(BrainError):
        agent("undo", op=done.op)
    assert not (two.root / COPY).exists()


def test_a_secret_in_the_text_of_the_persons_own_is_refused(two, person, refuses):
    key = "AKIA" + "QYLPMN5HFIQR7XYA"
    text = two.text(NOTE).replace("Fim.", key)
    refuses("secret_detected", person, "resolve_conflict", path=COPY, keep="text", text=text)


def test_lines_that_one_side_alone_changed_count_when_both_are_kept(tmp_path, ready):
    from brain.services.editing import conflicts

    base = b"---\ntype: concept\n---\n\nUm.\n\nDois.\n\nTres.\n"
    note, copy = base.replace(b"Um.", "Um, lá.".encode()), base.replace(b"Tres.", "Três, aqui.".encode())
    joined = conflicts.joined(note, copy, base)
    assert "Um, lá." in joined
    assert "Três, aqui." in joined
    assert "Um.\n" not in joined
    assert "Tres." not in joined


def test_the_person_of_the_command_line_settles_too(two):
    from brain import operations

    caller = Caller(Kind.HUMAN, "cli", Surface.CLI)
    operations.dispatch("resolve_conflict", caller, {"path": COPY, "keep": "both"})
    assert "Vinte, aqui." in two.text(NOTE)
