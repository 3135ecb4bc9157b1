"""What the operations that write take and give back."""

from __future__ import annotations

from typing import Annotated, Final, Literal

from pydantic import ConfigDict, Field, model_validator

from brain.contracts.shared import (
    Answer,
    Confirmable,
    Day,
    Frontmatter,
    Line,
    NoteTypeName,
    Notice,
    Scope,
    Strict,
    Text,
    Written,
)
from brain.language import gettext_noop as N_

SESSION_SIGNS: Final = r"^[A-Za-z0-9._:-]+$"
SessionHandle = Annotated[
    str | None, Field(max_length=100, pattern=SESSION_SIGNS, description=N_("The one that recall returned."))
]
ConfirmToken = Annotated[
    str | None, Field(max_length=400, description=N_("The token of the first call, once the user said yes."))
]
MendableRule = Literal["broken_link", "unlinked_mention"]
Decision = Literal[
    "skipped", "updated", "superseded", "created", "needs_resolution", "needs_confirmation", "proposed", "declined"
]


class RememberInput(Strict):
    """A durable, non-obvious memory."""

    content: Annotated[Text, Field(max_length=1_000_000, description=N_("The memory itself, in Markdown."))]
    type: Annotated[NoteTypeName, Field(description=N_("A rule only at the user's explicit request."))]
    title: Annotated[Line | None, Field(description=N_("Default: the first line of the content."))] = None
    scope: Annotated[Scope, Field(description=N_("global or project:<name>."))] = "global"
    tags: list[Line] | None = None
    aliases: Annotated[list[Line] | None, Field(description=N_("Other names of the note."))] = None
    relations: Annotated[
        dict[str, list[Line]] | None, Field(description=N_('Typed relations, such as {"uses": ["SQS"]}.'))
    ] = None
    subject: Annotated[Line | None, Field(description=N_("Only for facts, with predicate and object."))] = None
    predicate: Line | None = None
    object: Line | None = None
    valid_from: Day | None = None
    valid_until: Annotated[Day | None, Field(description=N_("The first day on which it no longer holds."))] = None
    expires_at: Annotated[Day | None, Field(description=N_("The last day on which it holds."))] = None
    sources: Annotated[list[Line] | None, Field(description=N_("Notes or addresses it comes from."))] = None
    session_handle: SessionHandle = None
    resolution: Annotated[
        str | None,
        Field(max_length=100, description=N_("After needs_resolution: create, skip, update:<id> or supersede:<id>.")),
    ] = None
    confirm_token: ConfirmToken = None

    @model_validator(mode="after")
    def _facts_are_whole(self) -> RememberInput:
        parts = (self.subject, self.predicate, self.object)
        if self.type == "fact" and any(parts) and not all(parts):
            raise ValueError("fact_parts")
        if self.type != "fact" and any(parts):
            raise ValueError("only_facts")
        return self


class Candidate(Strict):
    """A memory that resembles the new one."""

    id: str | None
    path: str
    title: str
    type: str | None
    scope: str
    trust: str
    origin: str
    edited_by: str | None
    verdict: Literal["same", "complements", "ambiguous"]
    similarity: float
    cosine: float | None
    reason: str
    content: str


class Superseded(Strict):
    """The memory that no longer holds."""

    id: str | None
    path: str


class RememberOutput(Written):
    """What became of the memory."""

    decision: Decision
    superseded: Superseded | None
    candidates: list[Candidate]
    reason: str


class WritePageInput(Strict):
    """A note by its path."""

    path: Annotated[str, Field(min_length=1, max_length=1000, description=N_("Relative to the brain, ends in .md."))]
    content: Annotated[str, Field(max_length=1_000_000, description=N_("The body in Markdown, without frontmatter."))]
    mode: Annotated[
        Literal["create", "overwrite", "append"],
        Field(description=N_("create wants frontmatter.type; overwrite replaces the body; append adds to its end.")),
    ] = "create"
    frontmatter: Annotated[
        Frontmatter | None, Field(description=N_("Fields of the note; those that belong to Cabeção are ignored."))
    ] = None
    confirm_token: ConfirmToken = None
    session_handle: SessionHandle = None


class PatchPageInput(Strict):
    """An exact passage of a note, and what is to stand there instead."""

    path: Annotated[str, Field(min_length=1, max_length=1000, description=N_("Relative to the brain, ends in .md."))]
    old: Annotated[
        str,
        Field(min_length=1, max_length=1_000_000, description=N_("Exactly as it stands in the body, and only once.")),
    ]
    new: Annotated[str, Field(max_length=1_000_000, description=N_("What stands there instead; may be empty."))]
    section: Annotated[
        Text | None, Field(max_length=1000, description=N_("Look in this section alone, named as for read."))
    ] = None
    session_handle: SessionHandle = None
    confirm_token: ConfirmToken = None


