"""The graph of the whole brain: the best tied notes as a drawing, the rest folded by type, all of them as a list."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date
from math import cos, pi, sin, sqrt
from typing import Final, NamedTuple

from brain import clock
from brain.errors import InvalidArgument
from brain.index.graph import whole
from brain.index.graph.whole import WholeLink, WholeNote
from brain.language import gettext as _
from brain.language import ngettext
from brain.web import badges
from brain.web.viewmodels import addresses
from brain.web.viewmodels.graph import layout, picture
from brain.web.viewmodels.graph.asked import Asked
from brain.web.viewmodels.graph.picture import Colour, Group, Line, Picture, Point, Row, Tie
from brain.web.viewmodels.listing import Pages

MOST_DRAWN: Final = 2000
PER_PAGE: Final = 100
_MOST_TIES: Final = 8
_KINDS: Final = {"embed": "wikilink", "source": "wikilink", "subject": "fact", "object": "fact"}
_SMALLEST: Final = 2.0
_LARGEST: Final = 9.0
_PER_TIE: Final = 0.5  # of the root of their number


class Edge(NamedTuple):
    """A link between two notes that are both there."""

    source: WholeNote
    target: WholeNote
    kind: str
    predicate: str | None


@dataclass(frozen=True)
class Brain:
    """The notes that fit, the best tied first, and the links among them."""

    notes: tuple[WholeNote, ...]
    edges: tuple[Edge, ...]
    ties: Counter[str]
    on: date


@dataclass(frozen=True)
class Listed:
    """A page of the list."""

    groups: tuple[Group, ...]
    pages: Pages
    count: str
    more: str


def load(asked: Asked) -> Brain:
    """Read the notes and links that fit the filters; archived notes are left out."""
    found = whole.load()
    there = {one.note: one for one in found.notes.values() if not one.archived and asked.type in ("", one.type)}
    # Told apart by number: a note has too many fields to compare thousands of them.
    named = {(one.source.note, one.target.note, one.kind): one for one in _edges(found.links, there, asked.relation)}
    edges = tuple(named.values())
    ties: Counter[str] = Counter()
    for edge in edges:
        ties.update((edge.source.path, edge.target.path))
    notes = sorted(there.values(), key=lambda one: (-ties[one.path], one.path))
    if asked.relation:
        notes = [one for one in notes if ties[one.path]]
    return Brain(tuple(notes), edges, ties, _day(asked.as_of))


def _edges(links: Iterable[WholeLink], there: Container[int], relation: str) -> Iterator[Edge]:
    for link in links:
        source, target, kind = link.source, link.met, _KINDS.get(link.type, link.type)
        if target is None or source.note == target.note or relation not in ("", kind):
            continue
        if source.note in there and target.note in there and (kind != "fact" or source.type == "fact"):
            yield Edge(source, target, kind, source.predicate if kind == "fact" else None)


def colours(brain: Brain) -> tuple[Colour, ...]:
    """Return what the colours of the drawing stand for."""
    return picture.colours((one.type or "", one.validity(brain.on).value) for one in brain.notes[:MOST_DRAWN])


def drawn(brain: Brain) -> Picture:
    """Return the drawing: the best tied notes, and a point for all others of each type."""
    some, rest = brain.notes[:MOST_DRAWN], brain.notes[MOST_DRAWN:]
    there = {one.path for one in some}
    edges = [one for one in brain.edges if one.source.path in there and one.target.path in there]
    places = layout.galaxies((one.path for one in some), ((one.source.path, one.target.path) for one in edges))
    state = {one.path: one.validity(brain.on).value for one in some}
    points = [_point(one, places[one.path], state[one.path], brain.ties[one.path]) for one in some]
    radius = max((sqrt(x * x + y * y) for x, y in places.values()), default=1.0) * 1.15
    lines = dict.fromkeys(
        Line(
            one.source.path,
            one.target.path,
            picture.link_words(one.kind, one.predicate),
            state[one.source.path] != "current",
        )
        for one in edges
    )
    return Picture((*points, *_folded(rest, radius)), tuple(lines))


def listed(brain: Brain, asked: Asked) -> Listed:
    """Return a page of the list, the best tied notes first."""
    count = max(1, -(-len(brain.notes) // PER_PAGE))
    number = min(asked.page, count)
    some = brain.notes[(number - 1) * PER_PAGE : number * PER_PAGE]
    outward: dict[str, list[Edge]] = {one.path: [] for one in some}
    for edge in brain.edges:
        if edge.source.path in outward:
            outward[edge.source.path].append(edge)
    total, left = len(brain.notes), max(0, len(brain.notes) - MOST_DRAWN)
    notes = ngettext("%(count)d note", "%(count)d notes", total) % {"count": total}
    links = ngettext("%(count)d link", "%(count)d links", len(brain.edges)) % {"count": len(brain.edges)}
    return Listed(
        groups=(Group(_("Best tied first"), tuple(_row(one, outward[one.path], brain, asked) for one in some)),)
        if some
        else (),
        pages=Pages(
            number,
            count,
            replace(asked, page=number - 1).href if number > 1 else "",
            replace(asked, page=number + 1).href if number < count else "",
        ),
        count=f"{notes} · {links}",
        more=ngettext(
            "%(count)d note is folded by its type in the drawing",
            "%(count)d notes are folded by their type in the drawing",
            left,
        )
        % {"count": left}
        if left
        else "",
    )


def _point(note: WholeNote, place: layout.Place, state: str, ties: int) -> Point:
    return Point(
        key=note.path,
        title=note.title,
        href=addresses.of_note(note.id, note.path),
        colour=picture.colour(note.type, state),
        said=badges.of_type(note.type).text,
        x=round(place[0], 2),
        y=round(place[1], 2),
        size=round(min(_LARGEST, _SMALLEST + _PER_TIE * sqrt(ties)), 2),
    )


def _folded(rest: tuple[WholeNote, ...], radius: float) -> Iterator[Point]:
    """Yield a point for the notes of each type that are not drawn themselves."""
    counts = Counter(one.type or "" for one in rest).most_common()
    for number, (kind, count) in enumerate(counts):
        angle = 2 * pi * number / len(counts)
        said = badges.of_type(kind or None).text
        yield Point(
            key=f"type:{kind}",
            title=f"{said} +{count}",
            href=addresses.with_query("/notes", {"type": kind or "none"}),
            colour=kind or "none",
            said=said,
            x=round(radius * cos(angle), 2),
            y=round(radius * sin(angle), 2),
            size=_LARGEST,
        )


def _row(note: WholeNote, edges: list[Edge], brain: Brain, asked: Asked) -> Row:
    return Row(
        title=note.title,
        href=addresses.of_note(note.id, note.path),
        centre=asked.around(note.path),
        type=badges.of_type(note.type),
        state=picture.state_badge(note.validity(brain.on).value),
        ties=tuple(_tie(edge) for edge in edges[:_MOST_TIES]),
        more=max(0, len(edges) - _MOST_TIES),
    )


def _tie(edge: Edge) -> Tie:
    return Tie(
        said=picture.link_words(edge.kind, edge.predicate),
        is_outward=True,
        other=edge.target.title,
        href=addresses.of_note(edge.target.id, edge.target.path),
        state=None,
    )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text) if text else clock.today()
    except ValueError as error:
        raise InvalidArgument(_("“%(value)s” is not a day such as 2026-05-03.") % {"value": text[:40]}) from error
