"""What an agent may do alone, what needs the person's explicit request, and what is never done: one table.

A person may do everything but what is never done by anyone; what becomes an instruction to agents or lifts a guard
wants their proof to be fresh, on the pages and over REST alike.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from brain.caller import Caller
from brain.guard import control_files, paths
from brain.guard.spelling import folded_segments
from brain.language import gettext as _
from brain.language import gettext_noop as N_

RULES_FOLDER: Final = ("memory", "rules")
ADMINISTRATION: Final = frozenset({"attest", "egress", "elevate", "embeddings", "llm", "retention", "review", "token"})


class Verdict(StrEnum):
    """Whether an action goes ahead."""

    ALLOWED = "allowed"
    ASK = "ask"
    NEVER = "never"


@dataclass(frozen=True)
class Action:
    """One change that an operation is about to make to one file.

    `note_type` and `before_type` are the note's type after and before, `trust` and `ring` what the change sets them to
    (None where it leaves them), `changes_config` whether it touches a section of .cabecao.json that is the person's
    alone, `undoes_person` and `partial_id` what an undo is given.
    """

    operation: str
    path: str
    note_type: str | None = None
    before_type: str | None = None
    creates: bool = False
    trust: str | None = None
    changes_config: bool = False
    ring: int | None = None
    undoes_person: bool = False
    partial_id: bool = False


@dataclass(frozen=True)
class Decision:
    """The verdict, why in the language in force, and the error code of a refusal."""

    verdict: Verdict
    reasons: tuple[str, ...] = ()
    error_code: str | None = None


@dataclass(frozen=True)
class _Row:
    applies: Callable[[Action], bool]
    verdict: Verdict
    error_code: str
    reason: str
    to_people_too: bool = False
    weighs: bool = False  # asks for a person's fresh proof


def is_rule(action: Action) -> bool:
    """Tell whether an action makes, changes or removes a rule, or something in the rules' folder."""
    in_folder = folded_segments(action.path)[:2] == RULES_FOLDER
    return in_folder or "rule" in {action.note_type, action.before_type}


def _is_control(action: Action) -> bool:
    return control_files.is_control(action.path)


def _is_agent_file(action: Action) -> bool:
    return control_files.is_agent_file(action.path) and not _is_control(action)


def _raises_ring(action: Action) -> bool:
    return action.ring in {0, 1} and not is_rule(action)


_TABLE: Final = (
    _Row(
        lambda action: control_files.is_catalogue(action.path),
        Verdict.NEVER,
        "invalid_path",
        N_("index.md is made by Cabeção from the notes; nobody writes it."),
        to_people_too=True,
    ),
    _Row(
        lambda action: paths.is_conflict_copy(action.path),
        Verdict.NEVER,
        "invalid_path",
        N_("A conflict copy is made by sync alone, and resolved by the person."),
    ),
    _Row(
        lambda action: action.changes_config,
        Verdict.NEVER,
        "human_only",
        N_("This part of .cabecao.json says what may leave the machine; only the person changes it."),
        weighs=True,
    ),
    _Row(
        lambda action: action.operation in ADMINISTRATION,
        Verdict.NEVER,
        "human_only",
        N_("Administration of this machine is the person's, at the terminal or in the browser."),
    ),
    _Row(
        _raises_ring,
        Verdict.NEVER,
        "human_only",
        N_("Only the person puts a note into ring 0 or 1, which every agent is given."),
        weighs=True,
    ),
    _Row(
        is_rule,
        Verdict.ASK,
        "confirmation_required",
        N_("It is a rule: agents will take it for an instruction in every recall."),
        weighs=True,
    ),
    _Row(
        _is_control,
        Verdict.ASK,
        "confirmation_required",
        N_("It is a control file: it decides how the brain works."),
        weighs=True,
    ),
    _Row(
        _is_agent_file,
        Verdict.ASK,
        "confirmation_required",
        N_("AI clients take a file of this name for instructions."),
        weighs=True,
    ),
    _Row(
        lambda action: paths.is_raw(action.path) and not action.creates,
        Verdict.ASK,
        "confirmation_required",
        N_("It changes outside material in raw/, which is kept as it came."),
    ),
    _Row(
        lambda action: action.trust == "high",
        Verdict.ASK,
        "confirmation_required",
        N_("It sets trust to high, which is for what the person has checked."),
    ),
    _Row(
        lambda action: action.undoes_person,
        Verdict.ASK,
        "confirmation_required",
        N_("It undoes something that the person did."),
    ),
    _Row(
        lambda action: action.partial_id,
        Verdict.ASK,
        "confirmation_required",
        N_("Only the start of the operation's id was given."),
    ),
    _Row(
        lambda action: action.operation == "forget",
        Verdict.ASK,
        "confirmation_required",
        N_("It takes a note out of search and recall."),
    ),
)


def wants_proof(action: Action, caller: Caller) -> tuple[str, ...]:
    """Return why a person has to prove once more that it is them; nothing where they need not.

    A preference of the person's own is in ring 1: it weighs as much as a rule.
    """
    if not caller.is_human or caller.proved:
        return ()
    reasons = [row.reason for row in _TABLE if row.weighs and row.applies(action)]
    if not reasons and "preference" in {action.note_type, action.before_type}:
        reasons = [N_("It is a preference: agents are given it in every recall.")]
    return tuple(_(reason) for reason in reasons)


def decide(action: Action, caller: Caller) -> Decision:
    """Return whether a caller may do something; what is never done outweighs what may be asked for."""
    rows = [row for row in _TABLE if (row.to_people_too or not caller.is_human) and row.applies(action)]
    for verdict in (Verdict.NEVER, Verdict.ASK):
        chosen = [row for row in rows if row.verdict is verdict]
        if chosen:
            return Decision(verdict, tuple(_(row.reason) for row in chosen), chosen[0].error_code)
    return Decision(Verdict.ALLOWED)
