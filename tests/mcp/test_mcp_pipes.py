import os
import sys
import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mcpbridge import pipes
from mcpbridge.pipes import Pipes


def read_back(*pieces):
    """What the lines of pieces are that arrive one after the other."""
    incoming, sending = os.pipe()

    def send():
        for piece in pieces:
            os.write(sending, piece)
        os.close(sending)

    thread = threading.Thread(target=send)
    thread.start()
    try:
        return list(Pipes(incoming, -1).lines())
    finally:
        thread.join()
        os.close(incoming)


@settings(deadline=None)
@given(st.lists(st.binary(min_size=1, max_size=20).filter(lambda line: b"\n" not in line), max_size=5), st.data())
def test_lines_are_the_same_however_they_are_cut(lines, data):
    whole = b"".join(line + b"\n" for line in lines)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(whole)), max_size=4)))
    pieces = [whole[start:end] for start, end in zip([0, *cuts], [*cuts, len(whole)], strict=True)]
    expected = [line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r") for line in lines]
    assert read_back(*(piece for piece in pieces if piece)) == [line for line in expected if line]


def test_carriage_returns_byte_order_marks_and_blank_lines_are_left_out():
    assert read_back(b"\xef\xbb\xbf{}\r\n\n   \r\n[]\n") == [b"{}", b"[]"]


def test_a_line_without_an_end_is_no_line():
    assert read_back(b"{}\n{") == [b"{}"]


def test_a_line_over_the_limit_is_not_kept_whole(monkeypatch):
    monkeypatch.setattr(pipes, "LINE_LIMIT", 100_000)
    long, short = read_back(b"x" * 1_000_000 + b"\n{}\n")
    assert 100_000 < len(long) < 300_000
    assert short == b"{}"


def test_a_closed_descriptor_ends_the_lines():
    incoming, sending = os.pipe()
    os.close(incoming)
    os.close(sending)
    assert list(Pipes(incoming, -1).lines()) == []


def test_a_long_line_is_written_whole():
    receiving, outgoing = os.pipe()
    got = []

    def receive():
        with os.fdopen(receiving, "rb") as stream:
            got.append(stream.read())

    thread = threading.Thread(target=receive)
    thread.start()
    line = b"y" * 1_000_000 + b"\n"
    Pipes(-1, outgoing).write(line)
    os.close(outgoing)
    thread.join()
    assert got == [line]


@pytest.mark.skipif(sys.platform == "win32", reason="whether a pipe has room can't be told there")
@pytest.mark.parametrize("size", [1, 4_096, 4_097, 60_000, 1_000_000])
def test_what_the_pipe_takes_is_written_at_once_and_the_rest_is_given_back(size):
    incoming, outgoing = os.pipe()
    line = os.urandom(size)
    rest = Pipes(-1, outgoing).begin(line)
    os.close(outgoing)
    with os.fdopen(incoming, "rb") as reader:
        assert reader.read() + bytes(rest) == line
    assert not rest or size == 1_000_000


@pytest.mark.skipif(sys.platform == "win32", reason="whether a pipe has room can't be told there")
def test_nothing_is_begun_where_nobody_listens():
    incoming, outgoing = os.pipe()
    os.close(incoming)
    try:
        assert bytes(Pipes(-1, outgoing).begin(b"{}\n")) == b"{}\n"
    finally:
        os.close(outgoing)


def test_writing_to_nobody_is_an_os_error():
    receiving, outgoing = os.pipe()
    os.close(receiving)
    with pytest.raises(OSError):
        Pipes(-1, outgoing).write(b"{}\n")
    os.close(outgoing)
