"""What was answered is on the disk: objects, branch, note and folder are flushed before the answer."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from brain.services import workplace

NOTE = "wiki/concepts/Fila.md"


@pytest.fixture
def flushed(monkeypatch):
    """The places that were flushed, in order."""
    seen: list[str] = []
    renamed = os.replace

    def flushing(real):
        def flush(descriptor):
            real(descriptor)
            seen.append(str(Path(f"/proc/self/fd/{descriptor}").readlink()))

        return flush

    def replace(source, target, **named):
        renamed(source, target, **named)
        seen.append(f"-> {target}")

    for name in ("fsync", "fdatasync"):
        monkeypatch.setattr(os, name, flushing(getattr(os, name)))
    monkeypatch.setattr(os, "replace", replace)
    return seen


def flushes_told(trace: Path) -> int:
    events = [json.loads(line) for line in trace.read_text().splitlines()]
    return sum(int(one["value"]) for one in events if one.get("key") == "fsync/hardware-flush")


def test_the_event_trace_of_git_tells_of_three_flushes_or_more(scribe, monkeypatch, tmp_path):
    scribe.append(NOTE, "Aquecida.")
    workplace.close()
    trace = tmp_path / "trace.json"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    scribe.call("remember", content="A fila cai às sextas.", type="gotcha")
    assert flushes_told(trace) >= 3


def test_the_flushes_that_are_told_are_those_that_were_made(scribe, monkeypatch, tmp_path, flushed):
    scribe.append(NOTE, "Aquecida.")
    workplace.close()
    before = len([one for one in flushed if not one.startswith("->")])
    trace = tmp_path / "trace.json"
    monkeypatch.setenv("GIT_TRACE2_EVENT", str(trace))
    scribe.append(NOTE, "Linha.")
    workplace.close()
    made = len([one for one in flushed if not one.startswith("->")]) - before
    gits = 1  # the branch
    assert flushes_told(trace) == made + gits


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="looks at open files through /proc")
def test_what_a_commit_needs_is_flushed_before_the_note_is_put_in_place(scribe, flushed):
    scribe.append(NOTE, "Aquecida.")
    flushed.clear()
    done = scribe.append(NOTE, "Linha.")
    root, objects = str(scribe.root), f"{scribe.root}/.git/objects"
    placed = flushed.index("-> Fila.md")
    commit = flushed.index(f"-> {objects}/{done.commit[:2]}/{done.commit[2:]}")
    assert commit < placed
    assert f"{objects}/{done.commit[:2]}" in flushed[commit:placed]
    assert any(one.startswith(f"{root}/.cabecao/journal/") for one in flushed[:placed])
    assert len([one for one in flushed[:placed] if one.startswith(f"{root}/.cabecao/tmp/write-")]) == 2
    assert f"{root}/wiki/concepts" in flushed[placed:]
    loose = [one for one in flushed if one.startswith(f"-> {objects}")]
    assert len(loose) == 6  # two blobs, three trees, one commit
    assert len([one for one in flushed if one.startswith(f"{objects}/") and "tmp_obj" in one]) == 6


def test_the_records_are_written_in_full_sync(scribe):
    from django.db import connections

    scribe.append(NOTE, "Linha.")
    for alias in ("audit", "default"):
        with connections[alias].cursor() as cursor:
            assert cursor.execute("PRAGMA synchronous").fetchone() == (2,)
            assert cursor.execute("PRAGMA journal_mode").fetchone() == ("wal",)
            assert cursor.execute("PRAGMA busy_timeout").fetchone() == (20_000,)
