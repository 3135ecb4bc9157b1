"""Keeping the index as new as the tree: at each read, after each write, and in the background where much is to do.

A read takes the index lock only where something changed, and waits for it a moment until its process has seen the whole
tree once, later never: then it answers from the index as it is, with a warning. A process that lives long watches the
tree; another walks it, once for each call.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from django.db.utils import DatabaseError

from brain import clock, config
from brain.config import Brain
from brain.errors import BrainError, IndexFailed
from brain.index import database, following, schema, sqlite_file
from brain.index.intake import scanning
from brain.index.intake.scanning import Todo
from brain.language import gettext as _
from brain.language import ngettext
from brain.store import watch as watching
from brain.store.changes import Changes
from brain.store.watch import Watch

logger = logging.getLogger(__name__)

Progress = Callable[[int, int], object]
_WRITER_WAITS: Final = 10.0
_READER_WAITS: Final = 0.5  # for another thread of this process, which is doing the same work
_FIRST_WAITS: Final = 0.2  # for another process, before this one has seen the whole tree once: never later
_SHARES: Final = 0.1  # of a read with the background that works already: the read answers soon and says what is left
_PAUSE: Final = 0.01  # between two chunks, so that a writer gets its turn
_BACKGROUND_SECONDS: Final = 0.3
_BUSY: Final = "busy"
_FAILED: Final = "failed"


@dataclass(frozen=True)
class Freshness:
    """Whether the index knows the whole tree: a warning where it may not, and how many files it has still to read."""

    warning: str | None = None
    pending: int = 0


@dataclass
class _Follower:
    """What this process knows of one brain's tree, and how it hears of changes."""

    brain: Brain
    watch: Watch | None = None
    mutex: threading.Lock = field(default_factory=threading.Lock)
    changes: Changes = field(default_factory=lambda: Changes(overflow=True))
    todo: Todo = field(default_factory=Todo)
    followed: sqlite_file.Identity | None = None
    worker: threading.Thread | None = None
    keeper: threading.Thread | None = None
    stopped: threading.Event = field(default_factory=threading.Event)
    has_been_whole: bool = False

    @property
    def lives_long(self) -> bool:
        return self.watch is not None


_followers: dict[Path, _Follower] = {}
_followers_lock = threading.Lock()


def catch_up(*, seconds: float = 2.0, progress: Progress | None = None) -> Freshness:
    """Take in what changed in the tree; stops after `seconds`, never waits for another process, never fails."""
    follower = _follower()
    if not follower.mutex.acquire(timeout=_READER_WAITS):
        return _freshness(follower, _BUSY)
    try:
        return _freshness(follower, _attempt(follower, time.monotonic() + seconds, progress))
    finally:
        follower.mutex.release()


def apply(paths: Iterable[str]) -> None:
    """Take in files that were just written or removed; IndexFailed where another process keeps the index too long."""
    from brain.index.intake import settling

    brain = config.here()
    try:
        with database.lock(seconds=_WRITER_WAITS) as held:
            if not held:
                raise IndexFailed(_("Another process has been working on the index for too long."))
            with database.writing() as cursor:
                todo = scanning.compare(cursor, brain.root, Changes(paths=set(paths)))
                settling.settle(cursor, brain.root, todo, relation_types=brain.config().relation_types)
    except DatabaseError as error:
        database.repair(error)
        raise IndexFailed(_("The index could not be written (%(kind)s).") % {"kind": type(error).__name__}) from error


def watch(brain: Brain) -> None:
    """Follow the tree from now on, in a process that lives long; what is to do goes on in the background."""
    follower = _follower(brain)
    with follower.mutex:
        if follower.watch is None:
            follower.watch = watching.start(brain.root)
            follower.changes = Changes(overflow=True)
            follower.keeper = threading.Thread(target=_keep_up, args=(follower,), name="index-follow", daemon=True)
            follower.keeper.start()
    threading.Thread(target=_check_once, name="index-check", daemon=True).start()


def stop() -> None:
    """Stop following every brain and wait for the background to end."""
    with _followers_lock:
        ended = list(_followers.values())
        _followers.clear()
    for follower in ended:
        follower.stopped.set()
        if follower.watch is not None:
            follower.watch.wake()
        for thread in (follower.keeper, follower.worker):
            if thread is not None:
                thread.join()
        if follower.watch is not None:
            follower.watch.close()


def pending() -> int:
    """Return how many files this process knows to be waiting."""
    return len(_follower().todo)


def _follower(brain: Brain | None = None) -> _Follower:
    brain = brain or config.here()
    with _followers_lock:
        return _followers.setdefault(brain.root, _Follower(brain))


def _keep_up(follower: _Follower) -> None:
    watch = follower.watch
    assert watch is not None  # noqa: S101 (started with it)
    try:
        following.follow(watch, follower.stopped, lambda look: _take_in(follower, look=look))
    finally:
        database.close()


