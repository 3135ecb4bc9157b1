"""A process that dies at any point of a write: what it left is finished or put back, and nobody's text is lost."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from django.db import connections
from faults import DEAD, Death

from brain.index import refresh
from brain.services import workplace

NOTE = "wiki/concepts/Fila.md"
OTHER = "wiki/concepts/Outra.md"
pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")


def in_another_process(do: Callable[[], object], root: Any, at: int) -> int:
    """Do it in a process of its own that dies at the n-th call; return how it ended."""
    connections.close_all()
    refresh.stop()
    workplace.close()
    pid = os.fork()
    if pid == 0:
        try:
            with pytest.MonkeyPatch.context() as patch:
                death = Death(patch, root)
                death.at = at
                do()
        except BaseException:  # noqa: BLE001 (a fork of a test never goes on as one)
            os._exit(1)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def let_git_end(scribe: Any) -> None:
    """Wait for the commands that the dead process had started: they end when its pipes close."""
    ends = time.monotonic() + 5
    while any(scribe.root.glob(".git/**/*.lock")) and time.monotonic() < ends:
        time.sleep(0.005)


def audited(scribe: Any) -> Counter[str]:
    with connections["audit"].cursor() as cursor:
        cursor.execute("SELECT subject FROM audit_row WHERE action = 'write'")
        return Counter(row[0] for row in cursor.fetchall())


def operations(scribe: Any) -> Counter[str]:
    said = scribe.git("log", "--format=%(trailers:key=Cabecao-Op,valueonly,separator=%x2C)").splitlines()
    return Counter(one for one in said if one)


def settled(scribe: Any, line: str, said: str) -> bool:
    """Recover, see that all agrees, and tell whether the line that was being written is there."""
    let_git_end(scribe)
    workplace.recover()
    assert scribe.leftovers() == [], said
    assert (line in scribe.text()) == (line in scribe.committed()), said
    assert audited(scribe) == operations(scribe), said
    return line in scribe.text()


def edit_beside(scribe: Any, number: int) -> None:
    """Do what a person may do before the next start: edit another note, make a file, stage one."""
    (scribe.root / OTHER).write_text(f"Texto {number}.\n")
    (scribe.root / "solto.txt").write_text(f"Solto {number}.\n")
    (scribe.root / "preparado.txt").write_text(f"Preparado {number}.\n")
    let_git_end(scribe)
    for lock in scribe.root.glob(".git/*.lock"):
        lock.unlink()  # as Git asks its user to
    scribe.git("add", "preparado.txt")


@pytest.mark.parametrize("every", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_a_write_that_dies_at_any_call_is_whole_or_absent_at_the_next_start(scribe, every):
    scribe.append(NOTE, "Primeira.")
    edit_beside(scribe, 0)
    scribe.brain.commit()
    outcomes = Counter[bool]()
    for number in range(1, 400, every):
        line = f"Linha {number}."
        code = in_another_process(lambda: scribe.append(NOTE, line), scribe.root, number)  # noqa: B023
        assert code in (0, DEAD)
        edit_beside(scribe, number)
        said = f"death at call {number}"
        outcomes[settled(scribe, line, said)] += 1
        assert scribe.dirt() == f"M  preparado.txt\n M solto.txt\n M {OTHER}\n", said
        assert (scribe.root / OTHER).read_text() == f"Texto {number}.\n", said
        scribe.brain.commit("Meu")
        if code == 0:
            break
    assert outcomes[True] >= 10 / every
    assert outcomes[False] > 50 / every
    scribe.append(NOTE, "Última.")
    scribe.assert_whole()


@pytest.mark.slow
def test_what_a_person_adds_to_the_note_before_the_restart_is_kept(scribe):
    scribe.append(NOTE, "Primeira.")
    for number in range(1, 400):
        code = in_another_process(lambda: scribe.append(NOTE, f"Linha {number}."), scribe.root, number)  # noqa: B023
        let_git_end(scribe)
        with (scribe.root / NOTE).open("a") as stream:
            stream.write(f"\nÀ mão {number}.\n")
        workplace.recover()
        assert f"À mão {number}." in scribe.text(), number
        scribe.append(NOTE, f"Depois {number}.")
        assert f"À mão {number}." in scribe.committed(), number
        scribe.assert_whole()
        assert audited(scribe) == operations(scribe), number
        if code == 0:
            break
    assert 20 < number < 399


@pytest.mark.slow
def test_taking_in_a_persons_edit_that_dies_at_any_call_leaves_the_edit_and_a_true_index(scribe):
    scribe.append(NOTE, "Primeira.")
    for number in range(1, 400):
        with (scribe.root / NOTE).open("a") as stream:
            stream.write(f"\nÀ mão {number}.\n")
        code = in_another_process(lambda: scribe.append(NOTE, f"Linha {number}."), scribe.root, number)  # noqa: B023
        let_git_end(scribe)
        workplace.recover()
        assert f"À mão {number}." in scribe.text(), number
        assert scribe.git("diff", "--cached", "--name-only") == "", number
        assert scribe.leftovers() == [], number
        scribe.append(NOTE, f"Depois {number}.")
        scribe.assert_whole()
        if code == 0:
            break
    assert 20 < number < 399


@pytest.mark.slow
def test_a_recovery_that_dies_at_any_call_is_finished_by_the_next(scribe):
    scribe.append(NOTE, "Primeira.")
    calls = count_calls(scribe)
    for dies_at in range(calls // 2, calls, 13):
        for number in range(1, 60):
            line = f"Linha {dies_at}.{number}."
            in_another_process(lambda: scribe.append(NOTE, line), scribe.root, dies_at)  # noqa: B023
            let_git_end(scribe)
            code = in_another_process(workplace.recover, scribe.root, number)
            settled(scribe, line, f"death at call {dies_at}, then at call {number} of the recovery")
            scribe.assert_whole()
            if code == 0:
                break


def count_calls(scribe: Any) -> int:
    with pytest.MonkeyPatch.context() as patch:
        counter = Death(patch, scribe.root)
        scribe.append(NOTE, "Contada.")
        return counter.count


def test_an_audit_row_that_is_missing_is_made_up_for_at_the_next_write(scribe, monkeypatch):
    from django.db import DatabaseError

    from brain.audit import chain

    def fails(*_arguments: object, **_more: object) -> None:
        raise DatabaseError("disk I/O error")

    with monkeypatch.context() as patch:
        patch.setattr(chain, "append", fails)
        behind = [scribe.append(NOTE, f"Linha {number}.") for number in range(3)]
    assert all("audit_behind" in {one.code for one in done.warnings} for done in behind)
    scribe.append(NOTE, "Depois.")
    assert audited(scribe) == operations(scribe)
    assert chain.verify().ok
    scribe.assert_whole()


def test_a_write_with_an_unreadable_audit_log_is_kept_and_said(scribe):
    connections.close_all()
    audit = scribe.root / ".cabecao" / "audit.db"
    sound = audit.read_bytes()
    audit.write_bytes(b"no database at all" * 100)
    done = scribe.append(NOTE, "Linha.")
    assert "audit_behind" in {one.code for one in done.warnings}
    assert "Linha." in scribe.committed()
    connections.close_all()
    audit.write_bytes(sound)
    scribe.append(NOTE, "Depois.")
    assert audited(scribe) == operations(scribe)
    scribe.assert_whole()


def test_an_operation_that_a_merge_took_in_is_never_put_back(scribe, monkeypatch):
    """The commit is not on the first-parent line any more when the process starts again."""
    from brain.audit import chain

    def fails(*_arguments: object, **_more: object) -> None:
        raise ValueError

    with monkeypatch.context() as patch:
        patch.setattr(chain, "append", fails)
        patch.setattr("brain.store.journal.keep", lambda *_: None)
        scribe.append(NOTE, "Linha.")
    scribe.git("switch", "--quiet", "-c", "lado", "HEAD~1")
    scribe.git("commit", "--quiet", "--allow-empty", "--message", "Lado")
    scribe.git("merge", "--quiet", "--no-edit", "main")
    workplace.recover()
    assert "Linha." in scribe.text()
    assert audited(scribe) == operations(scribe)
    scribe.assert_whole()


def test_a_torn_journal_entry_is_dropped(scribe):
    folder = scribe.root / ".cabecao" / "journal"
    folder.mkdir(exist_ok=True)
    (folder / "01ARZ3NDEKTSV4RRFFQ69G5FAV.json").write_text('{"op": "01ARZ3N')
    scribe.append(NOTE, "Linha.")
    scribe.assert_whole()
