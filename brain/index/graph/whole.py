"""The whole graph in a few queries: every note, its names, and each link with what it leads to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Final, NamedTuple

from brain.index import database, names
from brain.index.names import Candidate
from brain.note.fields import Fields
from brain.note.validity import Validity, validity


class WholeNote(NamedTuple):
    """A note with the fields that rules ask for; days are texts, as the index has them."""

    note: int
    id: str | None
    written_id: str | None
    path: str
    title: str
    type: str | None
    scope: str
    trust: str | None
    origin: str | None
    approved_by: str | None
    approved_at: str | None
    created: str | None
    updated: str | None
    confirmed: str | None
    valid_from: str | None
    valid_until: str | None
    expires_at: str | None
    superseded: bool
    archived: bool
    ring: int
    subject: str | None
    predicate: str | None
    object: str | None
    pii: str
    retention: str | None
    is_invalid: bool
    body_line: int
    mtime_ns: int
    digest: str

    def validity(self, on: date) -> Validity:
        """Judge the note on a day, as `brain.note.validity` does."""
        days = (_day(self.valid_from), _day(self.valid_until), _day(self.expires_at))
        return validity(Fields(title="", valid_from=days[0], valid_until=days[1], expires_at=days[2]), on)

    def is_replaced(self, on: date) -> bool:
        """Tell whether another note has taken this one's place by a day; until its own `valid_until` none has."""
        last = _day(self.valid_until)
        return self.superseded and not (last and on < last)


class WholeLink(NamedTuple):
    """A link as it is written, and the note that it means: None where there is none."""

    source: WholeNote
    origin: str
    type: str
    target: str
    key: str
    line: int | None
    promises: bool
    met: WholeNote | None


_COLUMNS: Final = (
    "note, id, written_id, path, title, type, scope, trust, origin, approved_by, approved_at, created, updated, "
    "confirmed, valid_from, valid_until, expires_at, superseded, archived, ring, subject, predicate, object, pii, "
    "retention, faulty OR lossy OR frontmatter_error IS NOT NULL, body_line, mtime_ns, digest"
)


@dataclass(frozen=True)
class Whole:
    """All notes by number; names and links are read when they are first asked for."""

    notes: Mapping[int, WholeNote]

    @cached_property
    def by_path(self) -> dict[str, WholeNote]:
        """The notes by path."""
        return {one.path: one for one in self.notes.values()}

    @cached_property
    def bearers(self) -> dict[str, list[Candidate]]:
        """Which notes bear each key."""
        found: dict[str, list[Candidate]] = {}
        for key, note, kind in database.query("SELECT key, note, kind FROM name"):
            one = self.notes.get(note)
            if one is not None:
                found.setdefault(key, []).append(Candidate(one.path, kind, one.archived, one.title, one.type))
        return found

    @cached_property
    def links(self) -> list[WholeLink]:
        """Every link, in the order of the notes and of their files."""
        return list(self._links())

    def _links(self) -> Iterator[WholeLink]:
        rows = database.query("SELECT note, origin, type, target, key, line, promises FROM link ORDER BY row")
        for note, origin, kind, target, key, line, promises in rows:
            source = self.notes.get(note)
            if source is not None:
                yield WholeLink(source, origin, kind, target, key, line, bool(promises), self._met(source, key, target))

    def _met(self, source: WholeNote, key: str, target: str) -> WholeNote | None:
        if not key:
            return source
        met = names.best(self.bearers.get(key, ()), target=target, near=source.path)
        return None if met is None else self.by_path.get(met.path)

    def names_for_mentions(self) -> dict[str, list[Candidate]]:
        """Return the titles and aliases, and all the notes that bear them."""
        return {
            key: found for key, found in self.bearers.items() if any(one.kind in ("title", "alias") for one in found)
        }


def load() -> Whole:
    """Read every note's row."""
    return Whole({row[0]: WholeNote(*row) for row in database.query(f"SELECT {_COLUMNS} FROM note")})  # noqa: S608


def texts(numbers: list[int]) -> dict[int, str]:
    """Return the bodies of some notes as they were indexed."""
    found: dict[int, Any] = {}
    for first in range(0, len(numbers), 400):
        some = numbers[first : first + 400]
        marks = ", ".join(["%s"] * len(some))
        found.update(database.query(f"SELECT rowid, body FROM fulltext WHERE rowid IN ({marks})", some))  # noqa: S608
    return found


def bodies_with_data() -> Iterator[tuple[int, str]]:
    """Yield the bodies that have a digit or an at sign, where personal data may be."""
    last = 0
    while rows := database.query(
        "SELECT rowid, body FROM fulltext WHERE rowid > %s AND (body GLOB '*[0-9]*' OR instr(body, '@')) "
        "ORDER BY rowid LIMIT 500",
        (last,),
    ):
        yield from rows
        last = rows[-1][0]


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None
