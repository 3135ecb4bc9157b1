"""What graph, facts and lint take and give back."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import ConfigDict, Field

from brain.contracts.shared import Answer, Budget, Day, NoteItem, Notice, Scope, Strict, Text, ValidityName
from brain.language import gettext_noop as N_

RuleName = Literal[
    "invalid_frontmatter",
    "unreadable_file",
    "fact_contradiction",
    "conflict_copy",
    "broken_link",
    "case_twin",
    "duplicate_id",
    "expired_note",
    "unconfirmed_memory",
    "unlinked_mention",
    "orphan_note",
    "agent_approved",
    "retention_due",
    "ambiguous_link",
    "unattested_resident",
    "pii_found",
]
SeverityName = Literal["error", "warning", "info"]


class GraphInput(Strict):
    """A note, and how far around it to look."""

    node: Annotated[Text, Field(max_length=1000, description=N_("The note's title, path, [[wikilink]], alias or id."))]
    depth: Annotated[int, Field(ge=1, le=2, description=N_("How many links away: 1 or 2."))] = 1
    relation_types: Annotated[
        list[Annotated[str, Field(max_length=80)]] | None,
        Field(
            max_length=50,
            description=N_("Only these links: typed relations, supersedes, superseded_by, wikilink, fact or mention."),
        ),
    ] = None
    as_of: Annotated[Day | None, Field(description=N_("YYYY-MM-DD: validity on that day (default: today)."))] = None
    limit: Annotated[int, Field(ge=1, le=200, description=N_("Most neighbours to return."))] = 50
    budget_tokens: Annotated[Budget, Field(description=N_("Approximate size of the answer."))] = 3000


class GraphNote(Strict):
    """A note of the graph, without its text."""

    id: str | None
    path: str
    type: str | None
    title: str
    scope: str
    validity: ValidityName
    trust: str
    origin: str
    edited_by: str | None


class GraphLink(Strict):
    """One link between a neighbour and what it was reached from; its validity is that of the note that states it."""

    model_config = ConfigDict(serialize_by_alias=True, validate_by_name=True)

    from_: Annotated[str, Field(alias="from")]
    to: str
    type: str
    origin: Literal["body", "frontmatter"]
    direction: Literal["out", "in"]
    validity: ValidityName
    stated_in: str
    line: int | None
    predicate: str | None


class Neighbour(GraphNote):
    """A note that is one or two links away; `out` leads to it, `in` comes from it."""

    distance: int
    links: list[GraphLink]


class GraphOutput(Answer):
    """The neighbours, the closest first; `omitted` counts those that limit and budget left out."""

    node: GraphNote
    resolved_by: Literal["id", "path", "link", "title", "alias"]
    as_of: str
    depth: int
    relation_types: list[str]
    neighbors: list[Neighbour]
    total: int
    truncated: bool
    omitted: int
    warnings: list[Notice]
    next_step: str


class FactsInput(Strict):
    """Which facts: each part may be left open."""

    subject: Annotated[
        Text | None, Field(max_length=1000, description=N_("Title, path or id of a note, or a text."))
    ] = None
    predicate: Annotated[Text | None, Field(max_length=500, description=N_("Such as uses_queue."))] = None
    object: Annotated[
        Text | None, Field(max_length=1000, description=N_("Title, path or id of a note, or a value."))
    ] = None
    as_of: Annotated[Day | None, Field(description=N_("YYYY-MM-DD: validity on that day (default: today)."))] = None
    limit: Annotated[int, Field(ge=1, le=200)] = 50


class AskedFor(Strict):
    """A part of a fact as it was asked for, and the note that it means, if it means one."""

    query: str
    path: str | None


class Fact(NoteItem):
    """A fact: its three parts, when it holds, and what came before and after it."""

    subject: str
    subject_path: str | None
    predicate: str
    object: str
    object_path: str | None
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    superseded_on: str | None
    supersedes: list[str]
    superseded_by: list[str]


class FactsOutput(Answer):
    """Facts by subject, predicate and time; those that no longer hold are shown as such, never hidden."""

    as_of: str
    subject: AskedFor | None
    predicate: str | None
    object: AskedFor | None
    facts: list[Fact]
    total: int
    truncated: bool
    warnings: list[Notice]
    next_step: str


class LintInput(Strict):
    """Which rules, for which notes."""

    rules: Annotated[list[RuleName] | None, Field(description=N_("Only these rules."))] = None
    scope: Annotated[Scope | None, Field(description=N_("Only notes of this scope: global or project:<name>."))] = None
    limit: Annotated[int, Field(ge=1, le=1000, description=N_("Most findings to return."))] = 200


class LintFinding(Strict):
    """One thing to look at: where, what, and what would mend it; lint_fix does so where it is mendable."""

    rule: RuleName
    severity: SeverityName
    path: str
    line: int | None
    message: str
    fix: str
    related: list[str]
    mendable: bool


class LintOutput(Answer):
    """The findings from error to info; the counts are of all of them, whatever the limit."""

    findings: list[LintFinding]
    counts: dict[str, int]
    by_rule: dict[str, int]
    checked_notes: int
    total: int
    truncated: bool
    warnings: list[Notice]
    next_step: str
