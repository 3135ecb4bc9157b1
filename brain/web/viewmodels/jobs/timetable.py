"""What comes by itself, as the page shows it: on or off, how often, how the last run went, and the next one."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.utils.formats import date_format

from brain import clock, tasks
from brain.errors import BrainError
from brain.jobs import schedules
from brain.jobs.models import Job
from brain.language import gettext as _
from brain.tasks import Periodic
from brain.web.badges import Badge
from brain.web.viewmodels.jobs import words

_CHOICES: Final = ("5m", "10m", "15m", "30m", "1h", "2h", "6h", "12h", "1d", "7d", "30d")
_ARCHIVING: Final = {"retention": "archive-due"}  # a kind that finds -> the one that acts on what was found


@dataclass(frozen=True)
class Choice:
    """An interval that may be chosen."""

    value: str
    label: str
    is_chosen: bool


@dataclass(frozen=True)
class LastRun:
    """How the last run went; `log` is what it said."""

    job: str
    state: Badge
    at: datetime
    took: str
    result: str
    log: str


@dataclass(frozen=True)
class ScheduleItem:
    """A kind that comes by itself; `act` is the kind of job that does something about `acts_on` things found."""

    kind: str
    title: str
    is_on: bool
    is_possible: bool
    state: Badge
    choices: tuple[Choice, ...]
    last: LastRun | None
    next_run: datetime | None
    next_time: str
    is_live: bool
    act: str
    act_title: str


def items() -> tuple[ScheduleItem, ...]:
    """Return the timetable as it is now."""
    return tuple(_item(one) for one in tasks.periodic())


def _item(one: Periodic) -> ScheduleItem:
    act = _ARCHIVING[one.kind] if one.kind in _ARCHIVING and _is_something_due() else ""
    return ScheduleItem(
        kind=one.kind,
        title=one.title,
        is_on=one.enabled,
        is_possible=one.is_possible,
        state=Badge(_("Turned on"), "check", "ok") if one.enabled else Badge(_("Turned off"), "minus"),
        choices=_choices(one),
        last=_last(one.last) if one.last else None,
        next_run=one.next_run,
        next_time=_time(one.next_run) if one.next_run else "",
        is_live=one.last is not None and not one.last.ended,
        act=act,
        act_title=tasks.title(act) if act else "",
    )


def _is_something_due() -> bool:
    from brain.services.keeping import retaining

    try:
        return bool(retaining.due())
    except BrainError:  # the page tells of an index that cannot be read where it tells of such things
        return False


def _choices(one: Periodic) -> tuple[Choice, ...]:
    """Return the usual intervals within the limits, and the one in force."""
    usual = [schedules.span(text) for text in _CHOICES]
    spans = sorted({one.every, *(each for each in usual if one.least <= each <= one.most)})
    return tuple(Choice(schedules.spelled(each), _every(each), each == one.every) for each in spans)


def _every(length: timedelta) -> str:
    return _("every %(span)s") % {"span": words.span(length)}


def _last(job: Job) -> LastRun:
    return LastRun(
        job=job.pk,
        state=words.state_of(job),
        at=job.finished_at or job.started_at or job.created_at,
        took=words.took(job),
        result=words.came_of(job),
        log=job.log if job.ended else "",
    )


def _time(moment: datetime) -> str:
    """Return when the next run is: the hour today, the day too on another one."""
    local = moment.astimezone().replace(tzinfo=None)
    if moment <= clock.now():
        return _("as soon as a worker is free")
    return date_format(local, "H:i" if local.date() == clock.today() else "d/m H:i")
