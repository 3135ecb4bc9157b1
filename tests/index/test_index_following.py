"""A person's edit is in the index with nobody reading, and half of a file is not."""

from __future__ import annotations

import os
import threading
import time

import pytest

from brain.index import database, following, refresh
from brain.store import tree
from brain.store.watch import Manner, Reason, Way


@pytest.fixture
def titles(brain):
    def read() -> list[str]:
        return sorted(str(row[0]) for row in database.query("SELECT title FROM note"))

    return read


@pytest.fixture
def until():
    def wait(true, seconds: float = 30.0) -> None:
        deadline = time.monotonic() + seconds
        while not true():
            assert time.monotonic() < deadline, "it did not happen"
            time.sleep(0.02)

    return wait


@pytest.fixture(params=["", "scan"])
def followed(brain, request, monkeypatch):
    """A brain that a process follows: the kernel tells of changes, or the folder is looked at."""
    if request.param:
        monkeypatch.setenv("CABECAO_WATCH", request.param)
        monkeypatch.setitem(following._LOOK_SECONDS, Way.POLL, 0.05)
    refresh.catch_up(seconds=60)
    refresh.watch(brain.here)
    return brain


def test_an_edit_comes_in_with_nobody_reading(followed, titles, until):
    followed.note("wiki/a.md", "O tatu.", title="Um")
    until(lambda: titles() == ["Um"])
    followed.note("wiki/a.md", "O tatu.", title="Outro")
    until(lambda: titles() == ["Outro"])
    (followed.root / "wiki/a.md").rename(followed.root / "wiki/b.md")
    until(lambda: database.query("SELECT path FROM note") == [("wiki/b.md",)])
    (followed.root / "wiki/b.md").unlink()
    until(lambda: titles() == [])


def test_half_a_file_never_comes_in_by_itself(followed, titles, until):
    followed.note("wiki/a.md", "O tatu.", title="Inteira")
    until(lambda: titles() == ["Inteira"])
    seen: set[str] = set()
    text = "---\ntitle: Nova\n---\n\n" + "O tatu cava.\n" * 20
    place = followed.root / "wiki/a.md"
    with place.open("w") as stream:
        for sign in text[:60]:
            stream.write(sign)
            stream.flush()
            seen.update(titles())
            time.sleep(0.01)
        stream.write(text[60:])

    def is_in() -> bool:
        now = titles()
        seen.update(now)
        return now == ["Nova"]

    until(is_in)
    assert seen == {"Inteira", "Nova"}


def test_what_another_process_stood_in_the_way_of_comes_in_when_it_is_gone(followed, titles, until):
    from filelock import FileLock

    with FileLock(followed.root / ".cabecao" / "index.lock"):
        followed.note("wiki/a.md", "O tatu.", title="Um")
        time.sleep(0.3)
        assert titles() == []
    until(lambda: titles() == ["Um"])


def test_stopping_ends_the_background(followed):
    keeper = refresh._follower().keeper
    assert keeper.is_alive()
    refresh.stop()
    assert not keeper.is_alive()


class Told:
    """A watch that says what a test wants."""

    def __init__(self, way: Way) -> None:
        self.manner = Manner(way, Reason.ASKED)
        self.waits: list[float] = []

    def wait(self, seconds: float) -> bool:
        self.waits.append(seconds)
        return False


@pytest.mark.parametrize(("way", "least", "most"), [(Way.EVENTS, 3000, 3600), (Way.POLL, 0.5, 1), (Way.BOTH, 9, 10)])
def test_how_long_is_waited_depends_on_the_way(way, least, most):
    one, stopped = Told(way), threading.Event()
    one.wait = lambda seconds: one.waits.append(seconds) or stopped.set()
    following.follow(one, stopped, lambda look: True)
    assert least < one.waits[0] <= most


def test_a_look_that_takes_long_is_taken_seldom():
    assert following._pause(Told(Way.POLL), 0.0) == 1.0
    assert following._pause(Told(Way.POLL), 2.0) == 100.0


def test_a_file_that_changes_while_it_is_read_is_read_again(tmp_path, monkeypatch):
    (tmp_path / "a.md").write_text("Metade")
    real, reads = tree._content, []

    def content(stream, began, **more):
        found = real(stream, began, **more)
        if not reads:
            (tmp_path / "a.md").write_text("Metade e o resto")
            os.utime(tmp_path / "a.md", ns=(1, 1))
        reads.append(found.raw)
        return found

    monkeypatch.setattr(tree, "_content", content)
    assert tree.read(tmp_path, "a.md", most=100, keep=100).raw == b"Metade e o resto"
    assert len(reads) == 2
