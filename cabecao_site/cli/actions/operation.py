"""The commands that are operations of the catalogue."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, cast

from pydantic import BaseModel

from brain.caller import Caller
from brain.contracts.asking import AskOutput
from brain.contracts.graph import LintOutput
from brain.contracts.syncing import SyncOutput
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.operations import Operation, by_name, dispatch
from cabecao_site.cli import fields, render, render_asking
from cabecao_site.cli.actions import consolidating
from cabecao_site.cli.commands import Command
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.progress import Steps
from cabecao_site.cli.run import NO_ANSWER, Run

PROGRESS_LINES = "CABECAO_PROGRESS_LINES"
_TITLES = {"sync": N_("Syncing"), "retention": N_("Archiving"), "consolidate": N_("Consolidating")}
# What a decision of `remember` means to a script: 0 for the others.
_DECISIONS = {"needs_resolution": 1, "declined": 1, "needs_confirmation": 3}


def operation_options(grammar: Parser) -> None:
    """Add the fields of the operation's input, and what its command can do beside."""
    fields.add(grammar, _of(grammar.command))
    if grammar.command.name == "consolidate":
        consolidating.options(grammar)


def operation(run: Run) -> int:
    """Run the operation and show its output."""
    chosen = _of(run.command)
    if chosen.name == "consolidate" and run.arguments.run:
        return consolidating.run_agent(run)
    arguments = fields.given(run, chosen)
    if chosen.human_only:
        run.need_person()
    run.enter(records=chosen.writes)
    if chosen.name == "ask":
        return _ask(run, arguments)
    with following(run, chosen) as caller:
        output = dispatch(chosen.name, caller, arguments)
    if run.terminal.as_json:
        run.terminal.say_json(output.model_dump(mode="json"))
    else:
        render.show(chosen.name, output, run.terminal)
    return _exit_of(output)


def _ask(run: Run, arguments: dict[str, Any]) -> int:
    """Show each claim as it is checked, then the whole; 5 says that no provider made an answer."""
    claims = render_asking.Claims(run.terminal)
    caller = replace(run.caller, tell=claims.tell)
    output = cast("AskOutput", dispatch("ask", caller, {**arguments, "verbose": bool(run.arguments.verbose)}))
    if run.terminal.as_json:
        run.terminal.say_json(output.model_dump(mode="json"))
    else:
        render_asking.show(output, run.terminal, claims_shown=claims.shown)
    return NO_ANSWER if output.status == "unavailable" else 0


@contextmanager
def following(run: Run, chosen: Operation) -> Iterator[Caller]:
    """Show how far a long operation is; to a program that asked, as lines on stderr."""
    if chosen.name not in _TITLES:
        yield run.caller
    elif os.environ.get(PROGRESS_LINES):
        yield replace(run.caller, report=_as_lines)
    else:
        with Steps(_(_TITLES[chosen.name]), run.terminal) as steps:
            yield replace(run.caller, report=steps.advance)


def _as_lines(done: int, total: int, step: str) -> None:
    sys.stderr.write(json.dumps({"done": done, "total": total, "step": step}) + "\n")
    sys.stderr.flush()


def _of(command: Command) -> Operation:
    found = by_name(command.name.replace("-", "_"))
    assert found is not None, command.name  # noqa: S101 (a test compares the two tables)
    return found


def _exit_of(output: BaseModel) -> int:
    """Return what a script is told: a finding that is an error fails, as does what remember could not decide."""
    if isinstance(output, LintOutput):
        return 1 if output.counts["error"] else 0
    if isinstance(output, SyncOutput):
        return 0 if output.status == "ok" else 1
    return _DECISIONS.get(getattr(output, "decision", ""), 0)
