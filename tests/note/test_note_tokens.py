from hypothesis import given
from hypothesis import strategies as st

from brain.note.tokens import bytes_in, count


def test_a_token_is_three_and_six_tenths_bytes_rounded_up():
    assert [count("a" * size) for size in (0, 1, 3, 4, 18, 19)] == [0, 1, 1, 2, 5, 6]
    assert count("é" * 9) == 5


@given(st.integers(1, 5000))
def test_what_is_said_to_fit_fits(tokens):
    size = bytes_in(tokens)
    assert count("a" * size) <= tokens < count("a" * (size + 1))
