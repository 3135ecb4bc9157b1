"""`cabecao llm off` and `cabecao llm remove`: nothing leaves any more, and what was kept is deleted."""

from __future__ import annotations

import os
from pathlib import Path

from brain.errors import InvalidArgument, Locked, NotFound
from brain.language import gettext as _
from brain.services.asking import refusals
from cabecao_site.cli.parser import UsageError
from cabecao_site.cli.run import Run
from llm import folders, turning
from llm.keys import KeyStoreFailed


def turn_off(run: Run) -> int:
    """Turn every provider off; settings and keys stay."""
    with refusals.told():
        was_on = turning.turn_off(_folder())
    if run.terminal.as_json:
        run.terminal.say_json({"answers": "off", "were_on": was_on})
        return 0
    said = _("Answers are off: nothing leaves any more.") if was_on else _("Answers were off already.")
    run.terminal.say(f"{run.terminal.mark('ok')} {said}")
    if was_on:
        run.terminal.note(_("Settings and key stay; to delete them: cabecao llm remove PROVIDER"))
    return 0


def remove(run: Run) -> int:
    """Delete a provider and the key that Cabeção keeps for it, once the person has said yes."""
    provider: str | None = run.arguments.which
    if provider is None:
        raise UsageError(
            _("the following arguments are required: %s") % "PROVIDER",
            hint=_("See `%(command)s --help`.") % {"command": "cabecao llm"},
        )
    with refusals.told():
        if provider not in turning.configured(_folder()):
            raise _not_configured(provider)
        if not _agreed(run, provider):
            run.terminal.note(_("Nothing was changed."))
            return 1
        try:
            turning.remove(_folder(), provider)
        except KeyStoreFailed:
            return _kept_key(run, provider)
        except turning.NotConfigured:
            raise _not_configured(provider) from None
    said = _("%(provider)s is deleted, with the key that was kept for it.") % {"provider": provider}
    run.terminal.say(f"{run.terminal.mark('ok')} {said}")
    return 0


def _folder() -> Path:
    return folders.place(os.environ).folder


def _agreed(run: Run, provider: str) -> bool:
    if not run.terminal.can_ask:
        raise InvalidArgument(
            _("Deleting a provider asks you at the terminal. Nothing was changed."),
            next_step=_("Run it in a terminal, without --json and --no-input."),
        )
    return run.terminal.confirm(_("Delete %(provider)s and the key that is kept for it?") % {"provider": provider})


def _kept_key(run: Run, provider: str) -> int:
    """Say that the key is still there; the provider is off, which is more than nothing."""
    said = _("The key of %(provider)s was NOT deleted: the system's store of keys refused. The provider is off.")
    advice = _("Unlock the store and run it again, or delete the entry “cabecao” there by hand.")
    run.terminal.fail({"code": Locked.code, "message": said % {"provider": provider}, "next_step": advice})
    return 1


def _not_configured(provider: str) -> NotFound:
    return NotFound(
        _("%(provider)s is not configured on this machine. Nothing was changed.") % {"provider": provider},
        next_step=_("`cabecao llm status` lists what is."),
    )
