"""Writes in any order, against the simplest brain there is: a mapping from paths to bodies."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, event, given, settings
from hypothesis import strategies as st

from brain.errors import BrainError
from brain.note import document

PATHS = ["wiki/concepts/Fila.md", "wiki/concepts/Tópico.md", "solta.md"]
WORDS = st.text(st.characters(codec="utf-8", categories=("L", "N", "Zs", "Po")), min_size=1, max_size=30)
LINES = WORDS.map(str.strip).filter(lambda text: text and not text.startswith(("#", "-", "=")) and text.isprintable())
STEPS = st.one_of(
    st.tuples(st.just("create"), st.sampled_from(PATHS), LINES),
    st.tuples(st.just("append"), st.sampled_from(PATHS), LINES),
    st.tuples(st.just("overwrite"), st.sampled_from(PATHS), LINES),
    st.tuples(st.just("by hand"), st.sampled_from(PATHS), LINES),
    st.tuples(st.just("undo"), st.integers(0, 7), st.just("")),
)


class Model:
    """What the notes should hold, and what each operation did to them."""

    def __init__(self) -> None:
        self.notes: dict[str, list[str]] = {}
        self.done: list[tuple[str, str, str, str]] = []
        self.undone: set[str] = set()


def step(scribe: Any, model: Model, what: str, where: Any, line: str) -> None:
    if what == "undo":
        undo(scribe, model, where)
    elif what == "by hand":
        edit(scribe, model, where, line)
    else:
        write(scribe, model, what, where, line)


def write(scribe: Any, model: Model, mode: str, path: str, line: str) -> None:
    there = path in model.notes
    try:
        done = {"create": scribe.create, "append": scribe.append, "overwrite": scribe.overwrite}[mode](path, line)
    except BrainError as error:
        allowed = {"already_exists"} if mode == "create" and there else set()
        allowed |= {"not_found"} if mode != "create" and not there else set()
        allowed |= {"conflict"} if mode == "overwrite" else set()
        allowed |= {"secret_detected", "invalid_argument"}
        if error.code not in allowed:
            raise
        event(f"{mode} refused: {error.code}")
        return
    event(f"{mode} done")
    before = model.notes.get(path, [])
    model.notes[path] = [*before, line] if mode == "append" else [line]
    if done.op:
        model.done.append((done.op, mode, path, line))


def edit(scribe: Any, model: Model, path: str, line: str) -> None:
    if path in model.notes:
        place = scribe.root / path
        place.write_text(place.read_text() + f"\n{line}\n")
        model.notes[path] = [*model.notes[path], line]


def undo(scribe: Any, model: Model, number: int) -> None:
    left = [one for one in model.done if one[0] not in model.undone]
    if not left:
        return
    op, mode, path, _line = left[number % len(left)]
    newest = [one for one in left if one[2] == path][-1][0] == op
    before = (scribe.root / path).read_bytes() if path in model.notes else None
    try:
        scribe.call("undo", op=op)
    except BrainError as error:
        if error.code not in ("conflict", "nothing_to_undo"):
            raise
        event(f"undo refused: {error.code}")
        now = (scribe.root / path).read_bytes() if (scribe.root / path).exists() else None
        assert now == before
        return
    assert newest or mode != "create"
    event("undo done" if newest else "undo of an older one done")
    model.undone.add(op)
    model.notes.pop(path, None)
    if (scribe.root / path).exists():
        model.notes[path] = lines(scribe, path)


def lines(scribe: Any, path: str) -> list[str]:
    return [line for line in document.parse((scribe.root / path).read_bytes()).body.split("\n") if line]


def agrees(scribe: Any, model: Model) -> None:
    """The notes are the model's, and HEAD, index and tree are one but for what was edited by hand since."""
    tracked = set(scribe.git("ls-files", "-z").split("\0")) & set(PATHS)
    assert tracked == set(model.notes)
    for path, wanted in model.notes.items():
        assert lines(scribe, path) == wanted
    assert scribe.git("diff", "--cached", "--name-only") == ""
    edited = set(scribe.git("diff", "--name-only", "-z").split("\0")) - {""}
    assert edited <= set(model.notes)
    assert scribe.leftovers() == []
    for path in set(model.notes) - edited:
        assert scribe.committed(path) == scribe.text(path)


@pytest.mark.slow
@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(steps=st.lists(STEPS, min_size=3, max_size=14))
def test_any_order_of_writes_edits_and_undos_gives_what_a_mapping_would(scribe, steps):
    for path in PATHS:
        (scribe.root / path).unlink(missing_ok=True)
    scribe.brain.commit("Limpa")
    model = Model()
    for path in PATHS[:2]:
        write(scribe, model, "create", path, "Primeira linha.")
    for what, where, line in steps:
        step(scribe, model, what, where, line)
        agrees(scribe, model)
    scribe.brain.commit("Tudo")
    scribe.assert_whole()
