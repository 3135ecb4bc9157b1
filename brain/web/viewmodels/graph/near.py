"""The neighbourhood of a note: as a drawing, and as a list of the nearest first."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import groupby
from typing import Final

from brain.contracts.graph import GraphLink, GraphNote, GraphOutput, Neighbour
from brain.language import gettext as _
from brain.language import ngettext
from brain.web import badges
from brain.web.viewmodels import addresses
from brain.web.viewmodels.graph import layout, picture
from brain.web.viewmodels.graph.asked import Asked
from brain.web.viewmodels.graph.picture import Colour, Group, Line, Picture, Point, Row, Tie

MOST: Final = 60
LIMIT: Final = 200
BUDGET: Final = 200_000
_CENTRE_SIZE: Final = 11
_NEAR_SIZE: Final = 7
_FAR_SIZE: Final = 4.5


@dataclass(frozen=True)
class Neighbourhood:
    """The neighbours of a note that are shown, and how many are not."""

    title: str
    href: str
    path: str
    groups: tuple[Group, ...]
    count: str
    more: str
    warnings: tuple[str, ...]


def arguments(asked: Asked) -> dict[str, object]:
    """Return what the operation is given."""
    given: dict[str, object] = {"node": asked.node, "depth": asked.depth, "limit": LIMIT, "budget_tokens": BUDGET}
    if asked.relation:
        given["relation_types"] = [asked.relation]
    if asked.as_of:
        given["as_of"] = asked.as_of
    return given


def shown(found: GraphOutput, asked: Asked, *, most: int = MOST) -> list[Neighbour]:
    """Return the neighbours of the wanted type, as many as are shown."""
    return [one for one in found.neighbors if asked.type in ("", one.type)][:most]


def listed(found: GraphOutput, asked: Asked, *, most: int = MOST) -> Neighbourhood:
    """Return the neighbours as a list."""
    some = shown(found, asked, most=most)
    known = {one.path: one for one in (found.node, *found.neighbors)}
    groups = (
        Group(_distance(distance), tuple(_row(one, known, asked) for one in rows))
        for distance, rows in groupby(some, key=lambda one: one.distance)
    )
    of_type = found.total if not asked.type else sum(one.type == asked.type for one in found.neighbors)
    left = of_type - len(some)
    return Neighbourhood(
        title=found.node.title,
        href=addresses.of_note(found.node.id, found.node.path),
        path=found.node.path,
        groups=tuple(groups),
        count=ngettext("%(count)d neighbour", "%(count)d neighbours", of_type) % {"count": of_type},
        more=ngettext("%(count)d more is not shown", "%(count)d more are not shown", left) % {"count": left}
        if left
        else "",
        warnings=tuple(one.message for one in found.warnings),
    )


def colours(found: GraphOutput, asked: Asked) -> tuple[Colour, ...]:
    """Return what the colours of the drawing stand for."""
    return picture.colours((one.type or "", one.validity) for one in (found.node, *shown(found, asked)))


def drawn(found: GraphOutput, asked: Asked) -> Picture:
    """Return the neighbours as a drawing, the note itself in the middle."""
    some = shown(found, asked)
    there = {found.node.path, *(one.path for one in some)}
    # What is reached only through a note that isn't drawn hangs on the middle.
    parents = {
        one.path: next((near for near in map(_near, one.links) if near in there), found.node.path) for one in some
    }
    parents = {path: near for path, near in parents.items() if near != path}
    places = layout.around(found.node.path, parents)
    sizes = {one.path: _NEAR_SIZE if one.distance == 1 else _FAR_SIZE for one in some}
    points = [_point(found.node, (0.0, 0.0), _CENTRE_SIZE)]
    points += [_point(one, places.get(one.path, (0.0, 0.0)), sizes[one.path]) for one in some]
    links = dict.fromkeys(
        Line(one.from_, one.to, picture.link_words(one.type, one.predicate), one.validity != "current")
        for neighbour in some
        for one in neighbour.links
        if one.from_ in there and one.to in there
    )
    return Picture(tuple(points), tuple(links))


def _point(note: GraphNote, place: layout.Place, size: float) -> Point:
    return Point(
        key=note.path,
        title=note.title,
        href=addresses.of_note(note.id, note.path),
        colour=picture.colour(note.type, note.validity),
        said=badges.of_type(note.type).text,
        x=round(place[0], 4),
        y=round(place[1], 4),
        size=size,
    )


def _near(link: GraphLink) -> str:
    """Return the end of a link from which the neighbour was reached."""
    return link.from_ if link.direction == "out" else link.to


def _row(note: Neighbour, known: dict[str, GraphNote], asked: Asked) -> Row:
    return Row(
        title=note.title,
        href=addresses.of_note(note.id, note.path),
        centre=asked.around(note.path),
        type=badges.of_type(note.type),
        state=picture.state_badge(note.validity),
        ties=tuple(dict.fromkeys(_tie(one, note, known) for one in note.links)),
        more=0,
    )


def _tie(link: GraphLink, note: Neighbour, known: dict[str, GraphNote]) -> Tie:
    """Say a link; one to the note in the middle needs no name, one through another note says which."""
    near = known.get(_near(link)) if note.distance > 1 else None
    return Tie(
        said=picture.link_words(link.type, link.predicate),
        is_outward=link.direction == "out",
        other=near.title if near else "",
        href=addresses.of_note(near.id, near.path) if near else "",
        state=picture.state_badge(link.validity),
    )


def _distance(distance: int) -> str:
    return _("One link away") if distance == 1 else _("Two links away")
