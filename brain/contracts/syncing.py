"""What sync takes and gives back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, Field

from brain.contracts.shared import Answer, Notice, Strict
from brain.contracts.writes import SessionHandle
from brain.language import gettext_noop as N_

Status = Literal["ok", "busy", "blocked", "offline", "error"]
Integration = Literal["none", "up_to_date", "fast_forward", "merge", "published"]


class SyncInput(Strict):
    """A sync with the remote."""

    accept_deletions: Annotated[
        bool,
        Field(description=N_("Go on although a large part of the notes would be deleted; the person's alone.")),
    ] = False
    session_handle: SessionHandle = None


class SyncConflict(BaseModel):
    """A note that both sides changed: both texts are kept, the other one in `copy`, or the edit over a deletion."""

    path: str
    copy_path: str | None
    kind: Literal["both_edited", "kept_edit"]


class SyncSecret(BaseModel):
    """Where a secret was found; its value is nowhere."""

    file: str
    line: int
    column: int
    rule: str


class SyncOutput(Answer):
    """How a sync went; `reason` is a code where the status is not ok, and `index` is None without vectors."""

    status: Status
    message: str
    pulled: int
    pushed: int
    committed: int
    conflicts: list[SyncConflict]
    changed_paths: list[str]
    secrets: list[SyncSecret]
    attempts: int
    ms: int
    branch: str | None
    remote: str | None
    integration: Integration
    reason: str | None
    remote_error: str | None
    recovered: list[str]
    config_problem: str | None
    index: dict[str, int] | None
    warnings: list[Notice]
    next_step: str
