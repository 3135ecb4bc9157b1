"""The kinds of background job, and how one is handed to the broker.

A message says no more than which job to run; the Job row holds the rest. So a message that comes twice does no harm
and one that is lost is sent again by `recover`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

from celery import shared_task
from django.conf import settings
from kombu.exceptions import OperationalError

from brain import config
from brain.caller import Caller, Surface
from brain.caller import Kind as Who
from brain.clock import now
from brain.errors import GitFailed, InternalError, InvalidArgument
from brain.jobs import progress, running
from brain.jobs.models import Job, State
from brain.jobs.progress import Progress
from brain.language import gettext as _
from brain.language import gettext_noop as N_

BY_SCHEDULE: Final = "schedule"


@dataclass(frozen=True)
class Kind:
    """A kind of job: what it is called on the page, what it does and, if periodic, how often."""

    title: str
    work: running.Work
    every: timedelta | None = None


@dataclass(frozen=True)
class Periodic:
    """A periodic kind with its last and next run, for the Jobs page."""

    kind: str
    title: str
    every: timedelta
    last: Job | None
    next_run: datetime | None


def _reindex(report: Progress) -> None:
    from brain.index import schema

    schema.rebuild(progress=report.advance)


def _sync(report: Progress) -> None:
    """Sync as the person whom this machine belongs to; one that does not end well is a failed job that says why."""
    from brain.services.syncing import running

    caller = Caller(Who.HUMAN, "web", Surface.WEB, report=report.advance)
    output = running.run(caller)
    report.say(output.message)
    for one in output.conflicts:
        report.say(f"{one.path} · {one.copy_path}" if one.copy_path else one.path)
    if output.status != "ok":
        raise GitFailed(f"{output.message} {output.next_step}")


def _upkeep(report: Progress) -> None:
    for done, chore in enumerate(UPKEEP):
        report.advance(done, len(UPKEEP))
        chore()


def recover() -> None:
    """Run jobs again whose worker died, or report them failed."""
    progress.recover(_send)


def _tidy_repository() -> None:
    from brain.store.plumbing import maintenance

    maintenance.gc(config.here().root)


UPKEEP: tuple[Callable[[], object], ...] = (recover, progress.forget_old, _tidy_repository)
KINDS: dict[str, Kind] = {
    "reindex": Kind(N_("Rebuild the index"), _reindex),
    "sync": Kind(N_("Sync with the remote"), _sync),
    "upkeep": Kind(N_("Keep the brain in order"), _upkeep, every=timedelta(minutes=10)),
}


def enqueue(kind: str, requested_by: str) -> Job:
    """Queue a job of a kind and return it; one that is queued or running already is returned as it is."""
    if kind not in KINDS:
        raise InvalidArgument(_("There is no kind of job called %(kind)s.") % {"kind": kind})
    job = progress.start(kind, requested_by=requested_by)
    if job.sent_at is None or progress.is_lost(job):
        _send(job)
        job.refresh_from_db()
    return job


def title(kind: str) -> str:
    """Return what a kind of job is called, in the language in force."""
    return _(KINDS[kind].title) if kind in KINDS else kind


def periodic(*, at: datetime | None = None) -> tuple[Periodic, ...]:
    """Return the periodic kinds with their last and next run; no next run before the first."""
    return tuple(_periodic(kind, row.every, at or now()) for kind, row in KINDS.items() if row.every is not None)


def schedule() -> Mapping[str, dict[str, Any]]:
    """Return the periodic kinds as entries of Celery's beat."""
    return {
        kind: {"task": run_scheduled.name, "schedule": row.every, "args": (kind,)}
        for kind, row in KINDS.items()
        if row.every is not None
    }


def _periodic(kind: str, every: timedelta, at: datetime) -> Periodic:
    last = Job.objects.filter(kind=kind).order_by("-id").first()
    planned = Job.objects.filter(kind=kind, requested_by=BY_SCHEDULE).order_by("-id").first()
    next_run = max(at, planned.created_at + every) if planned else None
    return Periodic(kind=kind, title=title(kind), every=every, last=last, next_run=next_run)


def _send(job: Job) -> None:
    """Hand a job to the broker; one that it does not take is reported failed, and InternalError raised."""
    _load_site()
    try:
        run_job.delay(job.pk)
    except (OperationalError, OSError) as error:
        message = _("The job queue could not be reached: %(reason)s.") % {"reason": error}
        Job.objects.filter(pk=job.pk, state=State.QUEUED).update(
            state=State.FAILED, error_code=InternalError.code, error_message=message, finished_at=now()
        )
        raise InternalError(message, next_step=_("Run `cabecao doctor`, then start the job again.")) from error
    progress.sent(job)


def _load_site() -> None:
    """Import the site's Celery app, which lies beside its settings by convention, where nobody did before."""
    importlib.import_module(f"{settings.SETTINGS_MODULE.rpartition('.')[0]}.celery")


def _run_job(job_id: str) -> None:
    job = Job.objects.filter(pk=job_id).first()
    if job is not None and job.kind in KINDS:
        running.run(job_id, KINDS[job.kind].work)


def _run_scheduled(kind: str) -> None:
    """Run a periodic job, unless it ran just now: a message may come twice, and a person may have been first."""
    every = KINDS[kind].every or timedelta(0)
    if not Job.objects.filter(kind=kind, state=State.DONE, created_at__gt=now() - every / 2).exists():
        running.run(progress.start(kind, requested_by=BY_SCHEDULE).pk, KINDS[kind].work)


run_job: Any = shared_task(_run_job, name="brain.run_job", ignore_result=True)
run_scheduled: Any = shared_task(_run_scheduled, name="brain.run_scheduled", ignore_result=True)
