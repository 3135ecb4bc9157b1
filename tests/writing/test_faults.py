"""Whichever call fails: the brain is as it was or as it was meant to be, and the next write works."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from faults import DIES, ERRORS, LIES, REFUSES, Fault, GitFault

from brain.errors import BrainError, DiskFull
from brain.services import workplace

NOTE = "wiki/concepts/Fila.md"
Do = Callable[[Any, int], Any]
LAGS = {"git_index_behind", "audit_behind"}


def create(scribe: Any, number: int) -> Any:
    return scribe.create(f"wiki/concepts/Nova {number}.md", f"Texto {number}.")


def append(scribe: Any, number: int) -> Any:
    return scribe.append(NOTE, f"Linha {number}.")


def overwrite(scribe: Any, number: int) -> Any:
    return scribe.overwrite(NOTE, f"Tudo {number}.")


def remember(scribe: Any, number: int) -> Any:
    return scribe.call("remember", content=f"Cuidado com a fila número {number}.", type="gotcha")


def undo(scribe: Any, number: int) -> Any:
    return scribe.call("undo", op=scribe.ops[-1])


OPERATIONS = [append, *(pytest.param(one, marks=pytest.mark.slow) for one in (create, overwrite, remember, undo))]
EVERY = [pytest.param(5, id="every fifth call"), pytest.param(1, id="every call", marks=pytest.mark.slow)]


def survives(scribe: Any, do: Do, number: int, fault: Any, kind: Any) -> BrainError | None:
    """Do it while the n-th call fails, see that all is whole, and do it once more without."""
    before, files = scribe.head(), tree(scribe)
    error = warned = None
    fault.arm(number, kind)
    try:
        done = do(scribe, number)
        warned = {one.code for one in done.warnings} & LAGS
    except BrainError as raised:
        error = raised
    fault.disarm()
    said = f"call {number}, {fault.what}: {error.message if error else 'done'}"
    if error is not None:
        assert error.code in ("git_failed", "disk_full", "locked", "index_failed", "unsafe_path"), said
        assert error.next_step
        assert scribe.head() == before, said
        assert tree(scribe) == files, said
    workplace.recover()
    if not warned:
        whole(scribe, said)
        assert scribe.git("fsck", "--strict", "--no-dangling", "--no-progress") == "", said
    after = scribe.append(NOTE, f"Depois da falha {number}.")
    scribe.ops.append(after.op)
    assert not LAGS & {one.code for one in after.warnings}, said
    whole(scribe, said)
    return error


def whole(scribe: Any, said: str) -> None:
    assert scribe.dirt() == "", said
    assert scribe.leftovers() == [], said


def tree(scribe: Any) -> dict[str, bytes]:
    found = [file for file in scribe.root.rglob("*") if file.is_file()]
    names = {file.relative_to(scribe.root).as_posix(): file for file in found}
    return {name: file.read_bytes() for name, file in names.items() if not name.startswith((".git/", ".cabecao/"))}


@pytest.mark.parametrize("do", OPERATIONS)
@pytest.mark.parametrize("every", EVERY)
def test_a_call_of_the_system_that_fails_leaves_the_old_or_the_new_brain(scribe, monkeypatch, do, every):
    scribe.ops.append(append(scribe, 0).op)
    fault = Fault(monkeypatch, scribe.root)
    codes = set()
    for number in range(1, 400, every):
        error = survives(scribe, do, number, fault, ERRORS[number % len(ERRORS)])
        if not fault.struck:
            break
        codes |= {error.code} if error else set()
    assert number > 20
    assert not fault.struck
    assert {"git_failed", "disk_full"} <= codes


@pytest.mark.parametrize("do", OPERATIONS)
@pytest.mark.parametrize("way", [None, DIES, REFUSES, LIES], ids=["no start", "no room", "refusal", "lie"])
def test_a_run_of_git_that_fails_leaves_the_old_or_the_new_brain(scribe, monkeypatch, do, way):
    scribe.ops.append(append(scribe, 0).op)
    fault = GitFault(monkeypatch)
    for number in range(1, 60):
        workplace.close()
        error = survives(scribe, do, number, fault, way)
        if not fault.struck:
            break
        assert error is None or way != DIES or isinstance(error, DiskFull)
    assert 2 < number < 59


@pytest.mark.slow
def test_the_persons_own_edit_outlives_whichever_call_fails(scribe, monkeypatch):
    append(scribe, 0)
    fault = Fault(monkeypatch, scribe.root)
    for number in range(1, 400):
        edited = by_hand(scribe, number)
        before = scribe.head()
        fault.arm(number, ERRORS[number % len(ERRORS)])
        with contextlib.suppress(BrainError):
            append(scribe, number)
        fault.disarm()
        said = f"call {number}, {fault.what}"
        workplace.recover()
        assert body(scribe).startswith(edited), said
        assert scribe.git("diff", "--cached", "--name-only") == "", said
        if body(scribe).strip("\n") == edited:
            assert scribe.git("log", "--format=%an", f"{before}..HEAD") in ("", "Ana\n"), said
        scribe.append(NOTE, f"Depois da falha {number}.")
        whole(scribe, said)
        assert f"À mão {number}." in scribe.committed(), said
        if not fault.struck:
            break
    assert 20 < number < 399


def by_hand(scribe: Any, number: int) -> str:
    place = scribe.root / NOTE
    place.write_text(place.read_text() + f"\nÀ mão {number}.\n")
    return body(scribe).rstrip("\n")


def body(scribe: Any) -> str:
    return str(scribe.text().split("---\n", 2)[2])
