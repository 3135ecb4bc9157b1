"""forget: a note leaves every reader in the same operation, stays in Git, and undo brings it back."""

from __future__ import annotations

import pytest
from test_confirming import asks, confirmed, fields, token_of

from brain.errors import BrainError

PATH = "memory/gotchas/fax.md"
ID = "01KR2K2ER8WSC66YEXP487Q72D"
FORGET = {"id": PATH, "reason": "não existe mais fax"}


@pytest.fixture
def fax(ready):
    ready.note(PATH, "O fax da recepção atende no ramal antigo.", type="gotcha", title="Fax", id=ID, origin="human")
    ready.commit()
    return PATH


def test_the_first_call_says_which_note_and_changes_nothing(agent, fax):
    asked = asks(agent, "forget", id=ID, reason="não existe mais fax").details
    assert asked["note"] == {
        "id": ID, "path": PATH, "title": "Fax", "type": "gotcha", "scope": "global", "trust": "medium",
        "origin": "human",
    }  # fmt: skip
    for part in (PATH, "memory/_archive/gotchas/fax.md", "não existe mais fax", "gotcha", "Fax"):
        assert part in asked["summary"]


def test_confirmed_it_leaves_every_reader_and_undo_brings_back_every_byte(ready, agent, fax):
    ready.note("wiki/entities/Atlas.md", "Projeto. Veja [[Fax]].", type="entity")
    fact = {"subject": "[[Atlas]]", "predicate": "uses", "object": "Fax"}
    ready.note("memory/facts/f.md", "O Atlas usa fax.", type="fact", **fact)
    ready.commit()
    before = (ready.root / PATH).read_bytes()
    done = confirmed(agent, "forget", **FORGET)
    assert (done.status, done.confirmed_by) == ("archived", "token")
    assert done.archived_path == "memory/_archive/gotchas/fax.md"
    assert not (ready.root / PATH).exists()
    assert fields(ready, done.archived_path)["forget_reason"] == "não existe mais fax"
    assert "Cabecao-Approved: token" in ready.git("log", "-1", "--format=%B")
    assert agent("search", query="recepção").hits == []
    assert PATH not in agent("recall", task="ligar o fax da recepção").model_dump_json()
    assert PATH not in agent("graph", node="Atlas").model_dump_json()
    assert agent("read", path=done.archived_path).archived
    fact = confirmed(agent, "forget", id="memory/facts/f.md", reason="engano")
    assert agent("facts", subject="Atlas").facts == []
    agent("undo", op=fact.op)
    assert [one.path for one in agent("facts", subject="Atlas").facts] == ["memory/facts/f.md"]
    agent("undo", op=done.op)
    assert (ready.root / PATH).read_bytes() == before
    assert [hit.path for hit in agent("search", query="recepção").hits] == [PATH]
    assert not (ready.root / done.archived_path).exists()
    assert ready.git("status", "--porcelain") == ""


def test_a_person_archives_at_once(ready, person, fax):
    done = person("forget", **FORGET)
    assert (done.status, done.confirmed_by) == ("archived", None)
    marks = fields(ready, done.archived_path)
    assert not {"approved_by", "edited_by"} & marks.keys()


@pytest.mark.parametrize("reason", ["a" * 501, "uma linha\noutra", "uma\rlinha", "", "  ", "x\u202ey"])
def test_the_reason_is_one_line_of_at_most_500_characters(agent, fax, refuses, reason):
    refuses("invalid_argument", agent, "forget", id=PATH, reason=reason)


@pytest.mark.parametrize(
    ("code", "name"),
    [
        ("not_found", "01ARZ3NDEKTSV4RRFFQ69G5FAV"),
        ("not_found", "memory/gotchas/nada.md"),
        ("not_found", "memory/gotchas"),
        ("not_found", "fax"),
        ("not_found", "memory/gotchas/fa.md"),
        ("unsafe_path", "../fora.md"),
        ("unsafe_path", ".git/config"),
        ("invalid_path", "AGENTS.md"),
        ("invalid_path", "log.md"),
        ("invalid_path", "memory/x.conflict-maq-20261112-100000.md"),
    ],
)
def test_only_a_note_can_be_archived(ready, agent, refuses, code, name):
    for path in ("AGENTS.md", "log.md", "memory/x.conflict-maq-20261112-100000.md"):
        ready.write(path, "Texto.\n")
    ready.commit()
    refuses(code, agent, "forget", id=name, reason="engano")


def test_an_archived_note_is_not_archived_again_and_keeps_its_place(ready, agent, fax, refuses):
    first = confirmed(agent, "forget", **FORGET)
    refuses("invalid_argument", agent, "forget", id=first.archived_path, reason="de novo")
    ready.note(PATH, "Outro fax.", type="gotcha")
    ready.commit()
    second = confirmed(agent, "forget", **FORGET)
    assert second.archived_path == "memory/_archive/gotchas/fax-2.md"
    assert "Outro fax." in ready.text(second.archived_path)
    assert "ramal antigo" in ready.text(first.archived_path)


def test_the_reason_and_the_note_bind_the_token(ready, agent, fax, refuses):
    token = token_of(agent, "forget", **FORGET)
    refuses("invalid_argument", agent, "forget", id=PATH, reason="outro motivo", confirm_token=token)
    ready.write(PATH, ready.text(PATH).replace("antigo", "novo"))
    refuses("invalid_argument", agent, "forget", **FORGET, confirm_token=token)


def test_a_secret_in_the_reason_is_refused_and_one_in_the_note_is_no_obstacle(ready, agent, refuses):
    key = "AK" + "IA" + "Q3EGT7XLMN2PRV5Z"
    ready.note(PATH, f"Chave {key}", type="gotcha")
    ready.commit()
    error = refuses("secret_detected", agent, "forget", id=PATH, reason=f"tem {key}")
    assert key not in str(error.as_dict())
    assert confirmed(agent, "forget", id=PATH, reason="tem uma chave").status == "archived"


def test_a_note_whose_block_cannot_be_read_goes_as_it_is(ready, agent):
    broken = "---\ntitle: a: b: c\n---\ncorpo\n"
    ready.write(PATH, broken)
    ready.commit()
    done = confirmed(agent, "forget", **FORGET)
    assert ready.text(done.archived_path) == broken
    assert "reason_not_kept" in {one.code for one in done.warnings}


def test_a_rule_that_comes_back_is_still_the_persons_word(ready, agent, person):
    rule = person("remember", content="Responda em português.", type="rule")
    done = person("forget", id=rule.path, reason="por um dia")
    assert agent("recall", task="x").rules == []
    with pytest.raises(BrainError):
        agent("undo", op=done.op)
    confirmed(agent, "undo", op=done.op)
    assert [one.path for one in agent("recall", task="x").rules] == [rule.path]
