"""What consolidate takes and gives back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from brain.contracts.graph import LintFinding
from brain.contracts.shared import Answer, Line, Notice, Scope, Strict
from brain.language import gettext_noop as N_

Action = Literal["start", "finish"]


class ConsolidateInput(Strict):
    """The beginning of a consolidation, or its end."""

    action: Annotated[Action, Field(description=N_("start, or finish with the consolidation_id."))]
    scope: Annotated[Scope | None, Field(description=N_("With start: global or project:<name> (default: all)."))] = None
    consolidation_id: Annotated[
        str | None, Field(min_length=26, max_length=26, description=N_("With finish: the one that start returned."))
    ] = None
    title: Annotated[Line | None, Field(description=N_("With finish: what the commit is called."))] = None

    @model_validator(mode="after")
    def _goes_together(self) -> ConsolidateInput:
        if (self.action == "finish") != (self.consolidation_id is not None):
            raise ValueError("finish_with_id")
        if self.title is not None and self.action == "start":
            raise ValueError("title_at_finish")
        return self


class RestorePoint(Strict):
    """Where everything can be had back: a tag of this machine, and the commit under it."""

    tag: str
    commit: str


class Episode(Strict):
    """What was done in a session, as its note begins."""

    id: str | None
    path: str
    title: str
    scope: str
    created: str | None
    excerpt: str


class RepeatedEpisodes(Strict):
    """Episodes that tell much the same."""

    paths: list[str]


class DuplicatePair(Strict):
    """Two notes that the rule of remember finds alike, and why."""

    first: str
    second: str
    type: str
    scope: str
    similarity: float
    reason: str


class Material(Strict):
    """What there is to bring together; `left_out` counts what was not looked at or does not fit."""

    repeated_episodes: list[RepeatedEpisodes]
    episodes: list[Episode]
    duplicates: list[DuplicatePair]
    lint: list[LintFinding]
    left_out: int


class ConsolidateOutput(Answer):
    """A consolidation begun, or closed; `commit` is None where nothing was written."""

    action: Action
    consolidation_id: str
    restore_point: RestorePoint
    material: Material | None
    instructions: list[str]
    op: str | None
    commit: str | None
    squashed: bool
    changes: list[str]
    warnings: list[Notice]
    next_step: str