def _take_in(follower: _Follower, *, look: bool) -> bool:
    """Take in what changed with nobody waiting for it, half-written files once they are whole; tell if all is in."""
    if not follower.mutex.acquire(timeout=_READER_WAITS):
        return False
    try:
        if look:
            follower.changes.overflow = True
        reason = _attempt(follower, time.monotonic() + _BACKGROUND_SECONDS, None, patient=True)
        return reason is None and not follower.changes
    finally:
        follower.mutex.release()


def _attempt(
    follower: _Follower, deadline: float, progress: Progress | None, *, again: bool = True, patient: bool = False
) -> str | None:
    """Catch up, once more on a new index where the old one turns out damaged; return why it failed, if it did."""
    try:
        return _catch_up(follower, deadline, progress, patient=patient)
    except (DatabaseError, OSError, BrainError) as error:
        if again and isinstance(error, DatabaseError) and database.repair(error):
            return _attempt(follower, deadline, progress, again=False)
        logger.warning("The index could not be brought up to date (%s).", type(error).__name__)
        return _FAILED


def _catch_up(follower: _Follower, deadline: float, progress: Progress | None, *, patient: bool) -> str | None:
    """Do what there is to do until the deadline; return why something was left undone, if it was.

    Who is `patient` leaves a file that was written to just now until it is whole.
    """
    database.connected()
    _hear(follower)
    if follower.changes:
        _compare(follower, patient=patient)
    if follower.worker is not None:
        deadline = min(deadline, time.monotonic() + _SHARES)
    reason = _settle(follower, deadline, progress) if follower.todo else None
    if reason is None and follower.todo and follower.lives_long:
        _continue_in_background(follower)
    follower.has_been_whole = follower.has_been_whole or not follower.todo
    return reason


def _hear(follower: _Follower) -> None:
    """Gather what changed: by the watch, or everything where there is none or the index is not the one of before."""
    heard = follower.watch.drain() if follower.watch is not None else Changes(overflow=True)
    follower.changes.add(heard)
    now = sqlite_file.identity(database.file())
    if follower.followed != now:
        follower.changes.overflow = True
        follower.todo = Todo()
        follower.followed = now


def _compare(follower: _Follower, *, patient: bool) -> None:
    root = follower.brain.root
    later: set[str] = set()
    with database.connected().cursor() as cursor:
        found = scanning.compare(cursor, root, follower.changes)
        if not follower.changes.overflow:
            for path in scanning.unchanged(cursor, root, found):
                del found.read[path]
        elif patient:
            later = scanning.fresh(root, found)
            for path in later:
                del found.read[path]
    follower.todo.add(found)
    follower.changes = Changes(paths=later)


def _settle(follower: _Follower, deadline: float, progress: Progress | None) -> str | None:
    with database.lock(seconds=0.0 if follower.has_been_whole else _FIRST_WAITS) as held:
        if not held:
            return _BUSY
        total = done = len(follower.todo)
        while follower.todo:
            _settle_some(follower, wait=False)
            done = total - len(follower.todo)
            if progress is not None:
                progress(done, total)
            if time.monotonic() > deadline:
                break
    return None


def _settle_some(follower: _Follower, *, wait: bool) -> None:
    from brain.index.intake import rows, settling  # what reads notes loads where there is something to read

    some = follower.todo.take(scanning.CHUNK)
    try:
        with database.writing(wait=wait) as cursor:
            settling.settle(cursor, follower.brain.root, some, relation_types=follower.brain.config().relation_types)
            if not follower.todo:
                rows.set_about(cursor, "last_scan", clock.timestamp())
    except BaseException:
        some.add(follower.todo)
        follower.todo = some
        raise


def _continue_in_background(follower: _Follower) -> None:
    if follower.worker is not None:
        return
    follower.worker = threading.Thread(target=_work, args=(follower,), name="index-worker", daemon=True)
    follower.worker.start()


def _work(follower: _Follower) -> None:
    try:
        while not follower.stopped.is_set():
            with follower.mutex:
                if not follower.todo:
                    follower.worker = None
                    return
                with database.lock(seconds=_PAUSE) as held:
                    if held:
                        _settle_some(follower, wait=True)
            follower.stopped.wait(_PAUSE)
    except (DatabaseError, OSError, BrainError) as error:
        logger.warning("The index could not be brought up to date (%s).", type(error).__name__)
    finally:
        if follower.worker is threading.current_thread():
            follower.worker = None
        database.close()


def _check_once() -> None:
    try:
        schema.check()
    except BrainError as error:
        logger.warning("The index could not be checked (%s).", type(error).__name__)


def _freshness(follower: _Follower, reason: str | None) -> Freshness:
    left = len(follower.todo)
    if reason == _BUSY:
        return Freshness(_("Another process is updating the index; the newest changes may be missing here."), left)
    if reason == _FAILED:
        return Freshness(_("The index could not be updated; the newest changes may be missing here."), left)
    if left:
        text = ngettext(
            "%(count)d note is still to be indexed; it is missing here.",
            "%(count)d notes are still to be indexed; they are missing here.",
            left,
        )
        return Freshness(text % {"count": left}, left)
    return Freshness()
