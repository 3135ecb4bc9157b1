"""The notes of a type that hold on a day: the newest first, page by page, and how many there are."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from typing import Any, Final

from brain.index import database, notes
from brain.index.notes import NoteRow

_PAGE: Final = 40
_NEWEST: Final = "coalesce(updated, created, '') DESC, path"
_HOLDS: Final = (
    "NOT archived AND NOT superseded AND (valid_until IS NULL OR valid_until > %s) "
    "AND (expires_at IS NULL OR expires_at >= %s) AND (valid_from IS NULL OR valid_from <= %s)"
)


def newest(kind: str, *, on: date, scopes: tuple[str, ...] | None = None) -> Iterator[NoteRow]:
    """Yield the notes of a type that hold on a day, of some scopes or all; what is not asked for is not read."""
    where, values = _conditions(kind, on, scopes)
    chosen = f"SELECT note AS chosen FROM note WHERE {where} ORDER BY {_NEWEST} LIMIT %s OFFSET %s"
    first = 0
    while True:
        found = database.query(
            f"SELECT {notes.ALL_COLUMNS} FROM note n JOIN ({chosen}) ON n.note = chosen ORDER BY {_NEWEST}",
            [*values, _PAGE, first],
        )
        yield from map(notes.row, found)
        if len(found) < _PAGE:
            return
        first += _PAGE


def count(kind: str, *, on: date, scopes: tuple[str, ...] | None = None) -> int:
    """Return how many notes of a type hold on a day."""
    where, values = _conditions(kind, on, scopes)
    return int(database.query(f"SELECT count(*) FROM note WHERE {where}", values)[0][0])


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


def _conditions(kind: str, on: date, scopes: tuple[str, ...] | None) -> tuple[str, list[Any]]:
    where, values = f"type = %s AND {_HOLDS}", [kind, *[on.isoformat()] * 3]
    if scopes is not None:
        where += f" AND scope IN ({', '.join(['%s'] * len(scopes))})"
        values += scopes
    return where, values
