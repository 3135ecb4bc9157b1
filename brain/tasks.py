"""The kinds of background job, and how one is handed to the broker.

A message says no more than which job to run; the Job row holds the rest. So a message that comes twice does no harm
and one that is lost is sent again by `recover`.
"""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from time import monotonic, sleep
from typing import Any, Final

from celery import shared_task
from celery.exceptions import Reject
from django.conf import settings
from django.db import DatabaseError
from kombu.exceptions import OperationalError

from brain import config
from brain.audit import chain
from brain.caller import Caller, Surface
from brain.caller import Kind as Who
from brain.clock import now
from brain.errors import GitFailed, HumanOnly, InternalError, InvalidArgument
from brain.jobs import progress, running, schedules
from brain.jobs.models import Job, State
from brain.jobs.progress import Progress
from brain.jobs.schedules import Rhythm
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext

BY_SCHEDULE: Final = "schedule"
_RECOVER_SECONDS: Final = 15.0
_AGAIN_SECONDS: Final = 1.0
_log = logging.getLogger(__name__)
_recovered: list[float] = []  # when this process last looked for jobs whose worker died


def _always() -> bool:
    return True


@dataclass(frozen=True)
class Kind:
    """A kind of job: what it is called on the page, what it does and, if it comes by itself, how often.

    A person may ask for another interval, from `least` to `most`. Where it is not `possible` it does not come; one that
    is not `unasked` comes only once a person has turned it on. One that is the `persons` is started by nobody else.
    """

    title: str
    work: running.Work
    every: timedelta | None = None
    least: timedelta = timedelta(minutes=5)
    most: timedelta = timedelta(days=30)
    possible: Callable[[], bool] = _always
    unasked: bool = True
    persons: bool = False

    @property
    def rhythm(self) -> Rhythm:
        """Return how often it comes by itself."""
        return Rhythm(self.every or self.most, self.least, self.most)

    def comes_by_default(self) -> bool:
        """Tell whether it comes by itself where nobody turned it on or off."""
        return self.unasked and self.possible()


@dataclass(frozen=True)
class Periodic:
    """A kind that comes by itself, with its last and next run; `is_possible` tells whether it can come at all."""

    kind: str
    title: str
    enabled: bool
    is_possible: bool
    every: timedelta
    least: timedelta
    most: timedelta
    last: Job | None
    next_run: datetime | None


def _reindex(report: Progress) -> None:
    from brain.index import notes, schema

    title = _("Reading the notes")
    schema.rebuild(progress=lambda done, total: report.advance(done, total, title))
    count = notes.count()
    report.conclude(ngettext("%(count)d note is in the index.", "%(count)d notes are in the index.", count)
                    % {"count": count})  # fmt: skip


def _sync(report: Progress) -> None:
    """Sync as the person whom this machine belongs to; one that does not end well is a failed job that says why."""
    from brain.services.syncing import running

    caller = replace(_person(), report=report.advance)
    with report.watched(caller.gone):
        output = running.run(caller)
    report.check()
    report.say(output.message)
    report.conclude(output.message)
    for one in output.conflicts:
        report.say(f"{one.path} · {one.copy_path}" if one.copy_path else one.path)
    if output.status != "ok":
        raise GitFailed(f"{output.message} {output.next_step}")


def _has_remote() -> bool:
    from brain.store.plumbing import remotes

    return remotes.is_configured(config.here().root)


def _check_index(report: Progress) -> None:
    from brain.services.keeping import index_check

    index_check.work(report)


def _look_for_due(report: Progress) -> None:
    from brain.services.keeping import retaining

    retaining.look(report)


def _archive_due(report: Progress) -> None:
    from brain.services.keeping import retaining

    retaining.archive(_person(), report)


def _upkeep(report: Progress) -> None:
    from brain.services.keeping import databases

    databases.work(report, tidy_broker=_tidy_broker)


def _person() -> Caller:
    return Caller(Who.HUMAN, "web", Surface.WEB)


def _tidy_broker() -> int:
    return int(_site("broker").tidy(progress.live()))


def recover() -> None:
    """Run jobs again whose worker died, or report them failed."""
    progress.recover(_send)


KINDS: dict[str, Kind] = {
    "sync": Kind(N_("Sync with the remote"), _sync, every=timedelta(minutes=30), possible=_has_remote, unasked=False),
    "index-check": Kind(
        N_("Check the index against the notes"), _check_index, every=timedelta(days=1), least=timedelta(hours=1)
    ),
    "retention": Kind(
        N_("Look for notes past their retention"), _look_for_due, every=timedelta(days=1), least=timedelta(hours=1)
    ),
    "upkeep": Kind(N_("Keep the databases in order"), _upkeep, every=timedelta(days=1), least=timedelta(hours=1)),
    "reindex": Kind(N_("Rebuild the index"), _reindex),
    "archive-due": Kind(N_("Archive the notes past their retention"), _archive_due, persons=True),
}


def enqueue(kind: str, requested_by: str) -> Job:
    """Queue a job of a kind and return it; one that is queued or running already is returned as it is."""
    job = prepare(kind, requested_by)
    if job.sent_at is None or progress.is_lost(job):
        _send(job)
        job.refresh_from_db()
    return job


def prepare(kind: str, requested_by: str) -> Job:
    """Return the live job of a kind, a new one where there is none, for whoever runs it."""
    if kind not in KINDS:
        raise InvalidArgument(
            _("There is no kind of job called %(kind)s.") % {"kind": kind[:64]},
            next_step=_("Choose one of: %(kinds)s.") % {"kinds": ", ".join(KINDS)},
        )
    return progress.start(kind, requested_by=requested_by)


