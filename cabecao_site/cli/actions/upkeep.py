"""Looking after a brain: building the index again, and the doctor."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from brain.errors import BrainError
from brain.language import gettext as _
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.progress import Progress
from cabecao_site.cli.run import Run

if TYPE_CHECKING:
    from brain.config import Brain
    from brain.services.health.checkup import Finding


def reindex_options(_grammar: Parser) -> None:
    """Add nothing."""


def reindex(run: Run) -> int:
    """Build the index from the files."""
    run.enter(records=False)
    from brain.index import notes, schema

    with Progress(_("Building the index"), run.terminal) as progress:
        schema.rebuild(progress.advance)
    count = notes.count()
    if run.terminal.as_json:
        run.terminal.say_json({"notes": count})
    else:
        run.terminal.say(f"{run.terminal.mark('ok')} " + _("Index ready: %(count)d notes") % {"count": count})
    return 0


def doctor_options(grammar: Parser) -> None:
    """Add the thorough check."""
    grammar.add_argument("--deep", action="store_true", help=_("read every object and page; takes longer"))
    grammar.add_argument(
        "--renew",
        choices=("audit", "state"),
        help=_("begin a damaged record anew, the old file kept aside; only you at the terminal"),
    )


def doctor(run: Run) -> int:
    """Check, show what was found, and fail where something is an error."""
    from brain.services.health import checkup

    if run.arguments.renew:
        return _renew(run, run.arguments.renew)
    brain, findings = _enter(run)
    findings += checkup.run_all(brain, caller=run.caller, deep=run.arguments.deep)
    failed = any(one.severity == "error" for one in findings)
    if run.terminal.as_json:
        run.terminal.say_json({"healthy": not failed, "findings": [asdict(one) for one in findings]})
    else:
        _show(run, findings)
    return int(failed)


def _renew(run: Run, name: str) -> int:
    run.need_person()
    run.enter(records=False)
    from brain.services.health import renewing
    from cabecao_site import bootstrap

    done = renewing.renew(name, run.caller, bootstrap.prepare_records)
    if run.terminal.as_json:
        run.terminal.say_json({"renewed": name, "lines": done})
    else:
        for line in done or [_("%(name)s.db is sound and lacks nothing: nothing was changed.") % {"name": name}]:
            run.terminal.say(f"{run.terminal.mark('ok')} {line}")
    return 0


def _enter(run: Run) -> tuple[Brain | None, list[Finding]]:
    """Return the brain, or why there is none that can be entered: the machine is checked all the same."""
    from brain.services.health.checkup import Finding

    try:
        return run.enter(records=False), []
    except BrainError as error:
        return None, [Finding(error.code, "error", error.message, error.next_step)]


def _show(run: Run, findings: list[Finding]) -> None:
    shown = run.terminal
    for one in findings:
        if one.severity == "ok" and shown.quiet:
            continue
        shown.say(f"{shown.mark(one.severity)} {one.id}: {one.message}")
        if one.command:
            shown.say(f"    → {one.command}" if shown.out.encoding.lower() == "utf-8" else f"    -> {one.command}")
