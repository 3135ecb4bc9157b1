"""What attest and the proposals take and give back."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from brain.contracts.shared import Answer, Line, Notice, Strict
from brain.language import gettext_noop as N_


class AttestInput(Strict):
    """The rules and preferences whose text the person vouches for: one, or all that wait."""

    path: Annotated[Line | None, Field(description=N_("Only this note, by its path or id (default: all)."))] = None
    yes: Annotated[bool, Field(description=N_("Vouch for the texts; without it they are only shown."))] = False
    digest: Annotated[
        str | None, Field(max_length=64, description=N_("The digest of the text that was shown: no other is meant."))
    ] = None


class Resident(Strict):
    """A rule or preference whose text the person has not vouched for, whole."""

    id: str | None
    path: str
    title: str
    type: str
    scope: str
    origin: str
    edited_by: str | None
    digest: str
    content: str


class AttestOutput(Answer):
    """The texts that waited, and how many of them the person vouched for now."""

    residents: list[Resident]
    attested: int
    warnings: list[Notice]
    next_step: str
