"""retention: the notes past the time that they were to be kept for; with `apply` they are archived, as a job."""

from __future__ import annotations

from typing import Final

from brain.caller import Caller
from brain.contracts.keeping import ArchivedNote, RetentionDue, RetentionInput, RetentionOutput
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.errors import BrainError, Locked
from brain.index import refresh
from brain.jobs import progress, running
from brain.jobs.models import State
from brain.jobs.progress import Progress
from brain.language import gettext as _
from brain.services import views
from brain.services.keeping import retaining
from brain.services.keeping.retaining import Archived

JOB: Final = "archive-due"


def run(caller: Caller, given: RetentionInput) -> RetentionOutput:
    """List the notes that are past their retention; with `apply`, archive them first."""
    freshness = refresh.catch_up()
    archived, warnings = _applied(caller) if given.apply else ([], [])
    found = retaining.due()
    return RetentionOutput(
        data_notice=_(DATA_NOTICE),
        due=[
            RetentionDue(
                path=one.path,
                id=one.id,
                title=one.title,
                type=one.type,
                retention=one.retention,
                ended_on=one.ended_on.isoformat(),
            )
            for one in found
        ],
        archived=[
            ArchivedNote(path=before, archived_path=after, op=one.op) for one in archived for before, after in one.moves
        ],
        warnings=[*views.notices(freshness), *warnings],
        next_step=_next_step(archived, len(found)),
    )


def _applied(caller: Caller) -> tuple[list[Archived], list[Notice]]:
    """Archive what is due as a job of this very process: it is on the Jobs page, and a person may stop it there."""
    done: list[Archived] = []
    failed: list[BrainError] = []

    def work(report: Progress) -> None:
        try:
            for one in retaining.archived(caller, report):
                done.append(one)  # noqa: PERF402 (what was done before an error counts)
        except BrainError as error:
            failed.append(error)
            raise

    job = progress.start(JOB, requested_by=caller.client)
    if not running.run(job.pk, work, also=caller.report):
        raise Locked(
            _("They are being archived by another process already. Nothing was changed by this one."),
            next_step=_("The Jobs page shows how far it is."),
        )
    if failed and not done:
        raise failed[0]
    return done, _warnings(progress.find(job.pk).state, failed)


def _warnings(state: str, failed: list[BrainError]) -> list[Notice]:
    if failed:
        return [Notice(code=failed[0].code, message=failed[0].message)]
    if state == State.CANCELLED:
        return [Notice(code="cancelled", message=_("It was stopped before all were archived."))]
    return []


def _next_step(archived: list[Archived], left: int) -> str:
    if archived:
        return _("Archived. undo with %(ops)s brings them back.") % {"ops": ", ".join(one.op for one in archived)}
    return retaining.said(left)
