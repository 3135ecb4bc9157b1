"""The edges that are written down: typed relations, version chains, wikilinks, and facts with their two ends."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, Final, Literal

from brain.index import database, names, notes
from brain.index.names import Candidate
from brain.index.notes import NoteRow
from brain.note.fields import Fields
from brain.note.validity import Validity, validity

Origin = Literal["body", "frontmatter"]
WIKILINK: Final = "wikilink"
FACT: Final = "fact"
MENTION: Final = "mention"
_ENDS: Final = ("subject", "object")
_KINDS: Final = {"embed": WIKILINK, "source": WIKILINK, "subject": FACT, "object": FACT}
_BATCH: Final = 400
_STATED: Final = (
    "l.origin, l.type, l.target, l.key, l.line, n.note, n.path, n.type, n.predicate, n.valid_from, n.valid_until, "
    "n.expires_at"
)


@dataclass(frozen=True, slots=True)
class Edge:
    """A link between two notes, by their paths; it holds while the note that states it does."""

    source: str
    target: str
    type: str
    origin: Origin
    stated_in: str
    validity: Validity
    line: int | None = None
    predicate: str | None = None


@dataclass(frozen=True, slots=True)
class _Stated:
    """A link as its row has it, with what it leads to."""

    origin: Origin
    type: str
    line: int | None
    note: int
    path: str
    is_fact: bool
    predicate: str | None
    validity: Validity
    met: str


def around(paths: Collection[str], *, on: date, kinds: Collection[str] | None = None) -> list[Edge]:
    """Return the edges from and to some notes, of some kinds or all; none of an archived note, each once.

    A fact leads from its subject to its object, and from its own note to both.
    """
    wanted = set(paths)
    outward = _resolved(_rows(_OUTWARD, "n.path", wanted), on)
    inward = [one for one in _resolved(_rows(_INWARD, "t.path", wanted), on) if one.met in wanted]
    stated = dict.fromkeys((*outward, *inward))
    facts = {one.note for one in stated if one.is_fact and one.type in _ENDS} if _wants(kinds, FACT) else set()
    ends = _resolved(_rows(_OF_FACTS, "l.note", facts), on)
    found = dict.fromkeys((*_plain_edges(stated), *_fact_edges(ends, wanted)))
    return [one for one in found if one.source != one.target and _wants(kinds, one.type)]


def rows_of(paths: Iterable[str]) -> dict[str, NoteRow]:
    """Return the notes of some paths, by path; a path without a note is left out."""
    found = _rows(f"SELECT {notes.COLUMNS} FROM note WHERE", "path", set(paths), order="path")
    return {row.path: row for row in map(notes.row, found)}


def _wants(kinds: Collection[str] | None, kind: str) -> bool:
    return kinds is None or kind in kinds


_OUTWARD: Final = f"SELECT {_STATED} FROM link l JOIN note n ON n.note = l.note WHERE NOT n.archived AND "
_INWARD: Final = (
    f"SELECT DISTINCT {_STATED} FROM note t JOIN name m ON m.note = t.note JOIN link l ON l.key = m.key "
    "JOIN note n ON n.note = l.note WHERE NOT n.archived AND "
)
_OF_FACTS: Final = f"{_OUTWARD} l.type IN ('subject', 'object') AND "


def _rows(select: str, column: str, values: Collection[Any], *, order: str = "l.row") -> Iterator[database.Row]:
    ordered: Sequence[Any] = sorted(values)
    for first in range(0, len(ordered), _BATCH):
        some = list(ordered[first : first + _BATCH])
        yield from database.query(f"{select} {column} IN ({', '.join(['%s'] * len(some))}) ORDER BY {order}", some)


def _resolved(rows: Iterable[database.Row], on: date) -> list[_Stated]:
    """Return the links that lead to a note that is not archived."""
    listed = list(rows)
    bearers = names.bearers(sorted({row[3] for row in listed if row[3]}))
    found = []
    for origin, kind, target, key, line, note, path, note_type, predicate, *days in listed:
        met = meant(bearers, key, target, path)
        if met is not None:
            holds = _validity(tuple(days), on)
            found.append(_Stated(origin, kind, line, note, path, note_type == FACT, predicate, holds, met.path))
    return found


def meant(bearers: dict[str, list[Candidate]], key: str, target: str, near: str) -> Candidate | None:
    """Return the other note that a link means, None where there is none or it is archived."""
    met = names.best(bearers.get(key, ()), target=target, near=near) if key else None
    return None if met is None or met.archived or met.path == near else met


@lru_cache(maxsize=4096)
def _validity(days: tuple[str | None, ...], on: date) -> Validity:
    starts, until, last = (date.fromisoformat(day) if day else None for day in days)
    return validity(Fields(title="", valid_from=starts, valid_until=until, expires_at=last), on)


def _plain_edges(stated: Iterable[_Stated]) -> Iterator[Edge]:
    for one in stated:
        kind = _KINDS.get(one.type, one.type)
        if kind != FACT:
            yield Edge(one.path, one.met, kind, one.origin, one.path, one.validity, one.line)
        elif one.is_fact:
            yield Edge(one.path, one.met, FACT, one.origin, one.path, one.validity, one.line, one.predicate)


def _fact_edges(ends: Iterable[_Stated], wanted: Collection[str]) -> Iterator[Edge]:
    """Yield an edge from the subject to the object of each fact that has notes for both, where one was asked for."""
    subjects = {one.note: one.met for one in ends if one.type == "subject"}
    for one in ends:
        subject = subjects.get(one.note) if one.type == "object" else None
        if subject is not None and (subject in wanted or one.met in wanted):
            yield Edge(subject, one.met, FACT, one.origin, one.path, one.validity, one.line, one.predicate)
