"""Turning a provider on, all of them off, and deleting one: what the person decided, kept in llm.json."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from pathlib import Path

from llm import consent, folders, keys
from llm.consent import Entry, InvalidSettings, Settings
from llm.keys import Key, KeyStoreFailed


@dataclass(frozen=True)
class TurnedOn:
    """What llm.json holds now; `former_key_stays` where the system's store did not let an older key go."""

    settings: Settings
    former_key_stays: bool = False


class NotConfigured(Exception):
    """There is no such provider in llm.json."""


def turn_on(folder: Path, entry: Entry, key: Key | None, *, is_fallback: bool = False) -> TurnedOn:
    """Keep a provider, its key and the person's consent: it alone is on, as a fallback behind those that are.

    What cannot be taken of an older llm.json is gone then. Raises KeyStoreFailed, and has changed nothing that counts.
    """
    consent.check(entry)
    folders.make(folder)
    with consent.changing(folder):
        settings = readable(folder)
        if key is not None:
            keys.keep(folder, entry, key)
        known = [one.provider for one in consent.given(folder, settings) if one.provider != entry.provider]
        on = [*known, entry.provider] if is_fallback else [entry.provider]
        others = [one for one in settings.entries if one.provider != entry.provider]
        fresh = consent.save(folder, replace(settings, entries=(entry, *others)), on)
        former = next((one for one in settings.entries if one.provider == entry.provider), None)
        return TurnedOn(fresh, former is not None and not _forgot(folder, former, entry))


def _forgot(folder: Path, former: Entry, entry: Entry) -> bool:
    try:
        keys.forget_former(folder, former, entry)
    except KeyStoreFailed:
        return False
    return True


def readable(folder: Path) -> Settings:
    """Return the settings, empty ones where there are none or they cannot be taken."""
    try:
        return consent.read(folder) or Settings()
    except InvalidSettings:
        return Settings()


def configured(folder: Path) -> list[str]:
    """Return the providers of llm.json, on or off; InvalidSettings where it cannot be taken."""
    settings = consent.read(folder)
    return [one.provider for one in settings.entries] if settings else []


def turn_off(folder: Path) -> bool:
    """Let nothing leave any more, and tell whether something could until now; providers and keys stay."""
    if not folder.is_dir():
        return False
    with consent.changing(folder):
        try:
            settings = consent.read(folder)
        except InvalidSettings:
            consent.write_closed(folder / consent.KEY_OF_CONSENT, secrets.token_bytes(consent.BYTES))
            return False
        if settings is None:
            return False
        was_on = bool(consent.given(folder, settings))
        consent.save(folder, settings, ())
    return was_on


def remove(folder: Path, provider: str) -> None:
    """Delete a provider and the key that is kept for it.

    Where the system's store does not let the key go, KeyStoreFailed: the provider is off then, and can be removed
    again.
    """
    with consent.changing(folder):
        settings = consent.read(folder) or Settings()
        entry = next((one for one in settings.entries if one.provider == provider), None)
        if entry is None:
            raise NotConfigured(provider)
        on = [one.provider for one in consent.given(folder, settings) if one.provider != provider]
        consent.save(folder, settings, on)
        keys.forget(folder, entry)
        others = tuple(one for one in settings.entries if one.provider != provider)
        consent.save(folder, replace(settings, entries=others), on)
