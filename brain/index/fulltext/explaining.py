"""Why a note stands where it stands: what of it was found, in which field, and each factor of its score.

Nothing is ranked anew here. The passes are those that were run, the factors those that they left, and what a part of
the question gives is read from the database by the very expression and weights of the search: the parts add up to the
rank.
"""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple

from brain.index import database
from brain.index.fulltext.query import Clause, Part
from brain.index.fulltext.ranking import FIELDS, FieldName, Ranked, in_order

PassName = Literal["all", "all_apart", "all_inflected", "any", "beginnings"]
_WEIGHTS: Final = ", ".join(map(str, FIELDS.values()))
_ALONE: Final = ", ".join(
    f"bm25(fulltext, {', '.join('1.0' if one == field else '0.0' for one in FIELDS)})" for field in FIELDS
)


class Pass(NamedTuple):
    """One question that was put to the full text, and what it found, those whose words fit best first."""

    name: PassName
    clause: Clause
    ranked: list[Ranked]


@dataclass(frozen=True, slots=True)
class Match:
    """A part of the question that a note has: where, and how much of its rank comes of it."""

    part: Part
    fields: tuple[FieldName, ...]
    points: float


@dataclass(frozen=True, slots=True)
class PassRank:
    """A note's place in a pass by its words alone; None where the pass did not find it."""

    name: PassName
    has_phrase: bool
    found: int
    place: int | None
    words: float | None


@dataclass(frozen=True, slots=True)
class Places:
    """Where a note stands, and where it would without some of the weights."""

    final: int
    by_words: int
    without_ring: int
    without_past: int


@dataclass(frozen=True, slots=True)
class Explanation:
    """What was found of a note, the passes that were tried, and the factors of its score.

    `missing` are terms of which it has nothing, `ignored` those that were not looked for because they say little.
    """

    ranked: Ranked
    matches: tuple[Match, ...]
    missing: tuple[str, ...]
    ignored: tuple[str, ...]
    passes: tuple[PassRank, ...]
    places: Places


def explain(numbers: Sequence[int], passes: Sequence[Pass], typed: Sequence[str]) -> dict[int, Explanation]:
    """Return for each of the notes that were found why it stands where it stands.

    `passes` are those that were run, in their order: several that found nothing, the one that did, and perhaps one more
    whose notes come after; `typed` are the terms of the question.
    """
    successful = [one for one in passes if one.ranked]
    first, behind = successful[0], successful[1].ranked if len(successful) > 1 else []
    made = {one.note.note: one for one in in_order(first.ranked, behind)}
    ahead = {one.note.note for one in first.ranked}
    matches: dict[int, list[Match]] = {number: [] for number in numbers}
    for one in successful:
        mine = [number for number in numbers if (number in ahead) is (one is first)]
        for part in one.clause.parts if mine else ():
            for number, match in _matches(part, mine):
                matches[number].append(match)
    places = _places(first.ranked, behind)
    found: dict[int, Explanation] = {}
    for number in numbers:
        asked = (first if number in ahead else successful[1]).clause.parts
        looked_for = {part.term for part in asked}
        has = {match.part.term for match in matches[number]}
        found[number] = Explanation(
            ranked=made[number],
            matches=tuple(sorted(matches[number], key=lambda match: -match.points)),
            missing=tuple(term for term in typed if term in looked_for - has),
            ignored=tuple(term for term in typed if term not in looked_for),
            passes=tuple(_rank(one, number) for one in passes),
            places=Places(*(place[number] for place in places)),
        )
    return found


def _matches(part: Part, numbers: Sequence[int]) -> list[tuple[int, Match]]:
    """Ask for one part alone, as the search asked for it among others."""
    marks = ", ".join(["%s"] * len(numbers))
    rows = database.query(
        f"SELECT rowid, bm25(fulltext, {_WEIGHTS}), {_ALONE} FROM fulltext "
        f"WHERE fulltext MATCH %s AND +rowid IN ({marks})",
        (part.expression, *numbers),
    )
    return [
        (number, Match(part, tuple(name for name, some in zip(FIELDS, alone, strict=True) if some), -rank))
        for number, rank, *alone in rows
    ]


def _rank(one: Pass, number: int) -> PassRank:
    place = next((at for at, ranked in enumerate(one.ranked, 1) if ranked.note.note == number), None)
    words = one.ranked[place - 1].words if place else None
    has_phrase = any(part.how == "phrase" for part in one.clause.parts)
    return PassRank(one.name, has_phrase, len(one.ranked), place, words)


def _places(first: list[Ranked], behind: list[Ranked]) -> list[dict[int, int]]:
    """Return each note's place as it is, by words alone, without the ring's weight and without that of the past."""
    changes: tuple[Callable[[Ranked], Ranked], ...] = (
        lambda one: one,
        lambda one: one._replace(ring_weight=1.0, past_weight=1.0),
        lambda one: one._replace(ring_weight=1.0),
        lambda one: one._replace(past_weight=1.0),
    )
    orders = (in_order([*map(change, first)], [*map(change, behind)]) for change in changes)
    return [{one.note.note: place for place, one in enumerate(order, 1)} for order in orders]
