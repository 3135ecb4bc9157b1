"""The notes of a type that hold on a day: the newest first, page by page, and how many there are."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from brain.index import database, notes
from brain.index.notes import NoteRow

_PAGE: Final = 40
_NEWEST: Final = "coalesce(updated, created, '') DESC, path"
_HOLDS: Final = (
    "NOT archived AND (valid_until > %s OR valid_until IS NULL AND NOT superseded) "
    "AND (expires_at IS NULL OR expires_at >= %s) AND (valid_from IS NULL OR valid_from <= %s)"
)


@dataclass(frozen=True)
class InForce:
    """The notes of a type that hold on a day, by their numbers in the index, the newest first."""

    numbers: tuple[int, ...]

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[NoteRow]:
        """Yield the rows; what is not asked for is not read."""
        for first in range(0, len(self), _PAGE):
            some = self.numbers[first : first + _PAGE]
            marks = ", ".join(["%s"] * len(some))
            found = map(notes.row, database.query(f"SELECT {notes.COLUMNS} FROM note WHERE note IN ({marks})", some))
            rows = {row.note: row for row in found}
            yield from (rows[number] for number in some if number in rows)


def newest(kind: str, *, on: date, scopes: tuple[str, ...] | None = None, limit: int = -1) -> InForce:
    """Return the notes of a type that hold on a day, of some scopes or all; -1 is no limit."""
    where, values = f"type = %s AND {_HOLDS}", [kind, *[on.isoformat()] * 3]
    if scopes is not None:
        where += f" AND scope IN ({', '.join(['%s'] * len(scopes))})"
        values += scopes
    found = database.query(f"SELECT note FROM note WHERE {where} ORDER BY {_NEWEST} LIMIT %s", [*values, limit])
    return InForce(tuple(row[0] for row in found))


def known_as(keys: Iterable[str], *, kind: str) -> list[NoteRow]:
    """Return the notes of a type that go by these keys: an id, or the path of a note without one."""
    wanted = sorted(keys)
    found: list[NoteRow] = []
    for first in range(0, len(wanted), 400):
        some = wanted[first : first + 400]
        marks = ", ".join(["%s"] * len(some))
        rows = database.query(
            f"SELECT {notes.COLUMNS} FROM note WHERE (id IN ({marks}) OR path IN ({marks}) AND id IS NULL) "
            "AND type = %s",
            [*some, *some, kind],
        )
        found += map(notes.row, rows)
    return sorted(found, key=lambda one: one.path)
