"""The index is a cache: deleted, ruined or of another version, it is made again, and no note is touched."""

from __future__ import annotations

import hashlib
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from brain.index import database, fulltext, notes, operations, refresh, schema, sqlite_file
from brain.index.fulltext import Query
from brain.index.intake import building


def found(word: str = "tatu") -> list[tuple[str, float]]:
    refresh.catch_up(seconds=60)
    return [(one.path, one.score) for one in fulltext.search(Query(word, limit=50)).found]


def files(root: Path) -> dict[str, str]:
    return {str(one): hashlib.sha256(one.read_bytes()).hexdigest() for one in sorted((root / "wiki").rglob("*.md"))}


@pytest.fixture
def filled(brain):
    for number in range(40):
        brain.note(f"wiki/{number}.md", f"O tatu {'tatu ' * (number % 7)} número {number}. " + "Texto corrido. " * 200)
    refresh.catch_up(seconds=60)
    return brain


def test_a_deleted_index_is_made_again_and_answers_the_same(filled):
    before, notes_before = found(), files(filled.root)
    for one in (filled.root / ".cabecao").glob("index.db*"):
        one.unlink()
    assert found() == before
    assert files(filled.root) == notes_before


@pytest.mark.parametrize("ruin", [b"isto nao e um banco" * 100, b"", b"\0" * 100_000])
def test_a_file_that_is_no_database_is_replaced(filled, ruin):
    before = found()
    database.close()
    for one in (filled.root / ".cabecao").glob("index.db-*"):
        one.unlink()
    database.file().write_bytes(ruin)
    assert found() == before


@pytest.mark.parametrize("place", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_zeros_in_the_middle_are_noticed_at_the_start(filled, place):
    before, notes_before = found(), files(filled.root)
    database.close()
    refresh.stop()
    schema._found_sound.clear()
    with sqlite3.connect(database.file()) as checkpointed:
        checkpointed.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    checkpointed.close()
    ruined = bytearray(database.file().read_bytes())
    middle = int(len(ruined) * place) // 4096 * 4096
    ruined[middle : middle + 4096] = bytes(4096)
    database.file().write_bytes(ruined)
    assert found() == before
    assert sqlite_file.is_sound(database.file())
    assert files(filled.root) == notes_before


def test_damage_that_a_query_meets_is_mended_and_the_query_answered(filled):
    before = found()
    with database.connected().cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    ruined = bytearray(database.file().read_bytes())
    ruined[4096:] = b"\xff" * (len(ruined) - 4096)
    with database.file().open("r+b") as stream:
        stream.write(ruined)
    assert [(one.path, one.score) for one in fulltext.search(Query("tatu", limit=50)).found] == before


def test_an_index_of_another_version_is_built_again(filled):
    before = found()
    with database.writing() as cursor:
        cursor.execute("UPDATE meta SET value = '0' WHERE key = 'version'")
        cursor.execute("DELETE FROM note")
    database.close()
    assert found() == before


def test_a_rebuild_answers_the_same_and_keeps_what_is_known_of_operations(filled):
    operations.record("A", commit="c1", session="s", client="x", kind="agent", subject="one")
    before = found()
    steps: list[tuple[int, int]] = []
    schema.rebuild(lambda done, total: steps.append((done, total)))
    assert steps[-1] == (40, 40)
    assert found() == before
    assert (operations.head(), operations.by_op("A").subject) == ("c1", "one")
    assert list((filled.root / ".cabecao").glob("index.db.*")) == []


def test_another_connection_reads_on_while_the_index_is_rebuilt(filled):
    before = found()
    answers: list[object] = []
    ready, go = threading.Event(), threading.Event()

    def read() -> None:
        answers.append(notes.count())
        ready.set()
        go.wait(30)
        answers.append([(one.path, one.score) for one in fulltext.search(Query("tatu", limit=50)).found])
        database.close()

    thread = threading.Thread(target=read)
    thread.start()
    assert ready.wait(30)
    schema.rebuild()
    go.set()
    thread.join()
    assert answers == [40, before]


def test_what_changes_during_a_rebuild_is_in_the_new_index(filled, monkeypatch):
    real = building._settle_rest

    def late(cursor):
        filled.note("wiki/novo.md", "O tamanduá.")
        real(cursor)

    monkeypatch.setattr(building, "_settle_rest", late)
    schema.rebuild()
    assert [one.path for one in fulltext.search(Query("tamanduá")).found] == ["wiki/novo.md"]


def test_an_index_that_another_process_replaced_is_noticed(filled):
    assert notes.count() == 40
    code = (
        "import sys, pathlib; from cabecao_site import bootstrap; bootstrap.start(pathlib.Path(sys.argv[1]));"
        "from brain.index import notes, refresh, sqlite_file, database;"
        "sqlite_file.discard(database.file()); refresh.catch_up(seconds=60); print(notes.count())"
    )
    filled.note("wiki/novo.md", "O tamanduá.")
    done = subprocess.run([sys.executable, "-c", code, str(filled.root)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "41"
    assert notes.count() == 41


def test_a_live_connection_has_the_settings_that_keep_readers_and_writers_apart(filled):
    pragmas = {name: database.query(f"PRAGMA {name}")[0][0] for name in ("journal_mode", "busy_timeout", "synchronous")}
    assert pragmas == {"journal_mode": "wal", "busy_timeout": 20_000, "synchronous": 1}
    with database.writing(wait=False):
        assert database.query("PRAGMA busy_timeout")[0][0] == 0
    assert database.query("PRAGMA busy_timeout")[0][0] == 20_000


def test_the_background_check_starts_over_where_it_finds_damage(filled):
    assert schema.check()
    database.close()
    database.file().write_bytes(b"x" * 5000)
    assert not schema.check()
    assert len(found()) == 40
