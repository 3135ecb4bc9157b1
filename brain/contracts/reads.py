"""What recall, search, read and status take and give back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal

from pydantic import Field, model_validator

from brain.contracts.explanation import Explanation
from brain.contracts.shared import (
    Answer,
    Budget,
    Day,
    Frontmatter,
    NoteItem,
    NoteTypeName,
    Notice,
    Scope,
    Strict,
    Text,
)
from brain.language import gettext_noop as N_

Mode = Literal["auto", "keyword", "semantic", "hybrid"]


class RecallInput(Strict):
    """The task that is about to begin."""

    task: Annotated[Text, Field(max_length=4000, description=N_("What you are about to do."))]
    scope: Annotated[Scope | None, Field(description=N_("global or project:<name>."))] = None
    budget_tokens: Annotated[Budget, Field(description=N_("Approximate size of the briefing."))] = 2000


class HandoffSeen(Strict):
    """Who got the same handoff before."""

    session_handle: str
    seen_at: str


class RecallOutput(Answer):
    """The briefing; `priority` is the order in which the budget is spent."""

    session_handle: str
    task: str
    scope: str | None
    rules: list[NoteItem]
    handoff: NoteItem | None
    handoff_seen: HandoffSeen | None
    preferences: list[NoteItem]
    gotchas: list[NoteItem]
    memories: list[NoteItem]
    priority: list[str]
    budget_tokens: int
    used_tokens: int
    truncated: bool
    omitted: int
    warnings: list[Notice]
    next_step: str


class SearchInput(Strict):
    """A question in words; every sign in it is text, none is syntax."""

    query: Annotated[Text, Field(max_length=4000, description=N_("Words to look for: all of them first, then any."))]
    scope: Annotated[Scope | None, Field(description=N_("project:<name> brings the global notes too."))] = None
    types: Annotated[list[NoteTypeName] | None, Field(description=N_("Only these note types."))] = None
    limit: Annotated[int, Field(ge=1, le=100)] = 10
    budget_tokens: Annotated[Budget, Field(description=N_("Approximate size of the answer."))] = 4000
    as_of: Annotated[Day | None, Field(description=N_("YYYY-MM-DD: validity on that day (default: today)."))] = None
    mode: Mode = "auto"
    explain: Annotated[bool, Field(description=N_("Say of each hit what made its score."))] = False


class Hit(NoteItem):
    """A note that was found, with the passage that answers best; explained where that was asked for.

    `citation` names the block of the passage: read takes it as an id.
    """

    score: float
    heading_path: list[str]
    citation: str | None = None
    explanation: Annotated[Explanation | None, Field(exclude_if=lambda value: value is None)] = None


class Related(Strict):
    """A neighbour in the graph of what was found."""

    id: str | None
    path: str
    type: str | None
    title: str
    scope: str
    validity: str
    score: float
    reasons: list[str]


class Contradiction(Strict):
    """Two hits that contradict each other, by their citations; the one in the lower ring prevails, else neither."""

    citations: list[str]
    prevails: str | None


# Whether it was asked which hits contradict each other: off without a model on this machine, not_needed where no two
# hits of different rings hold, unfinished where a warning says why.
ContradictionCheck = Literal["off", "not_needed", "done", "unfinished"]


class SearchOutput(Answer):
    """What was found, and how it was looked for."""

    query: str
    mode: Literal["and", "or", "none"]
    mode_requested: Mode
    mode_used: Literal["keyword", "semantic", "hybrid"]
    mode_reason: str
    warnings: list[Notice]
    terms: list[str]
    as_of: str
    hits: list[Hit]
    contradiction_check: ContradictionCheck
    contradictions: Annotated[list[Contradiction], Field(exclude_if=lambda value: not value)]
    related: list[Related]
    truncated: bool
    next_step: str | None


class ReadInput(Strict):
    """Which note, by its path or its id, never both."""

    path: Annotated[str | None, Field(max_length=1000, description=N_("Such as wiki/entities/SQS.md."))] = None
    id: Annotated[str | None, Field(max_length=200, description=N_("The note's id."))] = None
    section: Annotated[
        str | None, Field(max_length=1000, description=N_("A heading, or parent › child; only that section is read."))
    ] = None

    @model_validator(mode="after")
    def _one_of_both(self) -> ReadInput:
        if bool(self.path) == bool(self.id):
            raise ValueError("path_or_id")
        return self


class HeadingItem(Strict):
    """A heading of the note."""

    level: int
    text: str
    path: list[str]


class OutgoingLink(Strict):
    """A link from the note to another, or to nothing."""

    origin: Literal["body", "frontmatter"]
    type: str
    target: str
    path: str | None
    title: str | None
    note_type: str | None
    broken: bool


class Backlink(Strict):
    """A link from another note to this one, with its line in the file."""

    origin: Literal["body", "frontmatter"]
    type: str
    path: str
    title: str
    note_type: str | None
    archived: bool
    line: int | None


class ReadOutput(Answer):
    """One note, whole or one section of it, and its links both ways."""

    note: NoteItem
    frontmatter: Frontmatter
    frontmatter_error: str | None
    section: str | None
    headings: list[HeadingItem]
    archived: bool
    outgoing_links: list[OutgoingLink]
    backlinks: list[Backlink]
    truncated: bool
    warnings: list[Notice]


class StatusInput(Strict):
    """Nothing."""


class NoteCounts(Strict):
    """How many notes there are."""

    total: int
    by_type: dict[str, int]
    untyped: int
    archived: int
    unmanaged: int


class IndexState(Strict):
    """The index, as it is now."""

    schema_version: int
    chunks: int
    edges: int
    facts: int
    last_scan: str | None
    pending: int


class SyncState(Strict):
    """Where the brain stands against its remote."""

    branch: str | None
    remote_configured: bool
    remote: str | None
    last_sync: str | None
    unpushed: int | None
    unpulled: int | None
    pending_changes: int
    running: bool


# Whether answers from a language model are on -> the line that says so.
Standing = Literal["on", "off", "optional"]
ANSWERS: Final[Mapping[Standing, str]] = {
    "on": N_("Answers (ask): on"),
    "off": N_("Answers (ask): off"),
    "optional": N_("Answers (ask): optional and off"),
}


class StatusOutput(Strict):
    """The brain's health."""

    healthy: bool
    problems: list[str]
    root: str
    client: str
    machine: str
    brain_schema_version: int
    note_dirs: list[str]
    notes: NoteCounts
    index: IndexState
    broken_links: int
    sync: SyncState
    conflicts: list[str]
    embeddings: dict[str, str] | None
    answers: Standing
    next_step: str
