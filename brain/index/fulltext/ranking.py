"""The order of what was found: how well the words fit, weighed by the note's standing; every factor is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal, NamedTuple

from brain.index.notes import NoteRow

FieldName = Literal["title", "names", "body", "pieces", "stems"]
# The columns of the full text as they stand in it, and what a word in each counts: `names` are the note's other names,
# `pieces` the pairs of signs of scripts without spaces, `stems` what the words come down to.
FIELDS: Final[Mapping[FieldName, float]] = {"title": 5.0, "names": 3.0, "body": 1.0, "pieces": 1.0, "stems": 1.0}

RING_WEIGHTS: Final = (1.15, 1.10, 1.00, 0.92, 0.80)
PAST_WEIGHT: Final = 0.5
_BELOW: Final = 0.99  # the best that other forms or some of the words may reach, by the least that has all as typed


class Ranked(NamedTuple):
    """A note that a pass found, and what makes its score.

    `words` is how well the words fit, `share` the same by the best of the pass; the weights are those of its ring, of
    being past or replaced, and of coming after what an earlier pass found.
    """

    note: NoteRow
    words: float
    share: float
    ring: int
    ring_weight: float
    past_weight: float
    follow_weight: float = 1.0

    @property
    def score(self) -> float:
        """How well it answers in the end; the best is near 1."""
        return round(self.share * self.ring_weight * self.past_weight * self.follow_weight, 6)


def in_order(first: list[Ranked], others: list[Ranked]) -> list[Ranked]:
    """Return what the first pass found, the best first, ties by path; after it the others, weighed down below it."""
    ahead = sorted(first, key=_place)
    if not ahead:
        return []
    there = {one.note.note for one in ahead}
    behind = sorted((one for one in others if one.note.note not in there), key=_place)
    most = max((one.score for one in behind), default=1.0)
    weight = _BELOW * ahead[-1].score / max(most, 1.0)
    return ahead + [one._replace(follow_weight=weight) for one in behind]


def _place(one: Ranked) -> tuple[float, str]:
    return -one.score, one.note.path
