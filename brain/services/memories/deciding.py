"""The table by which a new memory is created, skipped, joined to one that is there, or asked about."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from brain.contracts.writes import RememberInput
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.services.memories import finding, rivals
from brain.services.memories.comparing import Verdict
from brain.services.memories.finding import Found
from brain.services.memories.thresholds import DEDUP_THRESHOLDS as LIMITS

NOTHING_ALIKE: Final = N_("Nothing like it was there.")
SEVERAL: Final = N_("several memories are alike")


class Kind(StrEnum):
    """What is done with a new memory."""

    CREATED = "created"
    SKIPPED = "skipped"
    UPDATED = "updated"
    SUPERSEDED = "superseded"
    ASK = "needs_resolution"


@dataclass(frozen=True)
class Decision:
    """What is done, to which note, and why; `candidates` are those that a question is about."""

    kind: Kind
    target: Found | None = None
    candidates: tuple[Found, ...] = ()
    reason: str = ""


def decide(given: RememberInput) -> Decision:
    """Return what to do with a memory: a wrong merge costs more than a question."""
    near = finding.found(given)
    if near and near[0].verdict is Verdict.SAME and not given.subject:
        return _of(Kind.SKIPPED, near[0])
    known = rivals.of(given)
    return _chosen([*known.alike, *near], known)


def _chosen(alike: list[Found], known: rivals.Rivals) -> Decision:
    same = [one for one in alike if one.verdict is Verdict.SAME]
    if same:
        return _of(Kind.SKIPPED, same[0])
    open_questions = [*known.crossing, *_each_once(alike)]
    if not open_questions and len(known.replaced) == 1:
        return _of(Kind.SUPERSEDED, known.replaced[0])
    questions = [*known.replaced, *open_questions]
    if not questions:
        return Decision(Kind.CREATED, reason=_(NOTHING_ALIKE))
    if len(questions) == 1 and questions[0].verdict is Verdict.COMPLEMENTS:
        return _of(Kind.UPDATED, questions[0])
    asked = tuple(questions[: LIMITS.most_candidates])
    return Decision(Kind.ASK, candidates=asked, reason="; ".join(map(_why, asked)))


def _each_once(found: list[Found]) -> list[Found]:
    by_path: dict[str, Found] = {}
    for one in found:
        by_path.setdefault(one.row.path, one)
    return list(by_path.values())


def _of(kind: Kind, target: Found) -> Decision:
    return Decision(kind, target, reason=_why(target))


def _why(found: Found) -> str:
    return f"{found.row.path}: {_(found.compared.reason)}"
