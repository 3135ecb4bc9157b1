"""What attest and the proposals take and give back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from brain.contracts.shared import Answer, Line, Notice, Strict
from brain.contracts.writes import SessionHandle
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


Proposable = Literal["remember", "write_page", "patch_page", "relate", "ingest", "forget", "undo", "handoff_save"]


class ProposeInput(Strict):
    """A write that the user is to decide."""

    operation: Annotated[Proposable, Field(description=N_("The operation to propose."))]
    arguments: Annotated[dict[str, Any], Field(description=N_("Its arguments, as you would call it."))]
    reason: Annotated[Line, Field(description=N_("Why, in one line: the user's own words where there are any."))]
    session_handle: SessionHandle = None


class ProposeOutput(Answer):
    """What was kept; nothing was written."""

    status: Literal["proposed", "unchanged"]
    proposal_id: str | None
    summary: str | None
    reasons: list[str]
    paths: list[str]
    next_step: str


class ReviewInput(Strict):
    """What waits, or one of it, and what the person decides."""

    id: Annotated[str | None, Field(max_length=26, description=N_("One request, shown whole."))] = None
    accept: Annotated[bool, Field(description=N_("Write it as it is shown; the person's alone."))] = False
    text: Annotated[
        str | None,
        Field(max_length=1_000_000, description=N_("With accept: write this instead, where one file changes.")),
    ] = None
    reject: Annotated[bool, Field(description=N_("Refuse it; the person's alone."))] = False
    withdraw: Annotated[bool, Field(description=N_("Take back one's own."))] = False
    rebase: Annotated[bool, Field(description=N_("Work it out again on the notes as they are now."))] = False
    reason: Annotated[Line | None, Field(description=N_("With reject: why; the client is told."))] = None
    digest: Annotated[
        str | None,
        Field(max_length=64, description=N_("With accept: the digest of what was shown.")),
    ] = None

    @model_validator(mode="after")
    def _one_decision(self) -> ReviewInput:
        chosen = sum((self.accept, self.reject, self.withdraw, self.rebase))
        if chosen > 1 or (chosen and not self.id):
            raise ValueError("one_decision")
        return self


About = Literal["rule", "preference", "control", "outside", "trust", "archive", "undo", "note"]


class FileChange(Strict):
    """One file of a request: what it held, and what it would hold, the marks of a yes included.

    `moved_to` is where an archived note would lie.
    """

    path: str
    moved_to: str | None
    before: str | None
    after: str | None
    type: str | None
    whole: bool


class Check(Strict):
    """Something that Cabeção looked at by itself, and what it found; `paths` are the notes that it means."""

    code: Literal["secret", "target", "contradiction", "outside"]
    ok: bool
    message: str
    paths: list[str]


class Waiting(Strict):
    """A request of an agent; `instructs` where agents would be given the text as the person's word."""

    id: str
    kind: Literal["proposal", "confirmation"]
    about: About
    instructs: bool
    state: str
    client: str
    session: str | None
    operation: str
    title: str
    claim: str
    reasons: list[str]
    paths: list[str]
    created_at: str
    until: str | None
    expired: bool
    moved: bool
    digest: str
    checks: list[Check]
    changes: list[FileChange]


class ReviewOutput(Answer):
    """What waits, the request that is meant, and what became of it."""

    waiting: list[Waiting]
    decided: Literal["accepted", "rejected", "withdrawn", "rebased"] | None
    op: str | None
    commit: str | None
    path: str | None
    warnings: list[Notice]
    next_step: str
