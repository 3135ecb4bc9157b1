"""Which workers there are: each says every few seconds that it lives."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Final

from django.db import connections

from brain.clock import now
from brain.jobs import process
from brain.jobs.models import Job, State, Worker

EVERY_SECONDS: Final = 10.0
SILENCE: Final = timedelta(seconds=60)  # after this long without a word, another machine's worker counts as gone


def beat() -> None:
    """Say that this process is a worker that lives, and that the jobs it runs are being run."""
    _spare_the_disk()
    moment = now()
    Worker.objects.update_or_create(identity=process.identity(), defaults={"seen_at": moment})
    Job.objects.filter(state=State.RUNNING, worker=process.identity()).update(heartbeat_at=moment)


def leave() -> None:
    """Say that this process is no worker any more; those that ended without a word are forgotten too."""
    Worker.objects.filter(identity=process.identity()).delete()
    forget_dead()


def forget_dead() -> None:
    """Forget the workers that ended without a word."""
    gone = [one.identity for one in Worker.objects.all() if not is_alive(one)]
    Worker.objects.filter(identity__in=gone).delete()


def last_seen() -> datetime | None:
    """Return when a worker was last seen, None if none ever was (or the last one left in order)."""
    return Worker.objects.order_by("-seen_at").values_list("seen_at", flat=True).first()


def alive() -> bool:
    """Tell whether at least one worker is there to carry jobs."""
    return any(is_alive(worker) for worker in Worker.objects.all())


def is_alive(worker: Worker) -> bool:
    """Tell whether a worker lives: of this machine, by its process; of another one, by its last word."""
    if process.is_here(worker.identity):
        return not process.known_dead(worker.identity)
    return now() - worker.seen_at < SILENCE


def _spare_the_disk() -> None:
    """Let this thread's connection not flush: a lost sign of life costs nothing, a flush every ten seconds does."""
    connection = connections["default"]
    if connection.vendor == "sqlite" and not connection.in_atomic_block:
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA synchronous = NORMAL")
