"""Several processes at one brain: nothing is lost, nobody is refused, and a paused one is waited for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest
from django.db import connections, transaction

from brain import clock
from brain.approval.models import ConfirmAnswer
from brain.errors import BrainError, NothingToUndo
from brain.services import writing
from brain.services.writing import Change, FileEdit
from brain.store import lock

NOTE = "wiki/concepts/Fila.md"
WRITER = """
import sys
from pathlib import Path
from cabecao_site import bootstrap
root, name, count, own = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), sys.argv[4] == "own"
bootstrap.start(root)
bootstrap.prepare_records()
from brain import operations
from brain.caller import Caller, Kind, Surface
caller = Caller(Kind.AGENT, name, Surface.MCP, connection=name)
print("ready", flush=True)
sys.stdin.readline()
for number in range(count):
    line = f"linha {name} {number} fim"
    if own:
        given = {"path": f"wiki/concepts/{name}-{number}.md", "mode": "create", "frontmatter": {"type": "concept"}}
    else:
        given = {"path": "wiki/concepts/Fila.md", "mode": "append"}
    operations.dispatch("write_page", caller, {**given, "content": line})
"""
HOLDER = """
import sys, time
from pathlib import Path
from brain.store.lock import write_lock
with write_lock(Path(sys.argv[1])):
    print("held", flush=True)
    time.sleep(600)
"""


def start(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )


@pytest.mark.slow
@pytest.mark.parametrize("where", ["same", "own"])
def test_four_processes_write_and_every_line_is_there_once(scribe, where):
    scribe.append(NOTE, "Primeira.")
    names = [f"cliente{number}" for number in range(4)]
    writers = [start(WRITER, str(scribe.root), name, "15", where) for name in names]
    for one in writers:
        assert one.stdout
        assert one.stdout.readline() == "ready\n"
    ended = [one.communicate("go\n", timeout=240) for one in writers]
    assert [one.returncode for one in writers] == [0] * 4, [error for _out, error in ended]
    assert [error for _out, error in ended] == [""] * 4
    expected = [f"linha {name} {number} fim" for name in names for number in range(15)]
    if where == "same":
        found = [line for line in scribe.committed().splitlines() if line.startswith("linha")]
    else:
        found = scribe.git("grep", "-h", "linha", "HEAD", "--", "wiki/concepts").splitlines()
    assert sorted(found) == sorted(expected)
    log = scribe.committed("log.md")
    assert log.count(" · write_page · ") == 61
    scribe.assert_whole()
    assert_each_has_a_row(scribe)


def assert_each_has_a_row(scribe: Any) -> None:
    from django.db import connections

    from brain.audit import chain

    with connections["audit"].cursor() as cursor:
        cursor.execute("SELECT COUNT(*), COUNT(DISTINCT subject) FROM audit_row WHERE action = 'write'")
        assert cursor.fetchone() == (61, 61)
    assert chain.verify().ok


@pytest.fixture
def paused(scribe):
    """A process that holds the write lock and stands still."""
    scribe.append(NOTE, "Primeira.")
    holder = start(HOLDER, str(scribe.root))
    assert holder.stdout
    assert holder.stdout.readline() == "held\n"
    os.kill(holder.pid, signal.SIGSTOP)
    yield holder
    holder.kill()
    holder.communicate()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs SIGSTOP")
def test_a_paused_writer_keeps_readers_from_nothing_and_writers_for_the_limit(scribe, paused, monkeypatch):
    monkeypatch.setattr(lock.write_lock.__wrapped__, "__kwdefaults__", {"gone": None, "seconds": 0.3})
    began = time.monotonic()
    assert scribe.call("read", path=NOTE).note.content.count("Primeira.") == 1
    assert scribe.call("search", query="primeira").hits
    scribe.call("recall", task="fila")
    assert time.monotonic() - began < 10
    before = scribe.head()
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "locked"
    assert scribe.head() == before
    assert lock.is_held(scribe.root)
    paused.kill()
    paused.wait()
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


@pytest.mark.skipif(not hasattr(signal, "SIGSTOP"), reason="needs SIGSTOP")
def test_a_caller_that_went_away_stops_waiting_for_the_lock(scribe, paused):
    scribe.caller.gone.set()
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "locked"
    scribe.caller.gone.clear()


def test_threads_of_one_process_write_one_after_the_other(scribe):
    """As the web app does, with a connection to the databases for each thread."""
    from django.db import connections

    failures: list[BaseException] = []

    def work(name: str) -> None:
        try:
            for number in range(5):
                scribe.append(NOTE, f"linha {name} {number} fim")
        except BaseException as error:  # noqa: BLE001 (told by the assertion)
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(f"fio{number}",)) for number in range(3)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    assert failures == []
    found = [line for line in scribe.committed().splitlines() if line.startswith("linha")]
    assert len(set(found)) == len(found) == 15
    scribe.assert_whole()


def test_who_reads_a_row_and_then_writes_it_never_finds_it_locked(scribe):
    ConfirmAnswer.objects.create(digest="x", answer="0", until=clock.now())
    failed: list[Exception] = []

    def count() -> None:
        try:
            for _turn in range(100):
                with transaction.atomic():
                    row = ConfirmAnswer.objects.get(digest="x")
                    row.answer = str(int(row.answer) + 1)
                    row.save()
        except Exception as error:  # noqa: BLE001 (whatever it is, it is a failure)
            failed.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=count) for _number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert ConfirmAnswer.objects.get(digest="x").answer == "300"


def test_a_refusal_that_another_writer_caused_half_way_is_judged_again(scribe):
    before, turns = scribe.text().encode(), []

    def build() -> Change:
        turns.append(len(turns))
        if len(turns) == 1:
            scribe.as_client("outro").create("wiki/concepts/Outra.md", "# Outra\n")
            raise NothingToUndo("seen half way")
        return Change("write_page", (FileEdit(NOTE, before, before + b"mais\n"),), ("append: [[Fila]]",))

    writing.commit(scribe.caller, build)
    assert scribe.committed().endswith("mais\n")
    assert turns == [0, 1]
    scribe.assert_whole()


def test_a_refusal_with_nobody_else_writing_stands(scribe):
    def build() -> Change:
        raise NothingToUndo("nothing is left")

    with pytest.raises(NothingToUndo):
        writing.commit(scribe.caller, build)
    assert not lock.is_held(scribe.root)
