"""Why a note was found where it was: what search gives back for each hit where it is asked to explain."""

from __future__ import annotations

from typing import Literal

from brain.contracts.shared import Strict


class TermMatch(Strict):
    """A word that was looked for and that the note has; the points of all add up to `words`.

    `how` tells what it is of the term: itself, accents and case aside (`typed`), in a quoted text (`phrase`), a stem
    (`form`), a part of an identifier (`part`), how it begins (`beginning`), or a word of the notes spelled almost like
    it (`alike`). `fields` are the note's: its title, its other names, its text, the signs of a script without spaces
    in pairs (`pieces`), the stems of its words.
    """

    term: str
    found: str
    how: Literal["typed", "phrase", "form", "part", "beginning", "alike"]
    fields: list[Literal["title", "names", "body", "pieces", "stems"]]
    points: float


class PassRank(Strict):
    """A pass of the search, in the order in which they were tried, and the note's place in it by words alone."""

    name: Literal["all", "all_apart", "all_inflected", "any", "beginnings"]
    quoted: bool
    found: int
    place: int | None
    words: float | None


class Places(Strict):
    """Where the hit stands, and where it would without the weights, or without one of them."""

    final: int
    by_words: int
    without_ring: int
    without_past: int


class Explanation(Strict):
    """What made a hit's score: `share` × `ring_weight` × `past_weight` × `follow_weight`.

    `words` is how well the words fit, `share` the same by the best of the pass. `follow_weight` is below 1 where the
    note comes after those that have all terms as they were typed. `missing` are terms that the note has nothing of,
    `ignored` those that were not looked for because they say little.
    """

    summary: str
    score: float
    words: float
    share: float
    ring: int
    ring_weight: float
    past: Literal["expired", "superseded"] | None
    past_weight: float
    follow_weight: float
    matches: list[TermMatch]
    missing: list[str]
    ignored: list[str]
    passes: list[PassRank]
    places: Places
