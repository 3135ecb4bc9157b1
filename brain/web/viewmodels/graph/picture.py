"""A drawing of notes and links, and the list that says the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from brain.language import gettext as _
from brain.note.validity import Validity
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels.note import relations

PALE: Final = "pale"  # the colour of what doesn't hold on the day


@dataclass(frozen=True)
class Point:
    """A note in the drawing."""

    key: str
    title: str
    href: str
    colour: str
    said: str
    x: float
    y: float
    size: float


@dataclass(frozen=True)
class Line:
    """A link in the drawing; a pale one is stated by a note that doesn't hold on the day."""

    source: str
    target: str
    said: str
    is_pale: bool


@dataclass(frozen=True)
class Picture:
    """The drawing, the chosen note first."""

    points: tuple[Point, ...]
    lines: tuple[Line, ...]

    def as_data(self) -> dict[str, Any]:
        """Return it as a script reads it: a line names its ends by their place among the points."""
        places = {one.key: number for number, one in enumerate(self.points)}
        return {
            "points": [vars(one) for one in self.points],
            "lines": [[places[one.source], places[one.target], one.said, one.is_pale] for one in self.lines],
        }


@dataclass(frozen=True)
class Tie:
    """A link as the list says it: its words, which way it leads, and the note at its other end."""

    said: str
    is_outward: bool
    other: str
    href: str
    state: Badge | None


@dataclass(frozen=True)
class Row:
    """A note of the list, with its links."""

    title: str
    href: str
    centre: str
    type: Badge
    state: Badge | None
    ties: tuple[Tie, ...]
    more: int


@dataclass(frozen=True)
class Group:
    """Rows under one heading."""

    title: str
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Colour:
    """What a colour of the drawing stands for."""

    name: str
    said: str
    count: int


def link_words(kind: str, predicate: str | None) -> str:
    """Return what a link says of the two notes that it ties."""
    if kind == "fact" and predicate:
        return predicate.replace("_", " ")
    if kind == "wikilink":
        return _("links to")
    return _("names") if kind == "mention" else relations.label(kind)


def colour(kind: str | None, state: str) -> str:
    """Return the name of a note's colour: its type's while it holds."""
    return (kind or "none") if state == Validity.CURRENT else PALE


def state_badge(state: str) -> Badge | None:
    """Return the badge of what doesn't hold on the day; none of what does."""
    return None if state == Validity.CURRENT else badges.of_validity(state)


def colours(shown: Iterable[tuple[str, str]]) -> tuple[Colour, ...]:
    """Return the types among types and states, the most frequent first, and what doesn't hold."""
    counts = Counter(kind if state == Validity.CURRENT else PALE for kind, state in shown)
    pale = counts.pop(PALE, 0)
    found = [Colour(name or "none", badges.of_type(name or None).text, count) for name, count in counts.most_common()]
    return (*found, Colour(PALE, _("Does not hold on this day"), pale)) if pale else tuple(found)
