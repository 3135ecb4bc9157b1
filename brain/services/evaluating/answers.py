"""How good the answers of `ask` are over a file of questions."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from brain.contracts.asking import AskOutput
from brain.services.evaluating.questions import Question

Ask = Callable[[dict[str, Any]], AskOutput]


@dataclass(frozen=True)
class Share:
    """So many of so many."""

    count: int
    of: int


@dataclass(frozen=True)
class Answered:
    """One question and what became of it; `has_right_source` is None where no source is expected or nothing cited."""

    question: str
    answerable: bool
    status: str
    unavailable_reason: str | None
    has_right_source: bool | None
    citations: int
    removed_citations: int
    claims: int
    unsupported_claims: int
    seconds: float
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None

    @property
    def is_answer(self) -> bool:
        """Tell whether something was stated."""
        return self.status in {"answered", "low_confidence"}

    @property
    def is_right(self) -> bool:
        """Tell whether it is as the file says."""
        if not self.answerable:
            return self.status == "not_found"
        return self.is_answer and self.has_right_source is not False


@dataclass(frozen=True)
class Figures:
    """What was measured; questions that no provider answered count in `unavailable` alone."""

    questions: int
    unavailable: int
    not_asked: int
    valid_citations: Share
    unsupported_claims: Share
    right_source: Share
    correct_refusals: Share
    wrong_refusals: Share
    seconds: float
    median_seconds: float
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


def measure(questions: Sequence[Question], ask: Ask, report: Callable[[int, int], None]) -> list[Answered]:
    """Put each question; once the cap is reached, no more."""
    found: list[Answered] = []
    for one in questions:
        found.append(_answered(one, ask))
        report(len(found), len(questions))
        if found[-1].unavailable_reason == "limit_reached":
            break
    return found


def _answered(one: Question, ask: Ask) -> Answered:
    began = time.monotonic()
    said = ask({"question": one.text, **one.options})
    used = said.diagnostics
    cited = {citation.path for citation in said.citations}
    return Answered(
        question=one.text,
        answerable=one.is_answerable,
        status=said.status,
        unavailable_reason=said.unavailable_reason,
        has_right_source=bool(cited & one.sources) if cited and one.sources else None,
        citations=sum(len(claim.citations) for claim in said.claims),
        removed_citations=said.removed_citations,
        claims=len(said.claims),
        unsupported_claims=said.unsupported_claims,
        seconds=round(time.monotonic() - began, 3),
        input_tokens=used.input_tokens if used else None,
        output_tokens=used.output_tokens if used else None,
        cost_usd=used.cost_usd if used else None,
    )


def figures(found: Sequence[Answered], asked: int) -> Figures:
    """Return the figures over what was answered, of so many questions in the file."""
    told = [one for one in found if one.status != "unavailable"]
    valid = sum(one.citations for one in told)
    claims, unsupported = sum(one.claims for one in told), sum(one.unsupported_claims for one in told)
    with_source = [one for one in told if one.has_right_source is not None]
    return Figures(
        questions=asked,
        unavailable=len(found) - len(told),
        not_asked=asked - len(found),
        valid_citations=Share(valid, valid + sum(one.removed_citations for one in told)),
        unsupported_claims=Share(unsupported, claims + unsupported),
        right_source=Share(sum(bool(one.has_right_source) for one in with_source), len(with_source)),
        correct_refusals=_refused(one for one in told if not one.answerable),
        wrong_refusals=_refused(one for one in told if one.answerable),
        seconds=round(sum(one.seconds for one in found), 3),
        median_seconds=round(statistics.median([one.seconds for one in told]), 3) if told else 0.0,
        input_tokens=_sum([one.input_tokens for one in told]),
        output_tokens=_sum([one.output_tokens for one in told]),
        cost_usd=_sum([one.cost_usd for one in told]),
    )


def _refused(some: Iterable[Answered]) -> Share:
    counted = list(some)
    return Share(sum(one.status == "not_found" for one in counted), len(counted))


def _sum(given: Sequence[Any]) -> Any:
    return sum(given) if given and None not in given else None
