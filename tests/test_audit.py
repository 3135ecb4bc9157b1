from __future__ import annotations

import contextlib
import json
import sqlite3
import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from blake3 import blake3
from django.db import DatabaseError, connections, transaction

from brain.audit import chain
from brain.audit.chain import Head

pytestmark = pytest.mark.django_db(databases=["default", "audit"])
TRIGGERS = ("audit_row_no_update", "audit_row_no_delete", "audit_row_only_append")


def _run(statement: str, *values: object) -> list[tuple[object, ...]]:
    with connections["audit"].cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchall() if cursor.description else []


def _fill(rows: int = 6) -> list[Head]:
    return [
        chain.append("remember", actor="agent:claude-code", subject=f"OP{number}", detail={"n": number})
        for number in range(rows)
    ]


@pytest.fixture
def open_record() -> Callable[..., object]:
    """Run statements as somebody does who can write the file: without the triggers."""
    for name in TRIGGERS:
        _run(f"DROP TRIGGER {name}")
    return _run


def test_the_first_row_follows_genesis_and_each_row_the_one_before() -> None:
    heads = _fill(3)
    rows = _run("SELECT seq, prev, hash FROM audit_row ORDER BY seq")
    first = heads[0].seq
    assert rows == [
        (first, "genesis", heads[0].hash),
        (first + 1, heads[0].hash, heads[1].hash),
        (first + 2, heads[1].hash, heads[2].hash),
    ]


def test_the_hash_is_blake3_over_the_fields_joined_by_line_feeds() -> None:
    head = chain.append("login", actor="human", subject="web", detail={"b": [1, "é"], "a": None})
    ((ts, detail),) = _run("SELECT ts, detail FROM audit_row")
    assert detail == '{"a":null,"b":[1,"\\u00e9"]}'
    assert (
        head.hash == blake3("\n".join(["genesis", str(ts), "human", "login", "web", str(detail)]).encode()).hexdigest()
    )


def test_the_head_is_the_last_row_and_there_is_none_at_first() -> None:
    assert chain.head() is None
    assert chain.verify() == chain.Verdict(ok=True, rows=0)
    heads = _fill(2)
    assert chain.head() == heads[-1]


def test_an_anchor_is_read_back_from_its_text() -> None:
    (head,) = _fill(1)
    assert Head.parse(f" {head}\n") == head
    assert Head.parse("7:abc") is None
    assert Head.parse("") is None


def test_a_row_is_found_by_its_subject() -> None:
    _fill(3)
    assert chain.has("OP1")
    assert chain.has("OP1", action="remember")
    assert not chain.has("OP1", action="undo")
    assert not chain.has("OP9")
    plan = _run("EXPLAIN QUERY PLAN SELECT 1 FROM audit_row WHERE subject = 'OP1' LIMIT 1")
    assert "USING INDEX" in str(plan) or "USING COVERING INDEX" in str(plan)


def test_line_breaks_cannot_move_text_from_one_field_to_the_next() -> None:
    chain.append("undo\r\nx", actor="a\nb", subject="c\n\nd", detail={"text": "e\nf"})
    ((actor, action, subject, detail),) = _run("SELECT actor, action, subject, detail FROM audit_row")
    assert (actor, action, subject) == ("a b", "undo x", "c d")
    assert json.loads(str(detail)) == {"text": "e\nf"}
    assert chain.verify().ok


def test_a_name_that_is_no_valid_unicode_is_written_out() -> None:
    chain.append("sync", actor="human", subject="wiki/\udce9.md", detail={"path": "\udce9"})
    assert chain.verify().ok
    assert chain.has("wiki/\udce9.md")


@pytest.mark.parametrize("statement", [
    "UPDATE audit_row SET actor = 'outro'",
    "UPDATE audit_row SET seq = seq + 100",
    "DELETE FROM audit_row WHERE seq = (SELECT MAX(seq) FROM audit_row)",
    "INSERT OR REPLACE INTO audit_row SELECT seq, ts, 'outro', action, subject, detail, prev, hash FROM audit_row LIMIT 1",
    "INSERT INTO audit_row (ts, actor, action, subject, detail, prev, hash) VALUES ('t', 'a', 'b', 'c', '{}', 'genesis', 'h')",
])  # fmt: skip
def test_the_database_refuses_to_change_the_record(statement: str) -> None:
    _fill(3)
    before = _run("SELECT * FROM audit_row")
    with pytest.raises(DatabaseError, match="audit log"), transaction.atomic(using="audit"):
        _run(statement)
    assert _run("SELECT * FROM audit_row") == before
    assert chain.verify() == chain.Verdict(ok=True, rows=3)


