"""What a brain's machine does by itself to keep itself in order."""

from __future__ import annotations

import os
import sqlite3
from datetime import timedelta

import pytest
from django.db import connections

from brain import config, tasks
from brain.clock import now
from brain.index import database, refresh
from brain.jobs import process, progress
from brain.jobs.models import Job, State, Worker
from brain.services.health import records
from cabecao_site import broker
from cabecao_site.mailbox import Mailbox


def run(kind: str) -> Job:
    tasks.run_job(progress.start(kind, requested_by="test").pk)
    return Job.objects.filter(kind=kind).latest("id")


def word_of(path: str) -> list[tuple]:
    return database.query("SELECT title FROM note WHERE path = %s", (path,))


@pytest.fixture
def indexed(ready):
    ready.note("wiki/a.md", "O tatu.", title="Um")
    ready.note("wiki/b.md", "A anta.", title="Dois")
    ready.commit()
    refresh.catch_up(seconds=60)
    return ready


def test_an_index_that_says_what_the_notes_say_is_left_as_it_is(indexed):
    job = run("index-check")
    assert (job.state, job.log, job.result) == (State.DONE, "", "The index says what the notes say.")


def test_an_edit_that_no_size_and_no_time_tells_of_is_found(indexed):
    place = indexed.root / "wiki/a.md"
    stamp = place.stat().st_mtime_ns
    place.write_text(place.read_text().replace("Um", "Eu"))
    os.utime(place, ns=(stamp, stamp))
    with database.writing() as cursor:  # long ago, as far as the index knows
        cursor.execute("UPDATE note SET read_ns = read_ns + 3600000000000")
    assert refresh.catch_up().warning is None
    assert word_of("wiki/a.md") == [("Um",)]

    job = run("index-check")
    assert (job.state, job.log) == (State.DONE, "wiki/a.md")
    assert "behind in 1 note" in job.result
    assert word_of("wiki/a.md") == [("Eu",)]
    assert run("index-check").result == "The index says what the notes say."


def test_a_note_that_the_index_invented_or_lost_is_put_right(indexed):
    with database.writing() as cursor:
        cursor.execute("UPDATE note SET path = 'wiki/fantasma.md' WHERE path = 'wiki/b.md'")
    run("index-check")
    assert (word_of("wiki/fantasma.md"), word_of("wiki/b.md")) == ([], [("Dois",)])


def test_a_damaged_index_is_built_again(indexed):
    connections["index"].close()
    file = database.file()
    with file.open("r+b") as stream:
        stream.seek(4096)
        stream.write(b"\0" * 4096 * 4)
    job = run("index-check")
    assert job.state == State.DONE, job.error_message
    assert "damaged" in job.log
    assert word_of("wiki/a.md") == [("Um",)]


def test_upkeep_gives_back_what_a_database_does_not_use(indexed):
    with connections["default"].cursor() as cursor:
        cursor.execute("CREATE TABLE filler (text)")
        cursor.executemany("INSERT INTO filler VALUES (%s)", [("x" * 4000,)] * 500)
        cursor.execute("DROP TABLE filler")
    state = config.here().machine / "state.db"
    connections["default"].cursor().execute("PRAGMA wal_checkpoint(TRUNCATE)")
    before = state.stat().st_size

    job = run("upkeep")
    assert job.state == State.DONE, job.error_message
    assert "KB given back" in job.log
    assert state.stat().st_size < before / 2
    assert records.soundness(state, deep=True) == "ok"
    assert "KB were freed" in job.result
    assert job.step == "Git's objects"


def test_upkeep_leaves_the_audit_log_as_it_is(indexed, person):
    person("remember", content="Uma memória.", type="episode")
    audit = config.here().machine / "audit.db"
    dump = list(sqlite3.connect(audit).iterdump())
    run("upkeep")
    assert list(sqlite3.connect(audit).iterdump()) == dump


def test_upkeep_forgets_old_jobs_old_logs_and_dead_workers(indexed):
    old = [Job.objects.create(kind="probe", state=State.DONE) for _ in range(60)]
    Job.objects.filter(kind="probe").update(log="said", finished_at=now() - timedelta(days=31))
    newest = Job.objects.create(kind="probe", state=State.FAILED, log="why", finished_at=now())
    Worker.objects.create(identity=f"{process.host()}/1/not-its-start", seen_at=now())
    run("upkeep")
    assert Job.objects.filter(kind="probe").count() == 50
    assert not Job.objects.filter(pk__in=[job.pk for job in old]).exclude(log="").exists()
    assert Job.objects.get(pk=newest.pk).log == "why"
    assert not Worker.objects.exists()


def test_upkeep_takes_out_messages_that_no_job_waits_for(indexed):
    job = Job.objects.create(kind="probe", state=State.QUEUED)
    ended = Job.objects.create(kind="other", state=State.DONE)
    file = config.here().machine / broker.FILE
    box = Mailbox(lambda: file)
    for one in (job, job, ended):
        box.put("cabecao", {"headers": {"id": one.pk}})
    box.put("cabecao", {"body": "of another make"})
    held = Mailbox(lambda: file)
    held.put("elsewhere", {"headers": {"id": ended.pk}})
    held.claim("elsewhere")

    done = run("upkeep")
    assert "2 messages removed" in done.log
    assert box.count("cabecao") == 2
    held.put_back(5)
    assert box.count("elsewhere") == 1
    box.close()
    held.close()


def test_a_chore_that_cannot_be_done_now_stops_no_other(indexed, monkeypatch):
    from brain.services.keeping import databases

    def fails():
        raise sqlite3.OperationalError("database is locked")

    monkeypatch.setattr(databases, "_old_jobs", fails)
    job = run("upkeep")
    assert job.state == State.DONE
    assert "not now (OperationalError)" in job.log
    assert len(job.log.splitlines()) == 8


def test_upkeep_on_a_machine_without_databases_does_what_there_is(indexed):
    connections["index"].close()
    for suffix in ("", "-wal", "-shm"):
        (config.here().machine / f"index.db{suffix}").unlink(missing_ok=True)
    job = run("upkeep")
    assert job.state == State.DONE
    assert "index.db: there is none" in job.log
