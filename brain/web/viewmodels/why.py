"""Why a hit stands where it stands, as tables: its words, what made the score, the passes, and the places."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from brain.contracts.explanation import Explanation, PassRank, TermMatch
from brain.index.fulltext.ranking import FIELDS
from brain.language import gettext as _
from brain.language import gettext_noop as N_

_HOW: Final[Mapping[str, str]] = {
    "typed": N_("as typed"),
    "phrase": N_("the quoted text"),
    "form": N_("its stem"),
    "part": N_("part of an identifier"),
    "beginning": N_("how a word begins"),
    "alike": N_("spelled almost like it"),
}
_FIELDS: Final[Mapping[str, str]] = {
    "title": N_("title"),
    "names": N_("other names"),
    "body": N_("text"),
    "pieces": N_("pairs of signs"),
    "stems": N_("stems"),
}
_PASSES: Final[Mapping[str, str]] = {
    "all": N_("all terms as typed"),
    "all_apart": N_("all words of the terms, apart"),
    "all_inflected": N_("all terms, in any form"),
    "any": N_("any word, its forms and those spelled alike"),
    "beginnings": N_("words that begin alike"),
}
_PAST: Final[Mapping[str, str]] = {
    "expired": N_("it no longer holds on that day"),
    "superseded": N_("another note took its place"),
}
NONE: Final = "—"


@dataclass(frozen=True)
class Word:
    """A term of the question: what of it the note has, how and where, and what that gives."""

    term: str
    found: str
    how: str
    fields: str
    points: str


@dataclass(frozen=True)
class Factor:
    """One factor of the score, with the reason for its value."""

    name: str
    value: str
    reason: str


@dataclass(frozen=True)
class Pass:
    """One way in which the notes were looked through, and the note's place in it by its words."""

    name: str
    found: int
    place: str
    words: str


@dataclass(frozen=True)
class Place:
    """Where the hit stands, or would stand."""

    name: str
    number: int


@dataclass(frozen=True)
class Why:
    """All that made a hit's place."""

    summary: str
    score: str
    words_sum: str
    words: tuple[Word, ...]
    factors: tuple[Factor, ...]
    passes: tuple[Pass, ...]
    places: tuple[Place, ...]


def of_hit(given: Explanation) -> Why:
    """Return the tables of a hit's explanation."""
    return Why(
        summary=given.summary,
        score=_number(given.score),
        words_sum=_number(given.words),
        words=tuple(_words(given)),
        factors=tuple(_factors(given)),
        passes=tuple(_pass(one) for one in given.passes),
        places=(
            Place(_("As it stands"), given.places.final),
            Place(_("By its words alone"), given.places.by_words),
            Place(_("Without the weight of its ring"), given.places.without_ring),
            Place(_("Without the weight of the past"), given.places.without_past),
        ),
    )


def _words(given: Explanation) -> Iterator[Word]:
    yield from (_match(one) for one in given.matches)
    for term in given.missing:
        yield Word(term, NONE, _("not in this note"), NONE, _number(0))
    for term in given.ignored:
        yield Word(term, NONE, _("says little, so it was not looked for"), NONE, _number(0))


def _match(one: TermMatch) -> Word:
    fields = ", ".join(f"{_(_FIELDS[field])} ×{FIELDS[field]:g}" for field in one.fields)
    return Word(one.term, one.found, _(_HOW[one.how]), fields, _number(one.points))


def _factors(given: Explanation) -> Iterator[Factor]:
    best = _("its words give %(words)s, the best of the pass %(best)s")
    shown = {"words": _number(given.words), "best": _number(given.words / given.share if given.share else 0)}
    yield Factor(_("Words"), _number(given.share), best % shown)
    yield Factor(_("Ring"), _number(given.ring_weight), _("ring %(number)d") % {"number": given.ring})
    past = _(_PAST[given.past]) if given.past else _("it holds")
    yield Factor(_("Past"), _number(given.past_weight), past)
    follows = given.follow_weight != 1
    reason = _("it comes after those of an earlier pass") if follows else _("nothing goes before its pass")
    yield Factor(_("Pass"), _number(given.follow_weight), reason)


def _pass(one: PassRank) -> Pass:
    name = _(_PASSES[one.name])
    if one.quoted:
        name = _("%(pass)s, with the quoted text") % {"pass": name}
    place = NONE if one.place is None else str(one.place)
    return Pass(name, one.found, place, NONE if one.words is None else _number(one.words))


def _number(value: float) -> str:
    """Return a number to four digits after the point, or what is left of a smaller one."""
    return f"{value:.4f}" if value == 0 or abs(value) >= 0.001 else f"{value:.2e}"
