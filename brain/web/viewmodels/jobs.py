"""Jobs as the page shows them: what runs and how far, what waits, how the rest ended, and what comes by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.formats import date_format

from brain import clock, tasks
from brain.jobs import progress, workers
from brain.jobs.models import Job, State
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from brain.tasks import Periodic
from brain.web.badges import Badge

_STARTABLE: Final = {"sync": "waypoints", "reindex": "refresh-cw"}
_LAST_LINES: Final = 8
_STATES: Final = {
    State.QUEUED: (N_("Waiting"), "clock", "chip"),
    State.RUNNING: (N_("Running"), "refresh-cw", "accent"),
    State.DONE: (N_("Done"), "circle-check", "ok"),
    State.FAILED: (N_("Failed"), "circle-x", "bad"),
    State.CANCELLED: (N_("Cancelled"), "x", "chip"),
}


@dataclass(frozen=True)
class Bar:
    """How far a job is, as the progress part draws it; without `max` nobody knows."""

    label: str
    value: int
    max: int
    note: str


@dataclass(frozen=True)
class JobItem:
    """A job as a row; `bar` while it is live, `lines` and `message` where it failed."""

    id: str
    title: str
    state: Badge
    at: datetime
    took: str
    bar: Bar | None
    message: str
    lines: str
    kind: str
    can_retry: bool
    is_stopping: bool


@dataclass(frozen=True)
class PeriodicItem:
    """What is done by itself, how often and when next."""

    title: str
    every: str
    last: datetime | None
    next_run: datetime | None
    next_time: str


@dataclass(frozen=True)
class Startable:
    """A kind of job that a person may start now."""

    kind: str
    title: str
    icon: str


@dataclass(frozen=True)
class JobsPage:
    """All of it; `has_worker` tells whether anything will move at all."""

    live: tuple[JobItem, ...]
    ended: tuple[JobItem, ...]
    periodic: tuple[PeriodicItem, ...]
    has_worker: bool
    can_start: tuple[Startable, ...]


def page() -> JobsPage:
    """Return the jobs as they are now."""
    found = progress.recent()
    live = tuple(_item(job) for job in found if not job.ended)
    return JobsPage(
        live=live,
        ended=tuple(_item(job) for job in found if job.ended),
        periodic=tuple(_periodic(one) for one in tasks.periodic()),
        has_worker=workers.alive(),
        can_start=tuple(
            Startable(kind, tasks.title(kind), icon)
            for kind, icon in _STARTABLE.items()
            if all(one.kind != kind for one in live)
        ),
    )


def _item(job: Job) -> JobItem:
    state = State(job.state)
    word, icon, tint = _STATES[state]
    return JobItem(
        id=job.pk,
        title=tasks.title(job.kind),
        state=Badge(_(word), icon, tint),
        at=job.finished_at or job.started_at or job.created_at,
        took=_span(job.finished_at - job.started_at) if job.finished_at and job.started_at else "",
        bar=None if job.ended else _bar(job),
        message=job.error_message,
        lines="\n".join(job.log.splitlines()[-_LAST_LINES:]) if state is State.FAILED else "",
        kind=job.kind,
        can_retry=state in (State.FAILED, State.CANCELLED) and job.kind in tasks.KINDS,
        is_stopping=job.cancel_requested and not job.ended,
    )


def _bar(job: Job) -> Bar:
    label = job.step or tasks.title(job.kind)
    if job.state != State.RUNNING:
        return Bar(label, 0, 1, _("waits for its turn"))
    if not job.total:
        return Bar(label, 0, 0, _("started"))
    counted = _("%(done)d of %(total)d") % {"done": job.done, "total": job.total}
    left = _left(job)
    return Bar(label, job.progress, 1000, f"{counted}, {left}" if left else counted)


def _left(job: Job) -> str:
    """Return how long it may still take, judged by its pace so far; nothing in its first tenth."""
    if job.started_at is None or job.progress < 100:
        return ""
    passed = clock.now() - job.started_at
    return _("about %(span)s left") % {"span": _span(passed * (1000 - job.progress) / job.progress)}


def _periodic(one: Periodic) -> PeriodicItem:
    last = one.last.finished_at or one.last.created_at if one.last else None
    following = date_format(one.next_run.astimezone().replace(tzinfo=None), "H:i") if one.next_run else ""
    return PeriodicItem(one.title, _("every %(span)s") % {"span": _span(one.every)}, last, one.next_run, following)


def _span(length: timedelta) -> str:
    seconds = max(1, round(length.total_seconds()))
    if seconds < 120:
        return ngettext("%(count)d s", "%(count)d s", seconds) % {"count": seconds}
    minutes = round(seconds / 60)
    if minutes < 120:
        return ngettext("%(count)d min", "%(count)d min", minutes) % {"count": minutes}
    return ngettext("%(count)d h", "%(count)d h", round(minutes / 60)) % {"count": round(minutes / 60)}
