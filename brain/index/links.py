"""Links between notes, both ways.

What a link leads to is found at each question, so that a new or renamed note needs no more than its own rows.
"""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, Literal

from brain.index import database, names
from brain.index.names import Candidate
from brain.note import links as note_links

Origin = Literal["body", "frontmatter"]
_FOUND: Final = "l.origin, l.type, l.target, l.key, l.heading, l.line, l.promises"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A link from a note: to another, or to nothing, which is `broken`."""

    origin: Origin
    type: str
    target: str
    path: str | None
    title: str | None
    note_type: str | None
    broken: bool
    heading: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Backlink:
    """A link to a note, from another; `line` counts in that note's file."""

    origin: Origin
    type: str
    path: str
    title: str
    note_type: str | None
    archived: bool
    line: int | None


@dataclass(frozen=True, slots=True)
class BrokenLink:
    """A link that leads to nothing, and where it stands."""

    path: str
    type: str
    target: str
    line: int | None


def outgoing(path: str) -> list[Outgoing]:
    """Return the links of a note in the order of the file, the body's first, each target of a type once.

    Sources and the parts of a fact are links only where they lead to a note or are written as a link.
    """
    rows = database.query(
        f"SELECT {_FOUND} FROM link l JOIN note n ON n.note = l.note WHERE n.path = %s ORDER BY l.row",
        (path,),
    )
    bearers = names.bearers(sorted({row[3] for row in rows if row[3]} | {note_links.fold(path)}))
    found: dict[tuple[str, str, str], Outgoing] = {}
    for origin, kind, target, key, heading, line, promises in rows:
        met = _met(bearers, key, target, path)
        if met is None and not promises:
            continue
        shown = target or path
        link = Outgoing(
            origin,
            kind,
            shown,
            met.path if met else None,
            met.title if met else None,
            met.type if met else None,
            broken=met is None,
            heading=heading,
            line=line,
        )
        found.setdefault((origin, kind, shown), link)
    return list(found.values())


def backlinks(path: str) -> list[Backlink]:
    """Return the links to a note, by path and line; its links to itself do not count."""
    keys = [row[0] for row in database.query(
        "SELECT DISTINCT m.key FROM name m JOIN note n ON n.note = m.note WHERE n.path = %s", (path,)
    )]  # fmt: skip
    if not keys:
        return []
    bearers = names.bearers(keys)
    found: dict[tuple[str, str, str, int | None], Backlink] = {}
    for origin, kind, target, key, line, source, title, note_type, archived in _links_to(keys):
        met = _met(bearers, key, target, source)
        if met is not None and met.path == path and source != path:
            link = Backlink(origin, kind, source, title, note_type, bool(archived), line)
            found.setdefault((origin, kind, source, line), link)
    return sorted(found.values(), key=lambda one: (one.path, one.line or 0, one.type))


def sources(keys: Iterable[str]) -> list[str]:
    """Return the paths of the notes that link by one of these keys, to whichever note it means."""
    return sorted({row[5] for row in _links_to(sorted(keys))})


def broken(*, limit: int | None = None) -> list[BrokenLink]:
    """Return the links that lead to nothing, outside of archived notes and raw sources."""
    rows = database.query(
        f"SELECT n.path, l.type, l.target, l.line {_BROKEN} ORDER BY n.path, l.line LIMIT %s",
        (-1 if limit is None else limit,),
    )
    return [BrokenLink(*row) for row in rows]


def broken_count() -> int:
    """Return how many links lead to nothing, outside of archived notes and raw sources."""
    return int(database.query(f"SELECT count(*) {_BROKEN}")[0][0])


def count() -> int:
    """Return how many links the index holds."""
    return int(database.query("SELECT count(*) FROM link")[0][0])


_BROKEN: Final = (
    "FROM link l JOIN note n ON n.note = l.note WHERE l.promises AND l.key <> '' AND NOT n.archived "
    "AND n.path NOT LIKE 'raw/%%' AND NOT EXISTS (SELECT 1 FROM name m WHERE m.key = l.key)"
)


def _met(bearers: dict[str, list[Candidate]], key: str, target: str, near: str) -> Candidate | None:
    if key:
        return names.best(bearers.get(key, ()), target=target, near=near)
    own: Iterable[Candidate] = bearers.get(note_links.fold(near), ())
    return next((one for one in own if one.path == near), None)


def _links_to(keys: list[str]) -> list[database.Row]:
    found: list[database.Row] = []
    for first in range(0, len(keys), 500):
        some = keys[first : first + 500]
        found += database.query(
            "SELECT l.origin, l.type, l.target, l.key, l.line, n.path, n.title, n.type, n.archived "
            "FROM link l JOIN note n ON n.note = l.note "
            f"WHERE l.key IN ({', '.join(['%s'] * len(some))})",
            some,
        )
    return found
