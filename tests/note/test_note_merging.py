"""Two versions of a note made one, or none where a person has to choose."""

from __future__ import annotations

import pytest

from brain.note import document, merging


def note(body: str = "Um.\n\nDois.\n", **fields: object) -> bytes:
    return document.new_note({"type": "concept", "title": "Fila", **fields}, body)


def both_lines(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Stand in for Git's merge of lines where the two sides changed different ones."""
    kept = zip(base.splitlines(True), ours.splitlines(True), theirs.splitlines(True), strict=True)
    out = [other if mine == old else mine if other == old else None for old, mine, other in kept]
    return None if None in out else b"".join(one for one in out if one is not None)


def merged(base: bytes, ours: bytes, theirs: bytes):
    raw = merging.merged(base, ours, theirs, both_lines)
    return None if raw is None else document.parse(raw)


def test_each_side_keeps_its_field_and_its_line():
    found = merged(note(), note("Um!\n\nDois.\n", tags=["a"]), note("Um.\n\nDois!\n", scope="global"))
    assert found is not None
    assert found.frontmatter == {"type": "concept", "title": "Fila", "tags": ["a"], "scope": "global"}
    assert found.body.strip() == "Um!\n\nDois!"


def test_the_later_stamp_stays():
    first, second = "2026-03-01T10:00:00.000Z", "2026-03-02T10:00:00.000Z"
    for ours, theirs in ((first, second), (second, first)):
        found = merged(note(updated="2026-01-01T10:00:00.000Z"), note(updated=ours), note(updated=theirs))
        assert found is not None
        assert found.frontmatter["updated"] == second


def test_tags_of_both_sides_come_together_and_what_one_took_away_is_gone():
    found = merged(note(tags=["a", "b"]), note(tags=["a", "c"]), note(tags=["a", "b", "d"]))
    assert found is not None
    assert sorted(found.frontmatter["tags"]) == ["a", "c", "d"]


def test_a_field_that_both_changed_differently_needs_a_person():
    assert merged(note(), note(title="Lote"), note(title="Pilha")) is None


def test_a_line_that_both_changed_differently_needs_a_person():
    assert merged(note(), note("Um!\n\nDois.\n"), note("Um?\n\nDois.\n")) is None


@pytest.mark.parametrize("mark", ["approved_by", "approved_at", "confirmed"])
def test_a_persons_yes_never_comes_to_stand_on_another_text(mark):
    given = {mark: "user" if mark == "approved_by" else "2026-03-01"}
    base, vouched, edited = note(), note(**given), note("Um!\n\nDois.\n")
    assert merged(base, vouched, edited) is None
    assert merged(base, edited, vouched) is None
    assert merged(base, vouched, note()) is not None


def test_a_mark_taken_away_on_one_side_is_not_given_back_by_the_other():
    base = note(approved_by="user")
    assert merged(base, note(), note("Um!\n\nDois.\n", approved_by="user")) is None


@pytest.mark.parametrize("broken", [b"---\ntitle: [\n---\n\nUm.\n", b"---\ntitle: a\n\nUm.\n", b"\xff\xfe\n"])
def test_what_cannot_be_read_is_not_merged(broken):
    assert merging.merged(note(), broken, note("Um!\n\nDois.\n"), both_lines) is None


def test_comments_and_order_of_the_other_side_stay():
    base = b"---\ntype: concept # o tipo\ntitle: Fila\n---\n\nUm.\n"
    ours = base.replace(b"Fila", b"Lote")
    theirs = base.replace(b"# o tipo", b"# sim")
    assert merging.merged(base, ours, theirs, both_lines) == theirs.replace(b"Fila", b"Lote")
