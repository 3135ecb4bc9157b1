"""How a person sees what keeps a brain in order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from brain import clock
from brain.contracts.keeping import RetentionOutput
from brain.guard.spelling import visible
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from cabecao_site.cli.terminal import BOLD, DIM, Terminal

if TYPE_CHECKING:
    from datetime import datetime

    from brain.jobs.models import Job
    from brain.tasks import Periodic

# State of a job -> severity and word.
STATES = {
    "queued": ("info", N_("Waiting")),
    "running": ("info", N_("Running")),
    "done": ("ok", N_("Done")),
    "failed": ("error", N_("Failed")),
    "cancelled": ("warning", N_("Cancelled")),
}


def retention(output: RetentionOutput, terminal: Terminal) -> None:
    """Show what was archived, and what is past its retention."""
    for gone in output.archived:
        terminal.say(f"{terminal.mark('ok')} {visible(gone.path)}  →  {visible(gone.archived_path)}")
    for one in output.due:
        about = _("%(period)s, until %(day)s") % {"period": one.retention, "day": one.ended_on}
        terminal.say(f"{terminal.style(visible(one.title), BOLD)}  {terminal.style(f'{one.path} · {about}', DIM)}")
    for notice in output.warnings:
        terminal.note(f"{terminal.mark('warning', terminal.err)} {notice.message}")
    terminal.note(f"  {output.next_step}")


def schedule_as_json(one: Periodic) -> dict[str, Any]:
    """Return a schedule as scripts get it."""
    from brain.jobs import schedules

    return {
        "kind": one.kind,
        "title": one.title,
        "enabled": one.enabled,
        "every": schedules.spelled(one.every),
        "least": schedules.spelled(one.least),
        "most": schedules.spelled(one.most),
        "next_run": _moment(one.next_run),
        "last": job_as_json(one.last) if one.last else None,
    }


def job_as_json(job: Job) -> dict[str, Any]:
    """Return a job as scripts get it."""
    seconds = (job.finished_at - job.started_at).total_seconds() if job.finished_at and job.started_at else None
    return {
        "id": job.pk,
        "kind": job.kind,
        "state": job.state,
        "percent": job.progress // 10,
        "step": job.step,
        "result": job.result,
        "error_code": job.error_code or None,
        "error_message": job.error_message or None,
        "requested_by": job.requested_by,
        "created_at": _moment(job.created_at),
        "started_at": _moment(job.started_at),
        "finished_at": _moment(job.finished_at),
        "seconds": seconds,
        "attempts": job.attempts,
    }


def _moment(moment: datetime | None) -> str | None:
    return clock.timestamp(moment) if moment else None


def jobs(told: dict[str, Any], terminal: Terminal) -> None:
    """Show the timetable and the newest jobs."""
    terminal.say(terminal.style(_("By itself"), BOLD))
    for one in told["schedules"]:
        schedule(one, terminal)
    terminal.say(terminal.style(_("Jobs"), BOLD))
    for each in told["jobs"]:
        terminal.say(_line(each, terminal))
    if not told["jobs"]:
        terminal.say("  " + _("No job is running or waiting."))
    if not told["worker"]:
        warning = _("No worker is running: jobs wait until one starts.")
        terminal.note(f"{terminal.mark('warning', terminal.err)} {warning}")


def schedule(one: dict[str, Any], terminal: Terminal) -> None:
    """Show a schedule in a line, and how it went last in another."""
    state = _("on") if one["enabled"] else _("off")
    facts = [state, _("every %(span)s") % {"span": one["every"]}]
    if one["next_run"]:
        facts.append(_("next %(moment)s") % {"moment": _local(one["next_run"])})
    about = terminal.style(" · ".join([one["title"], *facts]), DIM)
    terminal.say(f"  {terminal.style(one['kind'], BOLD)}  {about}")
    if one["last"]:
        terminal.say("  " + _line(one["last"], terminal))


def job(found: Job, terminal: Terminal, *, log: bool = False) -> None:
    """Show a job and what came of it; with `log` what it said, too."""
    terminal.say(_line(job_as_json(found), terminal))
    for line in found.log.splitlines() if log else ():
        terminal.say(f"    {visible(line)}")


def _line(one: dict[str, Any], terminal: Terminal) -> str:
    severity, word = STATES[one["state"]]
    took = f"{one['seconds']:.1f} s" if one["seconds"] is not None else ""
    percent = f"{one['percent']} %" if one["state"] == "running" else ""
    when = _local(one["finished_at"] or one["started_at"] or one["created_at"])
    said = visible(one["error_message"] or one["result"] or one["step"])
    facts = [one["kind"], _(word), percent, when, took, one["id"]]
    head = f"  {terminal.mark(severity)} " + " · ".join(fact for fact in facts if fact)
    return f"{head}\n      {said}" if said else head


def _local(moment: str) -> str:
    from datetime import datetime

    return datetime.fromisoformat(moment).astimezone().strftime("%Y-%m-%d %H:%M")
