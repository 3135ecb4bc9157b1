"""Neighbours, in the graph of links, of the notes that were found."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from brain.index import database, names, notes
from brain.index.notes import NoteRow
from brain.language import gettext as _

_ASKED: Final = 5  # of the notes found, how many are asked for neighbours
_MOST_LINKS: Final = 200
_PLAIN: Final = frozenset({"wikilink", "embed"})
_LEAST: Final = 0.03  # of a score: what is further away is a neighbour of everything
_TYPED_WEIGHT: Final = 1.0
_PLAIN_WEIGHT: Final = 0.6


@dataclass(frozen=True, slots=True)
class Related:
    """A neighbour: how close it is, and why it is one, in words."""

    note: NoteRow
    score: float
    reasons: tuple[str, ...]


class _Reason(NamedTuple):
    title: str
    kind: str
    outward: bool


@dataclass(slots=True)
class _Tally:
    score: float = 0.0
    reasons: dict[_Reason, None] = field(default_factory=dict)


def related(found: Sequence[NoteRow], *, limit: int = 5) -> list[Related]:
    """Return the closest neighbours of the notes found, none of these themselves and none that is archived."""
    asked = {note.path: note for note in found[:_ASKED]}
    if not asked:
        return []
    weights = {path: 1.0 / place for place, path in enumerate(asked, 1)}
    tallies: dict[str, _Tally] = {}
    edges = list(_edges(asked))
    degrees = Counter(path for path, *_rest in edges)
    for path, other, kind, outward in edges:
        tally = tallies.setdefault(other, _Tally())
        share = 1 / math.sqrt(degrees[path])  # a note that links to everything says little of each
        tally.score += weights[path] * share * (_PLAIN_WEIGHT if kind in _PLAIN else _TYPED_WEIGHT)
        tally.reasons[_Reason(asked[path].title, kind, outward)] = None
    for note in found:
        tallies.pop(note.path, None)
    near = [path for path, tally in tallies.items() if tally.score >= _LEAST]
    closest = sorted(near, key=lambda path: (-tallies[path].score, path))[: limit * 2]
    rows = {row.path: row for row in _rows(closest)}
    return [
        Related(rows[path], round(tallies[path].score, 4), _said(tallies[path].reasons))
        for path in closest
        if path in rows
    ][:limit]


def _edges(asked: dict[str, NoteRow]) -> Iterable[tuple[str, str, str, bool]]:
    """Yield, for each link from or to the notes asked: that note, the other one, the type, whether it leads out."""
    marks = ", ".join(["%s"] * len(asked))
    numbers = [note.note for note in asked.values()]
    outward = database.query(
        "SELECT n.path, l.type, l.target, l.key FROM link l JOIN note n ON n.note = l.note "
        f"WHERE l.note IN ({marks}) LIMIT {_MOST_LINKS}",
        numbers,
    )
    inward = database.query(
        "SELECT n.path, l.type, l.target, l.key FROM name m JOIN link l ON l.key = m.key "
        f"JOIN note n ON n.note = l.note WHERE m.note IN ({marks}) LIMIT {_MOST_LINKS}",
        numbers,
    )
    bearers = names.bearers(list({row[3] for row in (*outward, *inward) if row[3]}))
    for source, kind, target, key in dict.fromkeys((*outward, *inward)):
        met = names.best(bearers.get(key, ()), target=target, near=source)
        if met is None or met.path == source:
            continue
        if source in asked:
            yield source, met.path, kind, True
        if met.path in asked:
            yield met.path, source, kind, False


def _rows(paths: Sequence[str]) -> list[NoteRow]:
    if not paths:
        return []
    marks = ", ".join(["%s"] * len(paths))
    sql = f"SELECT {notes.COLUMNS} FROM note WHERE path IN ({marks}) AND NOT archived"
    return [notes.row(row) for row in database.query(sql, paths)]


def _said(reasons: Iterable[_Reason]) -> tuple[str, ...]:
    """Return the first three reasons in words."""
    return tuple(dict.fromkeys(map(_text, reasons)))[:3]


def _text(reason: _Reason) -> str:
    known = {"title": reason.title, "kind": reason.kind}
    if reason.kind in _PLAIN:
        return (_("“%(title)s” links to it") if reason.outward else _("it links to “%(title)s”")) % known
    return (_("“%(title)s” names it as %(kind)s") if reason.outward else _("it names “%(title)s” as %(kind)s")) % known
