"""Flushes to the disk, each of them counted, so that Git's own event trace tells of them beside those of Git."""

from __future__ import annotations

import contextlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, TypeVar

Done = TypeVar("Done")
_TRACE: Final = "GIT_TRACE2_EVENT"
_made = [0]
_told = [0]
_counting = [threading.Lock()]
_AT_ONCE: Final = 6
_pool: list[ThreadPoolExecutor] = []


def _start_afresh() -> None:
    """Forget the threads and the lock of the parent: a forked child has neither."""
    _pool.clear()
    _counting[0] = threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_afresh)


def flush(descriptor: int) -> None:
    """Return once what was written to an open file, or renamed in an open folder, is on the disk."""
    if sys.platform == "darwin":
        import fcntl

        fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)  # fsync leaves it in the drive's cache there
    else:
        os.fsync(descriptor)
    with _counting[0]:
        _made[0] += 1


def flush_content(descriptor: int) -> None:
    """Return once a file's content is on the disk; its times may follow later, which spares a turn of the disk."""
    if sys.platform == "linux":
        os.fdatasync(descriptor)
        with _counting[0]:
            _made[0] += 1
    else:
        flush(descriptor)


def together(flush_one: Callable[..., object], jobs: Iterable[tuple[object, ...]]) -> None:
    """Do jobs that flush side by side, for the file system then commits them together; the first failure is raised."""
    waiting = list(jobs)
    if len(waiting) < 2:
        for job in waiting:
            flush_one(*job)
        return
    failures = [one.exception() for one in [begin(flush_one, *job) for job in waiting]]
    for failure in failures:
        if failure is not None:
            raise failure


def begin(flush_one: Callable[..., Done], *job: object) -> Future[Done]:
    """Begin a job that flushes, beside whatever comes next, and return what will tell how it ended."""
    try:
        if not _pool:
            _pool.append(ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="flush"))
        return _pool[0].submit(copy_context().run, flush_one, *job)
    except RuntimeError:  # no thread can be started: the process is ending, or is at its limit
        done: Future[Done] = Future()
        try:
            done.set_result(flush_one(*job))
        except Exception as error:  # noqa: BLE001 (raised where the result is asked for)
            done.set_exception(error)
        return done


def flush_folder(folder: Path | str) -> None:
    """Flush a folder's entries to the disk; a no-op where the system cannot."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        flush(descriptor)
    finally:
        os.close(descriptor)


def tell_trace() -> None:
    """Add the flushes since the last call to the file that Git's event trace goes to, in its own form."""
    place = os.environ.get(_TRACE, "")
    count, _told[0] = _made[0] - _told[0], _made[0]
    if not os.path.isabs(place) or not os.path.isfile(place):  # noqa: PTH113, PTH117 (off nearly always)
        return
    event = {
        "event": "data",
        "sid": f"cabecao-{os.getpid()}",
        "thread": "main",
        "time": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        "category": "fsync",
        "key": "fsync/hardware-flush",
        "value": str(count),
    }
    with contextlib.suppress(OSError), Path(place).open("a", encoding="utf-8") as stream:
        stream.write(json.dumps(event, separators=(",", ":")) + "\n")
