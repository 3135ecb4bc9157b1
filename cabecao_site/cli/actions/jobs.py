"""Background jobs from the terminal: what runs, what comes by itself, and starting, stopping or timing them."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from brain.errors import NotFound
from brain.language import gettext as _
from cabecao_site.cli.parser import Parser, UsageError
from cabecao_site.cli.progress import Percent
from cabecao_site.cli.run import Run

if TYPE_CHECKING:
    from brain.jobs.models import Job

_POLL_SECONDS: Final = 0.2
_NO_WORKER_SECONDS: Final = 15.0
# Action -> what has to follow it.
_ACTIONS: Final = {"run": 1, "on": 1, "off": 1, "every": 2, "cancel": 1, "show": 1}
_PERSONS: Final = frozenset({"on", "off", "every", "cancel"})


def jobs_options(grammar: Parser) -> None:
    """Add what is to be done, and with which job."""
    add = grammar.add_argument
    add("action", nargs="?", choices=tuple(_ACTIONS), metavar="ACTION",
        help=_("run, on, off, every, cancel or show (default: list them)"))  # fmt: skip
    add("job", nargs="?", metavar="KIND|ID", help=_("a kind that the list names; for show and cancel also an id"))
    add("interval", nargs="?", metavar="INTERVAL", help=_("with every: such as 30m, 6h or 2d"))
    add("--no-wait", action="store_true", help=_("with run: end once it is queued"))


def jobs(run: Run) -> int:
    """Do what was asked, or list the jobs."""
    action = run.arguments.action or ""
    given = [word for word in (run.arguments.job, run.arguments.interval) if word is not None]
    if len(given) != _ACTIONS.get(action, 0):
        raise UsageError(_("“jobs %(action)s” takes %(count)d words after it.")
                         % {"action": action, "count": _ACTIONS.get(action, 0)},
                         hint=_("See `%(command)s --help`.") % {"command": "cabecao jobs"})  # fmt: skip
    if action in _PERSONS:
        run.need_person()
    run.enter(records=True, lean=action != "run")
    table: dict[str, Callable[..., int]] = {
        "": _list, "run": _run, "on": _turn, "off": _turn, "every": _every, "cancel": _cancel, "show": _show,
    }  # fmt: skip
    return table[action](run, *given)


def _list(run: Run) -> int:
    from brain import tasks
    from brain.jobs import progress, workers
    from cabecao_site.cli import render_keeping

    told = {
        "worker": workers.alive(),
        "schedules": [render_keeping.schedule_as_json(one) for one in tasks.periodic()],
        "jobs": [render_keeping.job_as_json(one) for one in progress.recent(20)],
    }
    if run.terminal.as_json:
        run.terminal.say_json(told)
    else:
        render_keeping.jobs(told, run.terminal)
    return 0


def _run(run: Run, kind: str) -> int:
    """Start a job and follow it to its end: in the worker where there is one, else in this very process."""
    from brain import tasks
    from brain.jobs import progress, running, workers

    tasks.require_startable(kind, run.caller)
    if run.arguments.no_wait or workers.alive():
        job = tasks.enqueue(kind, run.caller.client)
        return _told(run, job) if run.arguments.no_wait else _followed(run, job)
    job = tasks.prepare(kind, run.caller.client)
    with Percent(tasks.title(kind), run.terminal) as shown:
        running.run(job.pk, tasks.KINDS[kind].work, also=shown.advance)
    return _told(run, progress.find(job.pk))


def _followed(run: Run, job: Job) -> int:
    from brain import tasks

    try:
        with Percent(tasks.title(job.kind), run.terminal) as shown:
            _wait_for(job, shown)
    except KeyboardInterrupt:
        run.terminal.note(_("It goes on in the background; `cabecao jobs cancel %(id)s` stops it.") % {"id": job.pk})
        raise
    return _told(run, job)


def _wait_for(job: Job, shown: Percent) -> None:
    """Show how far a job is until it ended, or until no worker has been there for a while."""
    from brain.jobs import workers

    alone_since: float | None = None
    while not job.ended:
        shown.advance(job.progress, 1000, job.step)
        time.sleep(_POLL_SECONDS)
        job.refresh_from_db()
        if workers.alive():
            alone_since = None
        elif alone_since is None:
            alone_since = time.monotonic()
        elif time.monotonic() - alone_since > _NO_WORKER_SECONDS:
            return


def _told(run: Run, job: Job) -> int:
    from brain.jobs.models import State
    from cabecao_site.cli import render_keeping

    if run.terminal.as_json:
        run.terminal.say_json({**render_keeping.job_as_json(job), "log": job.log})
    else:
        render_keeping.job(job, run.terminal)
    return 0 if job.state == State.DONE or (run.arguments.no_wait and not job.ended) else 1


def _turn(run: Run, kind: str) -> int:
    from brain import tasks

    tasks.turn(kind, on=run.arguments.action == "on", by=run.caller)
    return _schedule_told(run, kind)


def _every(run: Run, kind: str, interval: str) -> int:
    from brain import tasks
    from brain.jobs import schedules

    tasks.set_every(kind, schedules.span(interval), by=run.caller)
    return _schedule_told(run, kind)


def _schedule_told(run: Run, kind: str) -> int:
    from brain import tasks
    from cabecao_site.cli import render_keeping

    one: dict[str, Any] = next(
        told for told in map(render_keeping.schedule_as_json, tasks.periodic()) if told["kind"] == kind
    )
    if run.terminal.as_json:
        run.terminal.say_json(one)
    else:
        render_keeping.schedule(one, run.terminal)
    return 0


def _cancel(run: Run, which: str) -> int:
    from brain.jobs import progress
    from brain.jobs.models import State

    job = progress.cancel(_of(which).pk)
    _told(run, job)
    return 0 if job.state != State.DONE else 1


def _show(run: Run, which: str) -> int:
    from cabecao_site.cli import render_keeping

    job = _of(which)
    if run.terminal.as_json:
        run.terminal.say_json({**render_keeping.job_as_json(job), "log": job.log})
    else:
        render_keeping.job(job, run.terminal, log=True)
    return 0


def _of(which: str) -> Job:
    """Return the job of an id, or the newest of a kind."""
    from brain import tasks
    from brain.jobs import progress

    if which not in tasks.KINDS:
        return progress.find(which)
    found = progress.newest(which)
    if found is None:
        raise NotFound(_("No job of the kind %(kind)s was started yet.") % {"kind": which},
                       next_step=_("Run `cabecao jobs run %(kind)s`.") % {"kind": which})  # fmt: skip
    return found