@pytest.mark.parametrize("column", ["ts", "actor", "action", "subject", "detail", "prev", "hash"])
@pytest.mark.parametrize("place", [0, 2, 5])
def test_a_changed_field_is_found_and_named(column: str, place: int, open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record(f"UPDATE audit_row SET {column} = {column} || 'x' WHERE seq = %s", heads[place].seq)
    assert chain.verify() == chain.Verdict(ok=False, rows=6, first_bad=heads[place].seq)


def test_a_byte_that_is_no_text_any_more_is_found(open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record("UPDATE audit_row SET actor = CAST(x'61ff62' AS TEXT) WHERE seq = %s", heads[2].seq)
    assert chain.verify().first_bad == heads[2].seq


def test_text_moved_between_fields_is_found(open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record(
        "UPDATE audit_row SET actor = actor || char(10) || action, action = subject, subject = detail, detail = ''"
    )
    assert chain.verify().first_bad == heads[0].seq


def test_swapped_rows_are_found(open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record("UPDATE audit_row SET seq = -1 WHERE seq = %s", heads[2].seq)
    open_record("UPDATE audit_row SET seq = %s WHERE seq = %s", heads[2].seq, heads[3].seq)
    open_record("UPDATE audit_row SET seq = %s WHERE seq = -1", heads[3].seq)
    assert chain.verify().first_bad == heads[2].seq


@pytest.mark.parametrize("place", [0, 2])
def test_a_deleted_row_is_found(place: int, open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record("DELETE FROM audit_row WHERE seq = %s", heads[place].seq)
    assert chain.verify() == chain.Verdict(ok=False, rows=5, first_bad=heads[place].seq + 1)


def test_an_inserted_row_is_found(open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record("UPDATE audit_row SET seq = seq + 1 WHERE seq = %s", heads[-1].seq)
    open_record("INSERT INTO audit_row SELECT %s, ts, actor, action, subject, detail, prev, hash FROM audit_row WHERE seq = %s",
                heads[-1].seq, heads[1].seq)  # fmt: skip
    assert chain.verify().first_bad == heads[-1].seq


def test_a_cut_tail_is_found_as_long_as_the_counter_tells(open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record("DELETE FROM audit_row WHERE seq > %s", heads[3].seq)
    assert chain.verify() == chain.Verdict(ok=False, rows=4, first_bad=heads[4].seq)


def test_a_cut_tail_with_its_counter_set_back_is_found_by_an_anchor(open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record("DELETE FROM audit_row WHERE seq > %s", heads[3].seq)
    open_record("UPDATE sqlite_sequence SET seq = %s WHERE name = 'audit_row'", heads[3].seq)
    assert chain.verify().ok
    assert chain.verify([heads[3]]).ok
    assert chain.verify([heads[1], heads[5]]) == chain.Verdict(ok=False, rows=4, first_bad=heads[4].seq)


def test_a_chain_written_anew_is_found_by_an_anchor(open_record: Callable[..., object]) -> None:
    heads = _fill()
    open_record("DELETE FROM audit_row")
    open_record("UPDATE sqlite_sequence SET seq = %s WHERE name = 'audit_row'", heads[0].seq - 1)
    again = [chain.append("remember", actor="human", subject=f"OP{number}") for number in range(6)]
    assert [head.seq for head in again] == [head.seq for head in heads]
    assert chain.verify().ok
    assert chain.verify([heads[4]]).first_bad == heads[4].seq


def test_a_row_whose_transaction_failed_leaves_no_gap() -> None:
    (first,) = _fill(1)
    with pytest.raises(ValueError, match="later"), transaction.atomic(using="audit"):
        chain.append("remember", actor="human", subject="lost")
        raise ValueError("later")
    second = chain.append("remember", actor="human", subject="kept")
    assert second.seq == first.seq + 1
    assert chain.verify() == chain.Verdict(ok=True, rows=2)


def test_detail_that_json_cannot_hold_is_refused_before_anything_is_written() -> None:
    with pytest.raises(ValueError, match="JSON"):
        chain.append("remember", actor="human", subject="OP", detail={"n": float("nan")})
    assert chain.head() is None


@pytest.mark.django_db(databases=["default", "audit"], transaction=True)
def test_several_writers_make_one_chain(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "audit.db"
    _copy_schema(file)
    monkeypatch.setitem(connections.settings["audit"], "NAME", str(file))
    failures: list[BaseException] = []

    def write(name: int) -> None:
        try:
            for number in range(15):
                chain.append("remember", actor=f"agent:{name}", subject=f"OP{name}-{number}")
        except BaseException as error:  # noqa: BLE001 (shown by the test)
            failures.append(error)
        finally:
            connections["audit"].close()

    writers = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert failures == []
    with contextlib.closing(sqlite3.connect(file)) as record:
        assert record.execute("SELECT COUNT(*) FROM audit_row").fetchone() == (60,)
    assert _in_another_thread(chain.verify) == chain.Verdict(ok=True, rows=60)


def _copy_schema(file: Path) -> None:
    statements = [
        str(row[0])
        for row in _run(
            "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%%' ORDER BY rowid"
        )
    ]
    with sqlite3.connect(file) as made:
        for statement in statements:
            made.execute(statement)
    made.close()


def _in_another_thread(function: Callable[[], object]) -> object:
    """Return what a function returns where the connection is a new one, to the file that the settings name now."""
    answers: list[object] = []

    def work() -> None:
        try:
            answers.append(function())
        finally:
            connections["audit"].close()

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    return answers[0]


def test_a_record_that_cannot_be_read_is_not_whole(open_record: Callable[..., object]) -> None:
    _fill(2)
    open_record("ALTER TABLE audit_row RENAME COLUMN detail TO details")
    assert not chain.verify().ok
