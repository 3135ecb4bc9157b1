"""Whether answers are on here, read and checked anew at each use."""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path

from llm import consent, folders
from llm.attempts import Attempts
from llm.consent import Entry, Settings
from llm.failure import Code, Failure
from llm.keys import Keys
from llm.limits import Limits
from llm.providers.base import Delta, Piece, Provider
from llm.request import Request


class Reason(StrEnum):
    """Why answers are off."""

    NOT_CONFIGURED = "not_configured"
    OFF = "off"  # configured, and turned off
    REDIRECTED = "redirected"  # an agent, and the environment names another folder than the user's own
    UNSAFE_FOLDER = "unsafe_folder"
    INVALID = "invalid"
    CONSENT = "consent"  # a signature that does not hold


@dataclass(frozen=True)
class Off:
    """Answers are off; `what` names the field or folder that is wrong."""

    reason: Reason
    what: str = ""


@dataclass(frozen=True)
class On:
    """Answers are on: the providers in the order in which they are tried."""

    folder: Path
    limits: Limits
    entries: tuple[Entry, ...]
    providers: tuple[Provider, ...]

    def only(self, *, installed_agent: bool = False, local: bool = False) -> On | None:
        """Return the same with only the installed agent, or only what is on this machine; None where that is nobody."""
        kept = [
            (entry, provider)
            for entry, provider in zip(self.entries, self.providers, strict=True)
            if (not installed_agent or entry.known.is_installed_agent) and (not local or entry.is_local)
        ]
        if not kept:
            return None
        return replace(self, entries=tuple(one for one, _ in kept), providers=tuple(one for _, one in kept))

    def attempts(self) -> Attempts:
        """Return the count of requests for one question."""
        return Attempts(seconds=self.limits.seconds)

    def stream(
        self, request: Request, attempts: Attempts, *, turn: Callable[[Provider], object] = lambda _one: None
    ) -> Generator[Piece]:
        """Yield the answer of the first provider that gives one; the next is asked only while no text has come.

        `turn` is told whom, before each is asked.
        Raises the Failure of the last one asked, with `partial` where text had come.
        """
        for place, provider in enumerate(self.providers):
            is_last = place == len(self.providers) - 1
            has_text = False
            turn(provider)
            try:
                for piece in provider.stream(request, attempts):
                    has_text = has_text or isinstance(piece, Delta)
                    yield piece
            except Failure as failure:
                ends = is_last or has_text or failure.code in {Code.CANCELLED, Code.TIMEOUT, Code.SPENT}
                if ends or attempts.left <= 0:
                    raise Failure(failure.code, status=failure.status, partial=has_text) from None
                continue
            return


@dataclass(frozen=True)
class Consented:
    """What the person turned on here: the folder of the settings, and the providers in their order."""

    folder: Path
    settings: Settings
    entries: tuple[Entry, ...]


def consented(*, caller_is_person: bool, environ: Mapping[str, str] | None = None) -> Consented | Off:
    """Return what is turned on for a person at a terminal, or for an agent, without making it ready to be asked."""
    place = folders.place(os.environ if environ is None else environ)
    if not caller_is_person and not place.is_own:
        return Off(Reason.REDIRECTED)
    try:
        folders.check(place.folder)
        settings = consent.read(place.folder)
    except folders.UnsafeFolder as error:
        return Off(Reason.UNSAFE_FOLDER, str(error.folder))
    except consent.InvalidSettings as error:
        return Off(Reason.INVALID, str(error))
    if settings is None or not settings.entries:
        return Off(Reason.NOT_CONFIGURED)
    entries = consent.given(place.folder, settings)
    if not entries:
        is_signed = any(one.consent for one in settings.entries)
        return Off(Reason.CONSENT if is_signed else Reason.OFF)
    return Consented(place.folder, settings, entries)


def enabled(*, caller_is_person: bool, environ: Mapping[str, str] | None = None) -> On | Off:
    """Return whether answers are on for a person at a terminal, or for an agent."""
    given = os.environ if environ is None else environ
    found = consented(caller_is_person=caller_is_person, environ=given)
    if isinstance(found, Off):
        return found
    from llm.providers import made  # what speaks with providers is slow to load

    keys = Keys(found.folder, caller_is_person, given)
    providers = tuple(made.provider(one, keys) for one in found.entries)
    return On(found.folder, found.settings.limits, found.entries, providers)
