"""The numbers by which memories are compared, all of them here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Thresholds:
    """When two texts say the same, when one completes the other, and when a person has to be asked."""

    fewest_terms: int = 4  # a shorter text is the same only where it is identical
    same: float = 0.9  # Jaccard: terms in common by all terms of both
    complement_growth: float = 1.25  # terms of the new text by those of the old one, all of which it has
    fewest_common: int = 4  # terms in common from which two texts may be alike
    alike: float = 0.5  # Jaccard
    alike_inside: float = 0.8  # share of the smaller text's terms that the larger one has
    cosine: float = 0.9  # of the vectors, where search by meaning is on
    order_kept: float = 0.7  # share of the common terms that stand in the same order in both
    most_candidates: int = 3  # shown with a question
    most_compared: int = 12  # notes that one look-up brings
    returned_words: int = 6  # fewest words by which a tool's own text is known in a note of another type


DEDUP_THRESHOLDS: Final = Thresholds()
