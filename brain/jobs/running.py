"""Run a job's work in this process and write down how it ended."""

from __future__ import annotations

import logging
from collections.abc import Callable

from django.db import close_old_connections

from brain.caller import Report, unheard
from brain.errors import BrainError
from brain.jobs import progress
from brain.jobs.models import State
from brain.jobs.progress import Cancelled, Progress
from brain.language import gettext as _

Work = Callable[[Progress], None]
_log = logging.getLogger(__name__)


def run(job_id: str, work: Work, *, also: Report = unheard) -> bool:
    """Do the work of a job if it is still to be done; True if this call did it, whatever the outcome.

    Its steps are told to `also`.
    """
    close_old_connections()
    job = progress.claim(job_id)
    if job is None:
        return False
    try:
        report = Progress(job)
        report.also = also
        _attempt(report, work)
    finally:
        progress.release(job_id)
    return True


def _attempt(report: Progress, work: Work) -> None:
    try:
        work(report)
    except Cancelled:
        report.end(State.CANCELLED)
    except KeyboardInterrupt:
        report.end(State.CANCELLED)
        raise
    except BrainError as error:
        report.end(State.FAILED, code=error.code, message=error.message)
    except Exception as error:  # noqa: BLE001 (whatever happened is written into the row)
        _log.exception("Job %s failed", report.job_id)
        line = f"{type(error).__name__}: {error}"
        report.end(State.FAILED, code="internal_error", message=_("The job failed unexpectedly."), line=line)
    else:
        report.end(State.DONE)
