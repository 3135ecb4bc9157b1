"""The commands that are operations of the catalogue."""

from __future__ import annotations

from pydantic import BaseModel

from brain.contracts.graph import LintOutput
from brain.operations import Operation, by_name, dispatch
from cabecao_site.cli import fields, render
from cabecao_site.cli.commands import Command
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.run import Run

# What a decision of `remember` means to a script: 0 for the others.
_DECISIONS = {"needs_resolution": 1, "declined": 1, "needs_confirmation": 3}


def operation_options(grammar: Parser) -> None:
    """Add the fields of the operation's input."""
    fields.add(grammar, _of(grammar.command))


def operation(run: Run) -> int:
    """Run the operation and show its output."""
    chosen = _of(run.command)
    arguments = fields.given(run, chosen)
    if chosen.human_only:
        run.need_person()
    run.enter(records=chosen.writes)
    output = dispatch(chosen.name, run.caller, arguments)
    if run.terminal.as_json:
        run.terminal.say_json(output.model_dump(mode="json"))
    else:
        render.show(chosen.name, output, run.terminal)
    return _exit_of(output)


def _of(command: Command) -> Operation:
    found = by_name(command.name.replace("-", "_"))
    assert found is not None, command.name  # noqa: S101 (a test compares the two tables)
    return found


def _exit_of(output: BaseModel) -> int:
    """Return what a script is told: a finding that is an error fails, as does what remember could not decide."""
    if isinstance(output, LintOutput):
        return 1 if output.counts["error"] else 0
    return _DECISIONS.get(getattr(output, "decision", ""), 0)