class RelateInput(Strict):
    """A typed relation from one note to another."""

    model_config = ConfigDict(serialize_by_alias=True)

    from_: Annotated[
        Text,
        Field(
            alias="from",
            max_length=1000,
            description=N_("The note that the relation starts from: title, path, [[wikilink]], alias or id."),
        ),
    ]
    to: Annotated[Text, Field(max_length=1000, description=N_("The note that it leads to, named in the same ways."))]
    type: Annotated[
        Text,
        Field(
            max_length=100,
            description=N_(
                "uses, part_of, depends_on, decided_by, works_on, related_to, supersedes, superseded_by, or one of the "
                "brain's own."
            ),
        ),
    ]
    session_handle: SessionHandle = None
    confirm_token: ConfirmToken = None


class Relation(Strict):
    """A relation as it is written: the paths of both notes and the link between them."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    from_: Annotated[str, Field(alias="from")]
    type: str
    to: str
    link: str


class RelateOutput(Written):
    """What became of the relation."""

    relation: Relation | None


Items = Annotated[list[Annotated[Text, Field(max_length=2000)]], Field(max_length=50)]


class HandoffSaveInput(Strict):
    """What one session leaves to the next."""

    session_handle: Annotated[
        str,
        Field(min_length=1, max_length=100, pattern=SESSION_SIGNS, description=N_("The one that recall returned.")),
    ]
    done: Annotated[Items | None, Field(description=N_("What was done; it is kept as an episode too."))] = None
    next: Annotated[Items | None, Field(description=N_("What is left to do."))] = None
    decisions: Annotated[Items | None, Field(description=N_("What was decided, and why."))] = None
    gotchas: Annotated[Items | None, Field(description=N_("What to look out for."))] = None
    scope: Annotated[Scope, Field(description=N_("global or project:<name>."))] = "global"
    title: Annotated[Line | None, Field(description=N_("Default: “Handoff: ” and the first next step."))] = None

    @model_validator(mode="after")
    def _says_something(self) -> HandoffSaveInput:
        if not self.done and not self.next:
            raise ValueError("done_or_next")
        return self


class Placed(Strict):
    """A note by its id and path."""

    id: str | None
    path: str


class HandoffSaveOutput(Answer):
    """What was saved, and which handoff no longer holds."""

    op: str
    commit: str
    handoff: Placed
    episode: Placed | None
    supersedes: Placed | None
    expires_at: str
    warnings: list[Notice]
    next_step: str


class UndoInput(Strict):
    """Which operation to undo: by op, a whole session, or the last one."""

    op: Annotated[
        str | None, Field(max_length=100, description=N_("What a write returned; only its start asks first."))
    ] = None
    session: Annotated[str | None, Field(max_length=100, description=N_("A whole session, by its handle."))] = None
    session_handle: SessionHandle = None
    confirm_token: ConfirmToken = None

    @model_validator(mode="after")
    def _op_or_session(self) -> UndoInput:
        if self.op and self.session:
            raise ValueError("op_or_session")
        return self


class ForgetInput(Strict):
    """A note to archive, and why."""

    id: Annotated[Line, Field(description=N_("The note's id or path."))]
    reason: Annotated[Line, Field(description=N_("One line; it stays in the archived note."))]
    confirm_token: ConfirmToken = None
    session_handle: SessionHandle = None


class ForgottenNote(Strict):
    """The note that is put away, as it was."""

    id: str | None
    path: str
    title: str
    type: str | None
    scope: str
    trust: str
    origin: str


class ForgetOutput(Confirmable, Answer):
    """What was archived, or what would be."""

    note: ForgottenNote | None
    op: str | None
    commit: str | None
    archived_path: str | None
    warnings: list[Notice]
    next_step: str


class Undone(Strict):
    """An operation that no longer holds."""

    op: str
    commit: str
    changes: list[str]


class UndoOutput(Confirmable):
    """What was undone; the undo is an operation too and can itself be undone."""

    op: str | None
    commit: str | None
    undone: list[Undone]
    changed_paths: list[str]
    warnings: list[Notice]
    next_step: str


class LintFixInput(Strict):
    """Findings of lint in one note: of one rule, on one line where it is given."""

    rule: Annotated[MendableRule, Field(description=N_("The rule of the findings."))]
    path: Annotated[Text, Field(max_length=1000, description=N_("The note that they are in."))]
    line: Annotated[int | None, Field(ge=1, description=N_("Only those on this line of the file."))] = None
    session_handle: SessionHandle = None
