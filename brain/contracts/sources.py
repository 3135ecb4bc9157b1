"""What ingest takes and gives back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from brain.contracts.shared import Answer, Confirmable, Frontmatter, Line, Notice, Scope, Strict, Text
from brain.contracts.writes import SessionHandle
from brain.language import gettext_noop as N_


class IngestInput(Strict):
    """An outside source: a text file of the brain, or its text."""

    path: Annotated[
        str | None,
        Field(min_length=1, max_length=1000, description=N_("A text file inside the brain, relative to it.")),
    ] = None
    content: Annotated[
        Text | None, Field(max_length=1_000_000, description=N_("The text of the source; give a title with it."))
    ] = None
    title: Annotated[
        Line | None, Field(description=N_("Default: the title that the text has, else the name of its file."))
    ] = None
    source: Annotated[
        Line | None, Field(description=N_("Where it comes from: its address, or the name of the original file."))
    ] = None
    scope: Annotated[Scope, Field(description=N_("global or project:<name>."))] = "global"
    session_handle: SessionHandle = None

    @model_validator(mode="after")
    def _path_or_content(self) -> IngestInput:
        if (self.path is None) == (self.content is None):
            raise ValueError("path_or_content")
        return self


class RegisteredSource(Strict):
    """The source as it lies in raw/; `registered` tells whether this call put it there."""

    path: str
    title: str
    origin: str
    trust: str
    chars: int
    registered: bool


class SuggestedNote(Strict):
    """A note to create with write_page."""

    path: str
    frontmatter: Frontmatter


class NoteToUpdate(Strict):
    """A note that the source links to, names, or has the subject of."""

    id: str | None
    path: str
    title: str
    type: str | None
    reason: Literal["linked", "named", "about"]


class IngestPlan(Strict):
    """What to do with the source: read it, make its note (null where there is one), bring others up to date."""

    read: str
    create: SuggestedNote | None
    update: list[NoteToUpdate]
    steps: list[str]


class IngestOutput(Confirmable, Answer):
    """The registered source and the plan of its ingestion; there is no commit when it was in raw/ already."""

    source: RegisteredSource | None
    plan: IngestPlan | None
    op: str | None
    changed: bool
    commit: str | None
    warnings: list[Notice]
    next_step: str
