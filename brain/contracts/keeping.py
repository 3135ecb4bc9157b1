"""What the operations that keep a brain in order take and give back."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from brain.contracts.shared import Answer, Notice, Strict
from brain.language import gettext_noop as N_


class RetentionInput(Strict):
    """The notes that are past their retention: shown, or archived."""

    apply: Annotated[bool, Field(description=N_("Archive them; without it they are only listed."))] = False


class RetentionDue(Strict):
    """A note that is past its retention, which began with its `created`."""

    path: str
    id: str | None
    title: str
    type: str | None
    retention: str
    ended_on: str


class ArchivedNote(Strict):
    """A note that was put away: where it lay, where it lies, and the operation that undoes it."""

    path: str
    archived_path: str
    op: str


class RetentionOutput(Answer):
    """The notes that are past their retention still, and those that were archived just now."""

    due: list[RetentionDue]
    archived: list[ArchivedNote]
    warnings: list[Notice]
    next_step: str
