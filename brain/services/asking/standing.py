"""How answers stand on this machine and for this brain: all of it is for the person alone."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from brain.caller import Caller
from brain.errors import HumanOnly, reason_of
from brain.language import gettext as _
from brain.services.asking import permission, refusals, telling, wording
from brain.services.asking.permission import Refusal
from llm import caps, consent, folders, turning
from llm.consent import Entry
from llm.failure import Failure
from llm.keys import Keys
from llm.limits import Limits
from llm.switch import Off, On


@dataclass(frozen=True)
class KeyStanding:
    """Where a key comes from, its last four characters, and why it is not to be had where it is not."""

    source: str
    variable: str
    masked: str | None
    missing: str

    @property
    def place(self) -> str:
        """Where the key is, in words."""
        return wording.key(self.source, self.variable)


@dataclass(frozen=True)
class ProviderStanding:
    """A provider that was configured, on or off."""

    name: str
    model: str
    destination: str
    is_local: bool
    is_on: bool
    key: KeyStanding


@dataclass(frozen=True)
class Machine:
    """What was configured on this machine; `what` names the field or folder that is wrong."""

    folder: Path
    entries: tuple[Entry, ...]
    providers: tuple[ProviderStanding, ...]
    limits: Limits | None
    used_in_hour: int | None
    what: str = ""


@dataclass(frozen=True)
class Standing:
    """Whether a question may be put to a provider now, and to which; `why` says why not, and what to do."""

    is_on: bool
    is_turned_on_here: bool
    why: str
    providers: tuple[tuple[str, str], ...] = ()
    used_in_hour: int | None = None
    most_in_hour: int = 0


def now(caller: Caller) -> Standing:
    """Return how answers stand for whoever asks, without a look at any key."""
    found = permission.given(caller)
    if isinstance(found, Refusal):
        return Standing(is_on=False, is_turned_on_here=found.reason == "disabled_for_brain", why=telling.why(found))
    return Standing(
        is_on=True,
        is_turned_on_here=True,
        why="",
        providers=tuple((wording.destination(one), one.model) for one in found.entries),
        used_in_hour=caps.used_in_hour(found.folder),
        most_in_hour=found.limits.max_calls_per_hour,
    )


def machine(found: On | Off, folder: Path, *, is_at_terminal: bool) -> Machine:
    """Return what the settings in a folder hold; a key in the system's store may take its ten seconds."""
    settings, what = None, found.what if isinstance(found, Off) else ""
    try:
        settings = consent.read(folder)
    except consent.InvalidSettings as error:
        what = what or str(error)
    except OSError as error:
        what = what or reason_of(error)
    entries = settings.entries if settings else ()
    on = [one.provider for one in found.entries] if isinstance(found, On) else []
    keys = Keys(folder, is_person=is_at_terminal, environ=os.environ)
    return Machine(
        folder=folder,
        entries=entries,
        providers=_providers(entries, keys, on),
        limits=settings.limits if settings else None,
        used_in_hour=caps.used_in_hour(folder),
        what=what,
    )


def on_page() -> Machine | None:
    """Return the same for a page, which knows the user's own folder alone; None where its server uses another."""
    place = folders.place()
    if not place.is_own:
        return None
    return machine(permission.switched(is_at_terminal=False), place.folder, is_at_terminal=False)


def policy() -> list[tuple[str, str]] | None:
    """Return what this brain lets providers have, in words; None where that cannot be taken, so nothing leaves."""
    found = permission.brains_own()
    return None if isinstance(found, Refusal) else wording.policy(found)


def turn_off(caller: Caller) -> bool:
    """Let nothing leave this machine any more, and tell whether something could; turning on is for the terminal."""
    if not caller.is_human:
        raise HumanOnly(_("Only the person may do this. Nothing was changed."))
    place = folders.place()
    if not place.is_own:  # nothing is on for this server, and another folder is none of its business
        return False
    with refusals.told():
        return turning.turn_off(place.folder)


def _providers(entries: Sequence[Entry], keys: Keys, on: Sequence[str]) -> tuple[ProviderStanding, ...]:
    return tuple(
        ProviderStanding(
            name=one.provider,
            model=one.model,
            destination=wording.destination(one),
            is_local=one.is_local,
            is_on=one.provider in on,
            key=_key(one, keys),
        )
        for one in entries
    )


def _key(entry: Entry, keys: Keys) -> KeyStanding:
    masked, missing = None, ""
    try:
        key = keys.find(entry)
        masked = key.masked if key else None
    except Failure as error:
        missing = wording.failure(error)[0]
    return KeyStanding(entry.key, entry.variable, masked, missing)
