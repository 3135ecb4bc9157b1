"""A rebuild that reads in a second process."""

from __future__ import annotations

import os
import signal

import pytest

from brain.index import notes, refresh, schema
from brain.index.intake import building, reader

IDENTITY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


@pytest.fixture
def many(brain, monkeypatch):
    monkeypatch.setattr(building, "_WORTH_A_CHILD", 1)
    monkeypatch.setattr(building, "_CHUNK", 3)
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    for number in range(20):
        brain.note(f"wiki/{number:02}.md", f"O tatu número {number}.", tags=["ção"])
    brain.write("wiki/aspas.md", '---\ntitle: "sem fim\n---\n\nO tatu.\n')
    return brain


def test_a_second_process_reads_what_this_one_would(many):
    refresh.catch_up(seconds=60)
    before = [(row.path, row.title, row.tags, row.digest, row.frontmatter_error) for row in notes.page()]
    steps: list[tuple[int, int]] = []
    schema.rebuild(lambda done, total: steps.append((done, total)))
    assert [(row.path, row.title, row.tags, row.digest, row.frontmatter_error) for row in notes.page()] == before
    assert steps[-1] == (21, 21)


def test_a_child_that_is_killed_leaves_no_note_out(many, monkeypatch):
    real = reader._ask
    asked: list[object] = []

    def ask(child, chunk):
        asked.append(chunk)
        if len(asked) == 5:
            os.kill(child.pid, signal.SIGKILL)
        real(child, chunk)

    monkeypatch.setattr(reader, "_ask", ask)
    schema.rebuild()
    assert notes.count() == 21


def test_a_child_ends_when_the_work_is_broken_off(many, monkeypatch):
    children = []
    real = reader._start
    monkeypatch.setattr(reader, "_start", lambda *given: children.append(real(*given)) or children[-1])

    def stop(done: int, total: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        schema.rebuild(stop)
    assert children[0].returncode is not None
    assert list((many.root / ".cabecao").glob("index.db.new*")) == []


def test_a_rebuild_leaves_an_id_with_the_note_that_had_it_first(many):
    many.note("wiki/zz.md", "O tatu.", id=IDENTITY)
    refresh.catch_up(seconds=60)
    many.note("wiki/aa.md", "O tatu.", id=IDENTITY)
    refresh.catch_up(seconds=60)
    schema.rebuild()
    assert notes.by_id(IDENTITY).path == "wiki/zz.md"
    assert notes.by_path("wiki/aa.md").id is None
