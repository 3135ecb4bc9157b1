"""The life of a job: start, claim, progress, end, and what becomes of it when its worker dies.

Every change of state is one conditional UPDATE, so that two processes never both believe that a job is theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from threading import Event, Thread
from time import monotonic
from typing import Any, Final

from django.db import IntegrityError, connections
from django.db.models import Q, QuerySet

from brain.caller import Report, unheard
from brain.clock import now
from brain.errors import NotFound
from brain.jobs import process, workers
from brain.jobs.models import LIVE, Job, State
from brain.language import gettext as _

ATTEMPTS: Final = 3  # a job whose worker dies is run twice more, then reported
WRITE_SECONDS: Final = 0.25  # progress is written this often at most
RESEND: Final = timedelta(minutes=10)  # a queued job's message may have been lost with the broker
_CLAIMS: Final = 5
LOG_LINES: Final = 50
_running: set[str] = set()  # jobs that this very process is at work on


class Cancelled(Exception):
    """Raised into the work: a person asked to stop, or the job is no longer this process's."""


class Progress:
    """What the work reports to: how far it is, and whether it should stop; who watches is told `also`."""

    def __init__(self, job: Job) -> None:
        self.job_id = job.pk
        self._mine = _as_it_is(job)
        self._shown: dict[str, Any] = {"progress": job.progress, "done": 0, "total": 0, "step": job.step, "result": ""}
        self._lines = job.log.splitlines()
        self._due = 0.0
        self.also: Report = unheard

    def advance(self, done: int, total: int, step: str = "") -> None:
        """Report `done` of `total` units; raises Cancelled when the work should stop."""
        share = min(1000, max(0, done * 1000 // total)) if total > 0 else 0
        if share >= self._shown["progress"]:
            self._shown.update(progress=share, done=max(done, 0), total=max(total, 0))
        self._shown["step"] = (step or self._shown["step"])[:200]
        self.also(done, total, step)
        self.check()

    def say(self, line: str) -> None:
        """Add a line to the job's log; the last ones are kept."""
        self._lines = [*self._lines, line.rstrip("\n")][-LOG_LINES:]
        self.check()

    def conclude(self, result: str) -> None:
        """Say in a sentence what came of it."""
        self._shown["result"] = result[:500]

    def check(self) -> None:
        """Raise Cancelled when the work should stop; looks (and writes) a few times a second at most."""
        if monotonic() >= self._due:
            self._due = monotonic() + WRITE_SECONDS
            wanted = self._mine.filter(cancel_requested=False)
            if not wanted.update(**self._shown, log="\n".join(self._lines), heartbeat_at=now()):
                raise Cancelled(self.job_id)

    @contextmanager
    def watched(self, gone: Event) -> Iterator[None]:
        """Set `gone` as soon as somebody asks to stop, while the work waits for something and reports nothing."""
        over = Event()
        watcher = Thread(target=self._watch, args=(gone, over), name="job-cancel", daemon=True)
        watcher.start()
        try:
            yield
        finally:
            over.set()
            watcher.join()

    def _watch(self, gone: Event, over: Event) -> None:
        try:
            while not over.wait(2 * WRITE_SECONDS):
                if not self._mine.filter(cancel_requested=False).exists():
                    gone.set()
                    return
        finally:
            connections.close_all()

    def end(self, state: State, *, code: str = "", message: str = "", line: str = "") -> bool:
        """Write down how the job ended; False if it was no longer this process's."""
        if state is State.DONE:
            self._shown["progress"] = 1000
        lines = [*self._lines, line] if line else self._lines
        log = "\n".join(lines[-LOG_LINES:])
        return bool(_end(self._mine, state, code=code, message=message, **self._shown, log=log))


def start(kind: str, *, requested_by: str) -> Job:
    """Return the queued or running job of this kind, a new one where there is none."""
    try:
        return Job.objects.get_or_create(kind=kind, state__in=LIVE, defaults={"requested_by": requested_by[:100]})[0]
    except IntegrityError:  # the other one ended just now
        return start(kind, requested_by=requested_by)


def sent(job: Job) -> None:
    """Note that the broker has the job."""
    Job.objects.filter(pk=job.pk).update(sent_at=now())


def find(job_id: str) -> Job:
    """Return a job; NotFound where there is none."""
    job = Job.objects.filter(pk=job_id).first()
    if job is None:
        raise NotFound(_("There is no job %(id)s.") % {"id": job_id}, next_step=_("The Jobs page lists them."))
    return job


def newest(kind: str) -> Job | None:
    """Return the job of a kind that was started last, a live one first."""
    return (
        Job.objects.filter(kind=kind, state__in=LIVE).first() or Job.objects.filter(kind=kind).order_by("-id").first()
    )


def recent(limit: int = 50) -> Sequence[Job]:
    """Return jobs: the running, the queued in their order, then those that ended, newest first."""
    live = list(Job.objects.filter(state__in=LIVE).order_by("-state", "id")[:limit])
    return [*live, *Job.objects.exclude(state__in=LIVE).order_by("-id")[: max(0, limit - len(live))]]


def live() -> frozenset[str]:
    """Return the jobs that are queued or running."""
    return frozenset(Job.objects.filter(state__in=LIVE).values_list("pk", flat=True))


def claim(job_id: str) -> Job | None:
    """Make a job this process's own; None if it ended, is another's, or has been tried often enough.

    Where somebody changes the row at the same moment it is looked at again: the message that led here is the only one.
    """
    for _attempt in range(_CLAIMS):
        job = Job.objects.filter(pk=job_id).first()
        if job is None or job.ended or (job.state == State.RUNNING and (not is_lost(job) or _settle(job))):
            return None
        if job.cancel_requested:
            _end(_as_it_is(job), State.CANCELLED)
            continue
        moment = now()
        mine = {"state": State.RUNNING, "worker": process.identity(), "attempts": job.attempts + 1}
        if _as_it_is(job).update(**mine, started_at=moment, heartbeat_at=moment):
            _running.add(job_id)
            return find(job_id)
    return None


def release(job_id: str) -> None:
    """Say that this process is no longer at work on a job, however it ended."""
    _running.discard(job_id)


def hand_back() -> None:
    """Queue what this process is running again, uncounted: it is about to end and the job is not to blame."""
    for job in Job.objects.filter(state=State.RUNNING, worker=process.identity()):
        _as_it_is(job).update(state=State.QUEUED, worker="", attempts=max(0, job.attempts - 1), sent_at=None)


def cancel(job_id: str) -> Job:
    """Cancel a queued job at once and ask a running one to stop; one that ended stays as it is."""
    job = find(job_id)
    if job.state == State.QUEUED or (job.state == State.RUNNING and is_lost(job)):
        _end(_as_it_is(job), State.CANCELLED, cancel_requested=True)
    Job.objects.filter(pk=job_id, state__in=LIVE).update(cancel_requested=True)
    return find(job_id)


def is_lost(job: Job) -> bool:
    """Tell whether a running job's worker is dead, silent for long (on another machine), or no longer at it."""
    if job.state != State.RUNNING:
        return False
    if job.worker == process.identity():
        return job.pk not in _running
    if process.is_here(job.worker):
        return process.known_dead(job.worker)
    return job.heartbeat_at is None or now() - job.heartbeat_at > 2 * workers.SILENCE


def recover(send: Callable[[Job], None]) -> int:
    """Queue again or report failed every job whose worker died, and send queued ones that the broker may have lost.

    Returns how many jobs were sent.
    """
    for job in Job.objects.filter(state=State.RUNNING):
        if is_lost(job) and not _settle(job):
            _as_it_is(job).update(state=State.QUEUED, worker="", sent_at=None)
    waiting = Job.objects.filter(Q(sent_at=None) | Q(sent_at__lt=now() - RESEND), state=State.QUEUED).order_by("id")
    for job in waiting:
        send(job)
    return len(waiting)


def forget_old(keep: int = 50, *, log_days: int = 30) -> int:
    """Delete the rows of jobs that ended, but for the newest of each kind, and old logs; return how many rows went."""
    gone = 0
    for kind in Job.objects.values_list("kind", flat=True).distinct():
        old = Job.objects.filter(kind=kind).exclude(state__in=LIVE).order_by("-id").values_list("pk", flat=True)[keep:]
        gone += Job.objects.filter(pk__in=list(old)).delete()[0]
    Job.objects.filter(finished_at__lt=now() - timedelta(days=log_days)).exclude(log="").update(log="")
    return gone


def _settle(job: Job) -> bool:
    """End a lost job that a person cancelled or that took its worker with it before; False if it may be run again."""
    if job.cancel_requested:
        _end(_as_it_is(job), State.CANCELLED)
        return True
    if job.attempts < ATTEMPTS:
        return False
    message = _("The worker ended in the middle of it %(times)d times.") % {"times": job.attempts}
    _end(_as_it_is(job), State.FAILED, code="worker_lost", message=message)
    return True


def _as_it_is(job: Job) -> QuerySet[Job]:
    """Select a job only while nobody changed whose it is."""
    return Job.objects.filter(pk=job.pk, state=job.state, worker=job.worker, attempts=job.attempts)


def _end(rows: QuerySet[Job], state: State, *, code: str = "", message: str = "", **fields: Any) -> int:
    return rows.update(state=state, error_code=code, error_message=message, finished_at=now(), **fields)
