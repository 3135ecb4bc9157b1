"""`cabecao llm on`: shows what starts leaving and where to, asks, keeps the consent, and makes one test request."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.services.asking import refusals
from cabecao_site.cli.answers import disclosure, key_source, offers, telling
from cabecao_site.cli.answers.key_source import KeySource
from cabecao_site.cli.run import Run
from llm import consent, folders, trial, turning
from llm.consent import Entry, InvalidSettings, Settings
from llm.discovery import Found
from llm.keys import Keys
from llm.known import PROVIDERS


@dataclass(frozen=True)
class Wanted:
    """What the person is asked about."""

    entry: Entry
    source: KeySource
    settings: Settings
    place: folders.Place


def turn_on(run: Run) -> int:
    """Turn a provider on once the person has read what leaves, and said yes."""
    _need_answers(run)
    place = folders.place(os.environ)
    with refusals.told():
        folders.check(place.folder)
        wanted = _wanted(run, place, os.environ)
        _show(run, wanted, os.environ)
        if not (_accepts_tier(run, wanted.entry) and run.terminal.confirm(_("Turn it on?"))):
            run.terminal.note(_("Nothing was changed: answers are as they were."))
            return 1
        entry = _kept(run, wanted, os.environ)
    _say_on(run, entry, place)
    return 0


def _need_answers(run: Run) -> None:
    if not run.terminal.can_ask:
        raise InvalidArgument(
            _("Turning answers on asks you at the terminal. Nothing was changed."),
            next_step=_("Run it in a terminal, without --json and --no-input."),
        )


def _wanted(run: Run, place: folders.Place, environ: Mapping[str, str]) -> Wanted:
    given: argparse.Namespace = run.arguments
    if given.provider is None:
        found = offers.pick(run.terminal, environ)
        given = argparse.Namespace(**{**vars(given), **_filled_in(given, found)})
    known = PROVIDERS[given.provider]
    source = key_source.choose(known, given, environ)
    entry = offers.entry(known, given, environ, key=source.kept)
    settings = _settings(run, place.folder)
    former = next((one for one in settings.entries if one.provider == entry.provider), None)
    stored = Keys(place.folder, is_person=True, environ=environ)
    return Wanted(entry, key_source.with_stored(source, entry, former, stored), settings, place)


def _filled_in(given: argparse.Namespace, found: Found) -> dict[str, str | None]:
    return {"provider": found.provider, "model": given.model or found.model or None}


def _settings(run: Run, folder: Path) -> Settings:
    """Return the settings there are; what cannot be taken is begun anew, and said."""
    try:
        return consent.read(folder) or Settings()
    except InvalidSettings as error:
        said = _("The llm.json that is there cannot be taken (%(what)s): it is begun anew, without what it holds.")
        _warn(run, said % {"what": error})
        return Settings()


def _warn(run: Run, text: str) -> None:
    wrapped = run.terminal.wrap(text, indent="  ").lstrip()
    run.terminal.ask_about(f"{run.terminal.mark('warning', run.terminal.err)} {wrapped}")


def _show(run: Run, wanted: Wanted, environ: Mapping[str, str]) -> None:
    for line in disclosure.lines(wanted.entry, wanted.settings.limits, wanted.source.shown):
        run.terminal.ask_about(run.terminal.wrap(line))
    others = [
        one for one in consent.given(wanted.place.folder, wanted.settings) if one.provider != wanted.entry.provider
    ]
    for line in disclosure.others(others, is_fallback=run.arguments.fallback):
        run.terminal.ask_about(run.terminal.wrap(line))
    for line in disclosure.warnings(wanted.entry, environ):
        _warn(run, line)
    if wanted.source.kept.startswith(consent.VARIABLE):
        said = _("A server that an AI client starts may not have this variable: for agents, keep the key with --store.")
        _warn(run, said)
    if not wanted.place.is_own:
        _warn(run, telling.redirected(wanted.place.folder))


def _accepts_tier(run: Run, entry: Entry) -> bool:
    """Ask whether a Gemini key is of the paid tier; on the free one, whether to go on all the same."""
    if entry.provider != "gemini" or run.terminal.confirm(_("Is the key of a project with active billing?")):
        return True
    said = _(
        "On the free tier, what you send is used to improve Google's products, and people may read it: passages of "
        "your notes too. For personal notes use the paid tier."
    )
    _warn(run, said)
    return run.terminal.confirm(_("Go on with the free tier?"))


def _kept(run: Run, wanted: Wanted, environ: Mapping[str, str]) -> Entry:
    """Keep the key and the consent, and return the provider as it is on now."""
    folder, entry = wanted.place.folder, wanted.entry
    key = key_source.take(wanted.source, entry.known, environ, run.terminal)
    if key is None and wanted.source.is_typed:
        entry = replace(entry, key=consent.NO_KEY)
    done = turning.turn_on(folder, entry, key, is_fallback=run.arguments.fallback)
    if done.former_key_stays:
        said = _("The system's store of keys did not let the older key of %(provider)s go; delete it there by hand.")
        _warn(run, said % {"provider": entry.provider})
    return next(one for one in done.settings.entries if one.provider == entry.provider)


def _say_on(run: Run, entry: Entry, place: folders.Place) -> None:
    shown = run.terminal
    named = {"provider": entry.known.title, "model": entry.model}
    shown.say(f"{shown.mark('ok')} " + _("Answers are on with %(provider)s (model %(model)s).") % named)
    limits = turning.readable(place.folder).limits
    telling.trial(run, trial.run(entry, Keys(place.folder, is_person=True, environ=os.environ), limits))
    shown.say(_('Ask with: cabecao ask "what did we decide about …?"'))
    if place.is_own:
        shown.say(_("Agents see the tool `ask` in their next session: restart the AI client."))
