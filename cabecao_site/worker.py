"""The worker process: carries jobs one at a time, keeps the schedule, and ends with its parent.

`python -m cabecao_site.worker --brain DIR --parent PID`. On SIGTERM it finishes what it is at if that takes under four
seconds; longer work goes back into the queue and the process ends.
"""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Final

from brain.config import Brain
from brain.errors import BrainError
from cabecao_site import bootstrap

GRACE_SECONDS: Final = 4.0
_PARENT_SECONDS: Final = 0.5
_log = logging.getLogger(__name__)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a worker until it is told to end; return the exit status."""
    options = _parse(arguments)
    os.dup2(2, 1)  # the parent's standard output is not ours to write to
    if options.parent:
        _in_background("parent", lambda: _end_with(options.parent))
    try:
        brain = bootstrap.start(options.brain, lean=False)
        bootstrap.prepare_records()
        return work(brain, with_beat=not options.no_beat)
    except BrainError as error:
        sys.stderr.write(f"{error.message}\n{error.next_step}\n")
        return 1


def work(brain: Brain, *, with_beat: bool = True) -> int:
    """Carry jobs until SIGTERM or SIGINT; return the exit status."""
    from brain import tasks
    from brain.jobs import workers
    from cabecao_site.celery import app, queue

    worker = app.WorkController(
        pool="solo",
        queues=[queue()],
        use_eventloop=False,  # with it an acknowledgement may lie for seconds, and the broker gives no next message
        without_gossip=True,
        without_mingle=True,
        without_heartbeat=True,
    )
    end_on_signals()
    workers.beat()
    tasks.recover()
    _in_background("signs-of-life", lambda: _keep_watch(brain, with_beat=with_beat))
    worker.start()
    workers.leave()
    return int(worker.exitcode or 0)


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="cabecao worker", description="Carry background jobs of a brain.")
    parser.add_argument("--brain", type=Path, required=True, help="the brain's folder")
    parser.add_argument("--parent", type=int, default=0, help="end when this process does")
    parser.add_argument("--no-beat", action="store_true", help="leave the schedule to another worker")
    return parser.parse_args(arguments)


def _keep_watch(brain: Brain, *, with_beat: bool) -> None:
    """Say every few seconds that this worker lives, and keep the schedule as soon as no other worker does."""
    from brain.jobs import workers

    while True:
        if with_beat and _keep_schedule(brain):
            with_beat = False
        try:
            workers.beat()
        except Exception:  # noqa: BLE001 (a busy or full disk now may be neither in ten seconds)
            _log.warning("The worker could not say that it lives", exc_info=True)
        time.sleep(workers.EVERY_SECONDS)


def _keep_schedule(brain: Brain) -> bool:
    """Start the schedule if no other worker keeps it; the lock frees itself when its holder dies."""
    from celery.beat import EmbeddedService
    from filelock import FileLock, Timeout

    from cabecao_site.celery import app
    from cabecao_site.timetable import Timetable

    lock = FileLock(brain.machine / "schedule.lock", timeout=0, is_singleton=True)
    try:
        lock.acquire()
    except Timeout:
        return False
    _keep.append(lock)
    EmbeddedService(app, thread=True, scheduler_cls=Timetable).start()
    return True


_keep: list[Any] = []  # locks held for as long as the process lives


_told: SimpleQueue[None] = SimpleQueue()  # its put() is safe inside a signal's handler, which Thread.start() is not


def end_on_signals() -> None:
    """Let SIGTERM and SIGINT end this worker; from the main thread."""
    _in_background("ending", _end_when_told)
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _told.put(None))


def _end_when_told() -> None:
    """Wait to be told, then take no more jobs and end: at once if idle, in four seconds with work put back."""
    from celery.worker import state

    _told.get()
    state.should_stop = 0
    _exit_after(GRACE_SECONDS)


def _exit_after(seconds: float) -> None:
    from brain.jobs import progress, workers

    time.sleep(seconds)
    last_resort = threading.Timer(0.7, os._exit, (1,))
    last_resort.daemon = True
    last_resort.start()
    progress.hand_back()
    workers.leave()
    os._exit(0)


def _end_with(parent: int) -> None:
    """Wait for the end of the parent, known by its start as well as its number, then end this process too."""
    from brain.jobs import process

    known = process.of(parent)
    while known is not None and process.of(parent) == known:
        time.sleep(_PARENT_SECONDS)
    _told.put(None)
    _exit_after(GRACE_SECONDS)


def _in_background(name: str, target: Callable[[], object]) -> None:
    threading.Thread(target=target, name=name, daemon=True).start()


if __name__ == "__main__":
    sys.exit(main())
