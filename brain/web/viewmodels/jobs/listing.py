"""Jobs as the page shows them: what runs and how far, what waits, how the rest ended, and what comes by itself."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from brain import clock, tasks
from brain.jobs import progress, workers
from brain.jobs.models import Job, State
from brain.language import gettext as _
from brain.web.badges import Badge
from brain.web.viewmodels.jobs import timetable, words
from brain.web.viewmodels.jobs.timetable import ScheduleItem

_STARTABLE: Final = {"sync": "waypoints", "reindex": "refresh-cw"}
_LAST_LINES: Final = 12


@dataclass(frozen=True)
class Bar:
    """How far a job is, as the progress part draws it; without `max` nobody knows."""

    label: str
    value: int
    max: int
    note: str


@dataclass(frozen=True)
class JobItem:
    """A job as a row; `bar` while it is live, `message` and `lines` say what came of it."""

    id: str
    title: str
    state: Badge
    at: datetime
    took: str
    bar: Bar | None
    message: str
    lines: str
    is_bad: bool
    kind: str
    can_retry: bool
    is_stopping: bool


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
    schedules: tuple[ScheduleItem, ...]
    has_worker: bool
    can_start: tuple[Startable, ...]


def page() -> JobsPage:
    """Return the jobs as they are now."""
    found = progress.recent()
    live = tuple(item(job) for job in found if not job.ended)
    return JobsPage(
        live=live,
        ended=tuple(item(job) for job in found if job.ended and not _went_well_by_itself(job)),
        schedules=timetable.items(),
        has_worker=workers.alive(),
        can_start=tuple(
            Startable(kind, tasks.title(kind), icon)
            for kind, icon in _STARTABLE.items()
            if all(one.kind != kind for one in live)
        ),
    )


def _went_well_by_itself(job: Job) -> bool:
    """Tell whether a job is told of by its schedule alone, so that it hides none that a person looks for."""
    return job.state == State.DONE and job.requested_by == tasks.BY_SCHEDULE


def item(job: Job) -> JobItem:
    """Return a job as a row."""
    state = State(job.state)
    return JobItem(
        id=job.pk,
        title=tasks.title(job.kind),
        state=words.state_of(job),
        at=job.finished_at or job.started_at or job.created_at,
        took=words.took(job),
        bar=None if job.ended else _bar(job),
        message=words.came_of(job),
        lines="\n".join(job.log.splitlines()[-_LAST_LINES:]),
        is_bad=state is State.FAILED,
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
    return _("about %(span)s left") % {"span": words.span(passed * (1000 - job.progress) / job.progress)}
