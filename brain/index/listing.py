"""Notes as lists show them: sorted, in numbered pages, counted by type and scope, or many paths at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, Literal

from brain.index import database, notes
from brain.index.notes import NoteRow

Sort = Literal["recent", "title", "type"]
UNTYPED: Final = "none"
_TITLE: Final = "(SELECT m.key FROM name m WHERE m.note = n.note AND m.kind = 'title' LIMIT 1)"
_RECENT: Final = "coalesce(n.updated, n.created, strftime('%%Y-%%m-%%d', n.mtime_ns / 1000000000, 'unixepoch')) DESC"
_ORDERS: Final[dict[Sort, str]] = {
    "recent": f"{_RECENT}, n.path",
    "title": f"{_TITLE}, n.path",
    "type": f"n.type IS NULL, n.type, {_TITLE}, n.path",
}


@dataclass(frozen=True, slots=True)
class Listed:
    """A note in a list, and when its file changed."""

    note: NoteRow
    file_changed: datetime


@dataclass(frozen=True, slots=True)
class Nameplate:
    """What a link to a note needs to know of it."""

    path: str
    id: str | None
    title: str
    type: str | None


@dataclass(frozen=True)
class Group:
    """How many notes have a value; None stands for notes without one."""

    value: str | None
    count: int


def page(*, kind: str | None, scope: str | None, sort: Sort, first: int, limit: int) -> list[Listed]:
    """Return notes that are not archived from the place `first` on; a kind `none` means those without a type."""
    where, values = _conditions(kind, scope)
    order = _ORDERS[sort]
    chosen = f"SELECT n.note AS chosen FROM note n WHERE {where} ORDER BY {order} LIMIT %s OFFSET %s"  # noqa: S608
    found = database.query(
        f"SELECT {notes.ALL_COLUMNS}, n.mtime_ns FROM note n "  # noqa: S608
        f"JOIN ({chosen}) ON n.note = chosen ORDER BY {order}",  # whole rows are read of one page alone
        [*values, limit, first],
    )
    return [Listed(notes.row(one), datetime.fromtimestamp(one[-1] / 1e9, UTC)) for one in found]


def total(*, kind: str | None, scope: str | None) -> int:
    """Return how many notes such a list has."""
    where, values = _conditions(kind, scope)
    return int(database.query(f"SELECT count(*) FROM note n WHERE {where}", values)[0][0])  # noqa: S608


def by_type(*, scope: str | None = None) -> list[Group]:
    """Count the notes that are not archived by type, the most frequent first."""
    return _groups("type", *_conditions(None, scope))


def by_scope(*, kind: str | None = None) -> list[Group]:
    """Count the notes that are not archived by scope, the most frequent first."""
    return _groups("scope", *_conditions(kind, None))


def nameplates(paths: Iterable[str]) -> dict[str, Nameplate]:
    """Return what links to these paths need, by path; a path without a note is left out."""
    wanted = sorted(set(paths))
    found: dict[str, Nameplate] = {}
    for first in range(0, len(wanted), 500):
        some = wanted[first : first + 500]
        marks = ", ".join(["%s"] * len(some))
        for row in database.query(f"SELECT path, id, title, type FROM note WHERE path IN ({marks})", some):  # noqa: S608
            found[row[0]] = Nameplate(*row)
    return found


def links_to_key(key: str) -> list[tuple[str, int | None]]:
    """Return the paths and lines of the links whose target has this key, of notes that are not archived."""
    return [(str(path), line) for path, line in database.query(
        "SELECT DISTINCT n.path, l.line FROM link l JOIN note n ON n.note = l.note "
        "WHERE l.key = %s AND NOT n.archived ORDER BY n.path, l.line",
        (key,),
    )]  # fmt: skip


def _groups(column: str, where: str, values: Sequence[Any]) -> list[Group]:
    found = database.query(
        f"SELECT n.{column}, count(*) FROM note n WHERE {where} GROUP BY 1 ORDER BY 2 DESC, 1",  # noqa: S608
        values,
    )
    return [Group(*one) for one in found]


def _conditions(kind: str | None, scope: str | None) -> tuple[str, list[Any]]:
    wanted = ["NOT n.archived"]
    values: list[Any] = []
    if kind == UNTYPED:
        wanted.append("n.type IS NULL")
    elif kind:
        wanted.append("n.type = %s")
        values.append(kind)
    if scope:
        wanted.append("n.scope = %s")
        values.append(scope)
    return " AND ".join(wanted), values
