"""What the person's own operations on a note take: its whole text, an earlier version of it, another place."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from brain.contracts.shared import Line, Strict, Text
from brain.contracts.writes import SessionHandle
from brain.language import gettext_noop as N_

NoteName = Annotated[Text, Field(max_length=1000, description=N_("The note's path or id."))]
Digest = Annotated[
    str, Field(pattern="^[0-9a-f]{64}$", description=N_("The digest (SHA-256) of the version that was opened."))
]


class EditPageInput(Strict):
    """The whole text of a note, and which version it is to take the place of."""

    path: NoteName
    text: Annotated[
        str, Field(max_length=1_000_000, description=N_("The whole file: the block of fields and the body."))
    ]
    base: Digest
    session_handle: SessionHandle = None


class ResolveConflictInput(Strict):
    """A conflict copy, and which text its note is to have."""

    path: Annotated[Text, Field(max_length=1000, description=N_("The path of the conflict copy."))]
    keep: Annotated[
        Literal["note", "copy", "both", "text"],
        Field(description=N_("The note's text, the copy's, both joined, or the one that is given.")),
    ]
    text: Annotated[
        str | None, Field(max_length=1_000_000, description=N_("The note's whole new text; for keep “text”."))
    ] = None
    base: Annotated[
        str | None,
        Field(
            pattern="^([0-9a-f]{64}|none)$",
            description=N_("The digest of the note's version that was looked at, “none” where there was no note."),
        ),
    ] = None
    copy_base: Digest | None = None
    session_handle: SessionHandle = None


class RestorePageInput(Strict):
    """An earlier version of a note."""

    path: NoteName
    commit: Annotated[
        str,
        Field(
            pattern="^(previous|[0-9a-f]{7,64})$",
            description=N_("The version's commit, or “previous”: the one before the newest."),
        ),
    ]
    base: Digest | None = None
    session_handle: SessionHandle = None


class MovePageInput(Strict):
    """A note, and where it is to lie and what it is to be called."""

    path: NoteName
    to: Annotated[str, Field(min_length=1, max_length=1000, description=N_("The new path; it ends in .md."))]
    title: Annotated[Line | None, Field(description=N_("A new title (default: as it is)."))] = None
    base: Digest | None = None
    session_handle: SessionHandle = None
