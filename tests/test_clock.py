"""Identifiers: in order within a process, never the same in two."""

from __future__ import annotations

import os
from datetime import timedelta

import pytest

from brain import clock


def of_a_child() -> str:
    read, write = os.pipe()
    if os.fork() == 0:
        os.write(write, clock.new_id().encode())
        os._exit(0)
    os.wait()
    os.close(write)
    with os.fdopen(read) as stream:
        return stream.read()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_two_children_of_one_process_never_make_the_same_identifier(monkeypatch):
    ahead = clock.now() + timedelta(days=1)
    with monkeypatch.context() as patch:
        patch.setattr(clock, "now", lambda: ahead)
        clock.new_id()
    made = [of_a_child() for _child in range(3)]
    assert len(set(made)) == 3
    assert all(clock.is_id(one) for one in made)
    clock._last[0] = 0