def title(kind: str) -> str:
    """Return what a kind of job is called, in the language in force."""
    return _(KINDS[kind].title) if kind in KINDS else kind


def periodic() -> tuple[Periodic, ...]:
    """Return what comes by itself, with its last and next run; no next run before the first, or where it is off."""
    rows = {kind: row for kind, row in KINDS.items() if row.every is not None}
    known = schedules.settings({kind: row.rhythm for kind, row in rows.items()})
    return tuple(_periodic(kind, rows[kind], known[kind]) for kind in rows)


def turn(kind: str, *, on: bool, by: Caller) -> None:
    """Turn a schedule on or off; InvalidArgument where the kind has none, or cannot run as the brain is."""
    row = _scheduled(kind)
    if on and not row.possible():
        raise InvalidArgument(
            _("There is no remote to sync with. Nothing was changed."),
            next_step=_("Run `git remote add origin ADDRESS` in the brain's folder first."),
        )
    schedules.turn(kind, on=on, by=by.client, rhythm=row.rhythm)
    _record(by, kind, {"enabled": on})


def set_every(kind: str, every: timedelta, *, by: Caller) -> None:
    """Let a kind come at another interval; InvalidArgument where it has no schedule, or outside of its limits."""
    row = _scheduled(kind)
    schedules.set_every(kind, every, by=by.client, rhythm=row.rhythm)
    _record(by, kind, {"every": schedules.spelled(every)})


def start_due() -> list[Job]:
    """Queue each kind whose time has come, unless it ran just now: a person may have been first."""
    started = []
    for kind, row in KINDS.items():
        if row.every is None or not schedules.take(kind, row.rhythm, by_default=row.comes_by_default):
            continue
        if not Job.objects.filter(kind=kind, state=State.DONE, created_at__gt=now() - row.every / 2).exists():
            started.append(enqueue(kind, BY_SCHEDULE))
    return started


def keep_time() -> None:
    """Start what is due, and now and then look for jobs whose worker died; never fails."""
    try:
        start_due()
        if not _recovered or monotonic() - _recovered[0] > _RECOVER_SECONDS:
            _recovered[:] = [monotonic()]
            recover()
    except Exception:  # noqa: BLE001 (a busy or full disk now may be neither in a moment)
        _log.warning("The timetable could not be kept just now", exc_info=True)


def require_startable(kind: str, caller: Caller) -> None:
    """Raise HumanOnly where a kind of job is the person's to start."""
    if kind in KINDS and KINDS[kind].persons and not caller.is_human:
        raise HumanOnly(
            _("“%(title)s” is for the person to start. Nothing was changed.") % {"title": title(kind)},
            next_step=_("Ask the user to start it in a terminal or on the Jobs page."),
        )


def _scheduled(kind: str) -> Kind:
    row = KINDS.get(kind)
    if row is None or row.every is None:
        raise InvalidArgument(
            _("There is no schedule called %(kind)s. Nothing was changed.") % {"kind": kind[:64]},
            next_step=_("Choose one of: %(kinds)s.")
            % {"kinds": ", ".join(name for name, one in KINDS.items() if one.every is not None)},
        )
    return row


def _record(by: Caller, kind: str, detail: Mapping[str, Any]) -> None:
    chain.append(action="schedule", actor=by.origin, subject=kind, detail=dict(detail))


def _periodic(kind: str, row: Kind, setting: schedules.Setting) -> Periodic:
    enabled = row.comes_by_default() if setting.enabled is None else setting.enabled
    return Periodic(
        kind=kind,
        title=title(kind),
        enabled=enabled,
        is_possible=row.possible(),
        every=setting.every,
        least=row.least,
        most=row.most,
        last=Job.objects.filter(kind=kind).order_by("-id").first(),
        next_run=setting.next_at if enabled else None,
    )


def _send(job: Job) -> None:
    """Hand a job to the broker; one that it does not take is reported failed, and InternalError raised."""
    _site("celery")  # the app, where nobody imported it before
    try:
        run_job.apply_async((job.pk,), task_id=job.pk)
    except (OperationalError, OSError) as error:
        message = _("The job queue could not be reached: %(reason)s.") % {"reason": error}
        Job.objects.filter(pk=job.pk, state=State.QUEUED).update(
            state=State.FAILED, error_code=InternalError.code, error_message=message, finished_at=now()
        )
        raise InternalError(message, next_step=_("Run `cabecao doctor`, then start the job again.")) from error
    progress.sent(job)


def _site(module: str) -> Any:
    """Import a module of the site, which lies beside its settings by convention."""
    return importlib.import_module(f"{settings.SETTINGS_MODULE.rpartition('.')[0]}.{module}")


def _run_job(job_id: str) -> None:
    """Run a job that a message names; where the state cannot be had just now, the message comes again."""
    try:
        job = Job.objects.filter(pk=job_id).first()
        if job is not None and job.kind in KINDS:
            running.run(job_id, KINDS[job.kind].work)
    except DatabaseError as error:
        _log.warning("Job %s could not be begun or ended now (%s)", job_id, type(error).__name__)
        sleep(_AGAIN_SECONDS)
        raise Reject(type(error).__name__, requeue=True) from error


run_job: Any = shared_task(_run_job, name="brain.run_job", ignore_result=True)
