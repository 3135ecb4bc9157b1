"""What a new text is to one that is there: the same, in it, more than it, alike, or something else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from brain.language import gettext_noop as N_
from brain.services.memories.saying import Said, Sentence
from brain.services.memories.thresholds import DEDUP_THRESHOLDS as LIMITS


class Verdict(StrEnum):
    """What follows for the new text."""

    SAME = "same"
    COMPLEMENTS = "complements"
    AMBIGUOUS = "ambiguous"
    OTHER = "other"


SAYS_THE_SAME: Final = N_("it says the same")
HOLDS_IT: Final = N_("it holds this already")
RETURNED: Final = N_("this is its own text, as a tool returned it")
COMPLETES: Final = N_("the new one has all of it, and more")
ALIKE: Final = N_("alike, and neither is all in the other")
NUMBER: Final = N_("alike, with another number")
NEGATION: Final = N_("alike, and one of them denies or limits what the other says")
OPPOSITE: Final = N_("alike, with words that rule each other out")
NAME: Final = N_("alike, about another name")
ORDER: Final = N_("the same words in another order")
SIGN: Final = N_("alike, with another sign of comparison")


@dataclass(frozen=True)
class Comparison:
    """A verdict, how much of the terms the two have in common, and why."""

    verdict: Verdict
    similarity: float
    reason: str


def compare(new: Said, old: Said, *, old_title: Said | None = None, cosine: float | None = None) -> Comparison:
    """Compare a new text with one that is there; the title of that one counts as something it says."""
    similarity = round(_jaccard(new.terms, old.terms), 3)
    near = are_alike(new.terms, old.terms) or (cosine is not None and cosine >= LIMITS.cosine)
    if not near and new.whole.words != old.whole.words:
        return Comparison(Verdict.OTHER, similarity, "")
    different = difference(new.whole, old.whole)
    for verdict, reason in _rows(new, old, old_title, different):
        return Comparison(verdict, similarity, reason)
    return Comparison(Verdict.AMBIGUOUS if near else Verdict.OTHER, similarity, different or ALIKE)


def are_alike(new: frozenset[str], old: frozenset[str], *, share: float = 1.0) -> bool:
    """Tell whether two texts have so much in common that somebody has to look; `share` lowers the bar."""
    common = len(new & old)
    if common < LIMITS.fewest_common * share:
        return False
    wanted = min(LIMITS.alike * len(new | old), LIMITS.alike_inside * min(len(new), len(old)))
    return common >= wanted * share


def returned(pieces: Sequence[tuple[str, ...]], old: Said, *, fewest: int) -> bool:
    """Tell whether all pieces of a tool's answer stand in a text, word by word."""
    held = f" {' '.join(old.whole.words)} "
    count = sum(map(len, pieces))
    return count >= fewest and all(f" {' '.join(piece)} " in held for piece in pieces)


def _rows(new: Said, old: Said, title: Said | None, different: str | None) -> list[tuple[Verdict, str]]:
    """Return the first row of the table that holds, nothing where none does."""
    if new.whole.words == old.whole.words:
        return [(Verdict.AMBIGUOUS, different) if different else (Verdict.SAME, SAYS_THE_SAME)]
    if min(len(new.terms), len(old.terms)) < LIMITS.fewest_terms:
        return []
    if is_same(new.whole, old.whole, different) and not _has_more(new, old):
        return [(Verdict.SAME, SAYS_THE_SAME)]
    if _is_inside(new, old, title):
        return [(Verdict.SAME, HOLDS_IT)]
    if different is None and _completes(new, old):
        return [(Verdict.COMPLEMENTS, COMPLETES)]
    return []


def difference(new: Sentence, old: Sentence) -> str | None:
    """Return what keeps two texts from being the same whatever words they share; None where nothing does."""
    checks = (
        (NUMBER, new.numbers != old.numbers),
        (NEGATION, new.denied != old.denied),
        (SIGN, new.signs != old.signs),
        (OPPOSITE, any(new.choices[row] != old.choices[row] for row in new.choices.keys() & old.choices.keys())),
    )
    return next((reason for reason, differs in checks if differs), None)


def is_same(new: Sentence, old: Sentence, different: str | None) -> bool:
    """Tell whether two texts are almost the same: their terms, their order, and whom they are about."""
    if different is not None or _jaccard(frozenset(new.terms), frozenset(old.terms)) < LIMITS.same:
        return False
    return _named(new, old) == _named(old, new) and _keeps_order(new.terms, old.terms)


def _has_more(new: Said, old: Said) -> bool:
    """Tell whether the new text has a sentence that is not in the old one at all."""
    for one in new.sentences:
        terms = frozenset(one.terms)
        if terms and len(terms & old.terms) < LIMITS.alike * len(terms):
            return True
    return False


def _is_inside(new: Said, old: Said, title: Said | None) -> bool:
    """Tell whether each sentence of the new text is a sentence of the old one, or its title."""
    held = (*old.sentences, *(title.sentences if title else ()))
    return all(any(_is_same_sentence(one, other) for other in held) for one in new.sentences)


def _is_same_sentence(new: Sentence, old: Sentence) -> bool:
    different = difference(new, old)
    if new.words == old.words:
        return different is None
    return len(set(new.terms)) >= LIMITS.fewest_terms and is_same(new, old, different)


def _completes(new: Said, old: Said) -> bool:
    """Tell whether the new text has all terms of the old one, each sentence of it in order in one of its own."""
    if not old.terms <= new.terms or len(new.terms) < LIMITS.complement_growth * len(old.terms):
        return False
    return all(any(_has_in_order(other.terms, one.terms) for other in new.sentences) for one in old.sentences)


def _has_in_order(terms: Sequence[str], wanted: Sequence[str]) -> bool:
    left = iter(terms)
    return all(term in left for term in wanted)


def _jaccard(one: frozenset[str], other: frozenset[str]) -> float:
    return len(one & other) / len(one | other) if one | other else 0.0


def _named(one: Sentence, other: Sentence) -> list[str]:
    """Return the names in the order in which a text brings them; what begins one sentence may be a name in another."""
    names = one.names | other.names
    return list(dict.fromkeys(word for word in one.words if word in names))


def _keeps_order(new: Sequence[str], old: Sequence[str]) -> bool:
    """Tell whether the common terms stand in the same order, but for some."""
    places = {term: place for place, term in enumerate(dict.fromkeys(old))}
    sequence = [places[term] for term in dict.fromkeys(new) if term in places]
    tails: list[int] = []
    for place in sequence:
        at = bisect_left(tails, place)
        tails[at : at + 1] = [place]
    return len(tails) >= LIMITS.order_kept * len(sequence)
