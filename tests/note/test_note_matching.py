"""Where two sequences differ, in bounded time."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.note import matching
from brain.note.matching import Budget, steps

PARTS = st.lists(st.sampled_from(["", "a", "b", "c c"]), max_size=30)


@given(PARTS, PARTS, st.integers(0, 200))
def test_the_steps_make_the_one_of_the_other_whatever_the_budget(before, after, pairs):
    found = steps(before, after, Budget(pairs))

    made = []
    for tag, i, i_end, j, j_end in found:
        made += before[i:i_end] if tag == "equal" else after[j:j_end]
    assert made == after
    assert [step[1] for step in found] == [0, *(step[2] for step in found)][: len(found)]
    assert sum(i_end - i for _tag, i, i_end, _j, _j_end in found) == len(before)


def test_what_two_texts_begin_and_end_with_costs_nothing():
    lines = [str(number % 7) for number in range(50_000)]
    budget = Budget()

    found = steps([*lines, "old", *lines], [*lines, "new", *lines], budget)
    assert [step[0] for step in found] == ["equal", "replace", "equal"]
    assert matching.MOST_PAIRS - budget.pairs < 10


def test_what_is_too_much_to_compare_is_replaced_whole(monkeypatch):
    monkeypatch.setattr(matching, "SequenceMatcher", None)
    lines = [str(number % 120) for number in range(8_000)]

    assert [step[0] for step in steps(["x", *lines, "y"], ["z", *lines[::-1], "z"])] == ["replace"]
