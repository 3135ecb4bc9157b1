"""How one text becomes another, as rows."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.web.difference import Difference, Kind, compare

LINES = st.lists(st.sampled_from(["", "a", "b b", "c d e", "ç ã", "- x"]), max_size=40).map("\n".join)


def text_of(difference: Difference, kind: Kind) -> list[str]:
    return ["".join(piece.text for piece in line.pieces) for line in difference.lines if line.kind is kind]


def test_only_the_words_that_differ_are_marked():
    difference = compare("Escreva no presente.", "Escreva no imperativo.")

    marked = [[piece.text for piece in line.pieces if piece.is_changed] for line in difference.lines]
    assert marked == [["presente"], ["imperativo"]]
    assert (difference.added, difference.removed) == (1, 1)


def test_lines_with_little_in_common_are_marked_whole():
    difference = compare("abc def", "uma frase bem outra")

    assert all(piece.is_changed for line in difference.lines for piece in line.pieces)


def test_the_middle_of_equal_lines_is_folded_with_its_count():
    same = [f"linha {number}" for number in range(20)]
    difference = compare("\n".join(["x", *same, "y"]), "\n".join(["X!", *same, "Y!"]))

    folds = [line.count for line in difference.lines if line.kind is Kind.FOLDED]
    assert folds == [14]


def test_equal_texts_are_one_fold():
    difference = compare("a\nb\nc\n", "a\nb\nc\n")

    assert [line.kind for line in difference.lines] == [Kind.FOLDED]
    assert (difference.added, difference.removed) == (0, 0)


@given(LINES, LINES)
def test_every_line_is_shown_or_counted_and_numbers_fit(before, after):
    difference = compare(before, after)

    folded = sum(line.count for line in difference.lines)
    same = sum(line.kind is Kind.SAME for line in difference.lines)
    assert folded + same + difference.removed == len(before.splitlines())
    assert folded + same + difference.added == len(after.splitlines())
    for line in difference.lines:
        text = "".join(piece.text for piece in line.pieces)
        assert line.old is None or before.splitlines()[line.old - 1] == text
        assert line.new is None or after.splitlines()[line.new - 1] == text


def test_a_difference_is_cut_after_as_many_rows_as_are_wanted_and_counts_the_rest():
    difference = compare("", "\n".join(f"linha {number}" for number in range(50)), most=10)

    assert (len(difference.lines), difference.added, difference.is_cut) == (10, 50, True)
    assert not compare("", "\n".join("ab"), most=2).is_cut


def test_a_line_longer_than_all_rows_is_cut_too():
    difference = compare("a " * 50_000, "b " * 50_000, most=10)

    assert sum(len(piece.text) for line in difference.lines for piece in line.pieces) <= 10 * 200
    assert sum(len(piece.text) for piece in difference.after) <= 10 * 200
    assert difference.is_cut


def test_a_difference_that_is_to_be_decided_is_never_cut():
    difference = compare("", "x" * 3_000_000 + "\n" + "y\n" * 5_000)

    assert len(difference.lines) == 5_001
    assert not difference.is_cut
