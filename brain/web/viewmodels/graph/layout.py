"""Where notes stand in a drawing: always the same place for the same graph, and cheap enough for thousands."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import cos, pi, sin, sqrt
from typing import Final

Place = tuple[float, float]
_TURN: Final = pi * (3 - sqrt(5))  # the golden angle: no two of a spiral stand behind each other
_CROWDED: Final = 16
_AIR: Final = 1.7  # room around a note's own circle of notes


def around(centre: str, parents: Mapping[str, str]) -> dict[str, Place]:
    """Place a note in the middle, those that it is tied to around it, theirs further out.

    `parents` says for each other note, nearest first, through which one it was reached.
    """
    below: dict[str, list[str]] = defaultdict(list)
    for note, parent in parents.items():
        below[parent].append(note)
    places = {centre: (0.0, 0.0)}
    ring = below[centre]
    whole = sum(1 + len(below[note]) for note in ring) or 1
    angle = -pi / 2
    for number, note in enumerate(ring):
        wedge = 2 * pi * (1 + len(below[note])) / whole
        radius = 1.0 + (0.35 * (number % 2) if len(ring) > _CROWDED else 0)
        places[note] = _at(angle + wedge / 2, radius)
        places.update(_fan(below[note], angle, wedge))
        angle += wedge
    return places


def _fan(notes: Sequence[str], angle: float, wedge: float) -> dict[str, Place]:
    step = wedge / (len(notes) + 1)
    return {note: _at(angle + step * (number + 1), 2.0 + 0.3 * (number % 2)) for number, note in enumerate(notes)}


def galaxies(notes: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, Place]:
    """Place each note in the circle of its best tied neighbour, and the circles in one another."""
    near: dict[str, set[str]] = {note: set() for note in notes}
    for one, other in pairs:
        if one in near and other in near and one != other:
            near[one].add(other)
            near[other].add(one)
    rank = {note: (len(others), note) for note, others in near.items()}
    below: dict[str, list[str]] = defaultdict(list)
    roots: list[str] = []
    rising = sorted(near, key=rank.__getitem__)
    for note in rising:
        best = max(near[note], key=rank.__getitem__, default=note)
        (below[best] if rank[best] > rank[note] else roots).append(note)
    room: dict[str, float] = {}
    for note in rising:  # a note comes after all that stand in its circle
        room[note] = 1.0 + _AIR * sum(room[one] for one in below[note])
    places = _spiral(roots, room, (0.0, 0.0), inner=0.0)
    for note in reversed(rising):
        places.update(_spiral(below[note], room, places[note], inner=1.0))
    return places


def _spiral(notes: Sequence[str], room: Mapping[str, float], middle: Place, *, inner: float) -> dict[str, Place]:
    """Place notes on a spiral, the largest in the middle, each with its room."""
    places, taken = {}, inner
    for number, note in enumerate(sorted(notes, key=lambda one: (-room[one], one))):
        x, y = _at(number * _TURN, sqrt(taken + room[note] / 2) if inner or number else 0.0)
        places[note] = (middle[0] + x, middle[1] + y)
        taken += _AIR * room[note]
    return places


def _at(angle: float, radius: float) -> Place:
    return radius * cos(angle), radius * sin(angle)
