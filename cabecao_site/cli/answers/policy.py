"""`cabecao llm policy`: what this brain lets providers have, shown, or changed in a commit."""

from __future__ import annotations

import argparse
from dataclasses import replace
from typing import Any

from brain import config
from brain.errors import InvalidArgument, InvalidConfig
from brain.guard import llm_policy as guard
from brain.guard.llm_policy import Allow, InvalidPolicy, LlmPolicy
from brain.language import gettext as _
from brain.services.asking import wording
from cabecao_site.cli.run import Run

_ADDED = ("exclude_paths", "exclude_types", "exclude_trust")


def policy(run: Run) -> int:
    """Show the policy, or change it once the person has said yes."""
    changes = _is_change(run.arguments)
    if changes and not run.terminal.can_ask:
        raise InvalidArgument(
            _("Changing the policy asks you at the terminal. Nothing was changed."),
            next_step=_("Run it in a terminal, without --json and --no-input."),
        )
    run.enter(records=changes)
    value = config.here().config().llm_policy
    if not changes:
        _show(run, _parsed(value), op=None)
        return 0
    return _change(run, value)


def _is_change(given: argparse.Namespace) -> bool:
    return bool(given.clear or given.allow or any(getattr(given, name) for name in _ADDED))


def _parsed(value: Any) -> LlmPolicy:
    try:
        return guard.parse(value)
    except InvalidPolicy as error:
        raise InvalidConfig(
            _("In %(file)s, llm_policy cannot be taken (%(field)s): nothing goes to a provider.")
            % {"file": config.FILE, "field": error},
            next_step=_("Correct it by hand, or begin anew with `cabecao llm policy --clear`."),
        ) from None


def _change(run: Run, value: Any) -> int:
    given = run.arguments
    before = LlmPolicy() if given.clear else _parsed(value)
    wanted = _wanted(before, given)
    if (wanted.as_json() or None) == value:
        run.terminal.note(_("The policy says so already: nothing was changed."))
        _show(run, wanted, op=None)
        return 0
    for line in _lines(wanted):
        run.terminal.ask_about(line)
    run.terminal.ask_about(_("It goes into Git, and reaches your other machines by sync."))
    if not run.terminal.confirm(_("Change this brain's policy to that?")):
        run.terminal.note(_("Nothing was changed."))
        return 1
    from brain.services.writes import llm_policy

    done = llm_policy.change(run.caller, wanted, shown=value)
    _show(run, wanted, op=done.op)
    return 0


def _wanted(before: LlmPolicy, given: argparse.Namespace) -> LlmPolicy:
    """Return a policy with what was given added; the lists only grow."""
    lists = {name: tuple(dict.fromkeys([*getattr(before, name), *getattr(given, name)])) for name in _ADDED}
    wanted = replace(before, allow=Allow(given.allow) if given.allow else before.allow, **lists)
    try:
        return guard.parse(wanted.as_json())
    except InvalidPolicy as error:
        raise InvalidArgument(
            _("“%(field)s” cannot be taken as it was given. Nothing was changed.") % {"field": error},
            next_step=_("See `%(command)s --help`.") % {"command": "cabecao llm"},
        ) from None


def _lines(shown: LlmPolicy) -> list[str]:
    return [f"  {label}: {value}" for label, value in wording.policy(shown)]


def _show(run: Run, shown: LlmPolicy, *, op: str | None) -> None:
    if run.terminal.as_json:
        run.terminal.say_json({"llm_policy": shown.as_json() or None, "op": op})
        return
    run.terminal.say(_("This brain's policy on answers"))
    for line in _lines(shown):
        run.terminal.say(line)
    if op:
        run.terminal.note("  " + _("Undo: %(command)s") % {"command": f"cabecao undo {op}"})
