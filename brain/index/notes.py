"""Notes as the index knows them: one by one, in pages, and counted."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, NamedTuple

from brain.guard import paths
from brain.index import database
from brain.index.intake.scanning import UNREADABLE
from brain.note import links
from brain.note.validity import Validity

COLUMNS: Final = (
    "note, id, path, title, type, scope, trust, origin, edited_by, approved_by, approved_at, created, updated, "
    "valid_from, valid_until, expires_at, superseded, archived, private, ring, subject, predicate, object, tags, "
    "sources, frontmatter_error, lossy, cut, size, digest"
)
ALL_COLUMNS: Final = ", ".join(f"n.{name.strip()}" for name in COLUMNS.split(","))
_SELECT: Final = f"SELECT {COLUMNS} FROM note"


def _day(value: str | None) -> date | None:
    return date.fromisoformat(value) if value else None


def _texts(value: str) -> tuple[str, ...]:
    return tuple(json.loads(value)) if value != "[]" else ()


# How the values of `COLUMNS` that are not taken as they are become those of a row.
_READ: Final[dict[str, Callable[[Any], Any]]] = {
    "valid_from": _day, "valid_until": _day, "expires_at": _day, "superseded": bool, "archived": bool, "private": bool,
    "tags": _texts, "sources": _texts, "lossy": bool, "cut": bool,
}  # fmt: skip
_NAMES: Final = [name.strip() for name in COLUMNS.split(",")]
_READERS: Final = tuple((_NAMES.index(name), read) for name, read in _READ.items())


class NoteRow(NamedTuple):
    """A note's row; `note` is its number in this index, good until it is rebuilt, dates are local."""

    note: int
    id: str | None
    path: str
    title: str
    type: str | None
    scope: str
    trust: str | None
    origin: str | None
    edited_by: str | None
    approved_by: str | None
    approved_at: str | None
    created: str | None
    updated: str | None
    valid_from: date | None
    valid_until: date | None
    expires_at: date | None
    superseded: bool
    archived: bool
    private: bool
    ring: int
    subject: str | None
    predicate: str | None
    object: str | None
    tags: tuple[str, ...]
    sources: tuple[str, ...]
    frontmatter_error: str | None
    lossy: bool
    cut: bool
    size: int
    digest: str

    def validity(self, on: date) -> Validity:
        """Judge the note on a day, as `brain.note.validity` does."""
        if (self.valid_until and on >= self.valid_until) or (self.expires_at and on > self.expires_at):
            return Validity.EXPIRED
        return Validity.NOT_YET_VALID if self.valid_from and on < self.valid_from else Validity.CURRENT

    def is_replaced(self, on: date) -> bool:
        """Tell whether another note has taken this one's place by a day; until its own `valid_until` none has."""
        return self.superseded and not (self.valid_until and on < self.valid_until)


@dataclass(frozen=True)
class Filters:
    """Which notes a page shows; None leaves a question open."""

    types: tuple[str, ...] | None = None
    scope: str | None = None
    folder: str | None = None
    tag: str | None = None
    archived: bool | None = False


@dataclass(frozen=True)
class Counts:
    """How many notes there are; `unmanaged` have no id, `archived` are in none of the other figures but `total`."""

    total: int = 0
    by_type: dict[str, int] = field(default_factory=dict)
    untyped: int = 0
    archived: int = 0
    unmanaged: int = 0


def row(values: Sequence[Any]) -> NoteRow:
    """Return a note from the values of `COLUMNS`."""
    taken = list(values[: len(_NAMES)])
    for place, read in _READERS:
        taken[place] = read(taken[place])
    return NoteRow._make(taken)


def by_id(identity: str) -> NoteRow | None:
    """Return the note that answers to an id."""
    return _one("id = %s", identity)


def by_path(path: str) -> NoteRow | None:
    """Return the note of a path; a path that is the same but for its Unicode form counts as the same."""
    found = _one("path = %s", path)
    if found is not None or path.isascii():
        return found
    wanted = unicodedata.normalize("NFC", path)
    alike = _many("folded_path = %s", links.fold(path))
    return next((one for one in alike if unicodedata.normalize("NFC", one.path) == wanted), None)


def by_citation(citation: str) -> tuple[NoteRow, int, int] | None:
    """Return the note that holds a cited block, and where in its body; the ring in the citation is not compared."""
    mark = citation.rpartition("-")[2]
    found = database.query(
        f'SELECT {ALL_COLUMNS}, b.start, b."end" FROM block b JOIN note n ON n.note = b.note '
        "WHERE b.fingerprint = %s ORDER BY n.archived, n.path LIMIT 1",
        (mark,),
    )
    return next(((row(one), one[-2], one[-1]) for one in found), None)


def by_text(key: str, *, note_type: str, scope: str) -> NoteRow | None:
    """Return the note of a type and scope whose body says the same, by `likeness.key`; archived ones do not count."""
    found = _many("text_key = %s AND type = %s AND scope = %s AND NOT archived", key, note_type, scope)
    return min(found, key=lambda one: (one.created or "", one.path), default=None)


def with_text(key: str, *, under: str) -> list[NoteRow]:
    """Return the notes in a folder whose bodies say the same, by `likeness.key`, the oldest first."""
    found = _many("text_key = %s AND path > %s AND path < %s", key, f"{under}/", f"{under}0")
    return sorted(found, key=lambda one: (one.created or "", one.path))


def count() -> int:
    """Return how many notes there are, archived ones included."""
    return int(database.query("SELECT count(*) FROM note")[0][0])


def counts() -> Counts:
    """Count the notes, by type."""
    groups = database.query("SELECT archived, type, id IS NULL, count(*) FROM note GROUP BY 1, 2, 3")
    by_type: dict[str, int] = {}
    for archived, kind, _unmanaged, number in groups:
        if not archived and kind is not None:
            by_type[kind] = by_type.get(kind, 0) + number
    return Counts(
        total=sum(one[3] for one in groups),
        by_type=dict(sorted(by_type.items())),
        untyped=sum(one[3] for one in groups if not one[0] and one[1] is None),
        archived=sum(one[3] for one in groups if one[0]),
        unmanaged=sum(one[3] for one in groups if not one[0] and one[2]),
    )


def blocks_count() -> int:
    """Return how many blocks the index holds."""
    return int(database.query("SELECT count(*) FROM block")[0][0])


def page(filters: Filters | None = None, *, after: str | None = None, limit: int = 100) -> list[NoteRow]:
    """Return notes in the order of their paths, those after a path."""
    wanted, values = _conditions(filters or Filters())
    if after is not None:
        wanted.append("path > %s")
        values.append(after)
    return _many(f"{' AND '.join(wanted) or '1'} ORDER BY path LIMIT %s", *values, limit)


def recent(limit: int = 20) -> list[NoteRow]:
    """Return the notes that changed last, by what they say themselves, else by their file."""
    return _many("NOT archived ORDER BY coalesce(updated, created, '') DESC, mtime_ns DESC, path LIMIT %s", limit)


def of_type(kind: str, *, scope: str | None = None) -> list[NoteRow]:
    """Return the notes of a type that are not archived, of one scope or all, the newest first."""
    wanted, values = _conditions(Filters(types=(kind,), scope=scope))
    return _many(f"{' AND '.join(wanted)} ORDER BY coalesce(updated, created, '') DESC, path", *values)


def with_errors() -> list[NoteRow]:
    """Return the notes whose frontmatter or file cannot be read."""
    return _many("frontmatter_error IS NOT NULL OR lossy ORDER BY path")


class Fault(NamedTuple):
    """A note that cannot be taken as it stands: its frontmatter, its bytes, or a field of it."""

    path: str
    error: str | None
    is_lossy: bool

    @property
    def is_unopened(self) -> bool:
        """Whether the file itself could not be read."""
        return self.error == UNREADABLE

    @property
    def has_broken_frontmatter(self) -> bool:
        """Whether the block between the fences could not be read."""
        return self.error is not None and not self.is_unopened


def faulty() -> list[Fault]:
    """Return the notes with a fault, archived ones left out, by path."""
    rows = database.query(
        "SELECT path, frontmatter_error, lossy FROM note "
        "WHERE NOT archived AND (frontmatter_error IS NOT NULL OR lossy OR faulty) ORDER BY path"
    )
    return [Fault(path, error, bool(lossy)) for path, error, lossy in rows]


class Retained(NamedTuple):
    """A note that is to be kept for a time."""

    path: str
    id: str | None
    title: str
    type: str | None
    retention: str
    created: str | None
    updated: str | None


def with_retention() -> list[Retained]:
    """Return the notes that are to be kept for a time, by path; archived ones and copies of a conflict left out."""
    rows = database.query(
        "SELECT path, id, title, type, retention, created, updated FROM note "
        "WHERE retention IS NOT NULL AND NOT archived ORDER BY path"
    )
    return [Retained(*row) for row in rows if not paths.is_conflict_copy(row[0])]


def with_name_like(part: str) -> list[NoteRow]:
    """Return the notes whose path holds a text."""
    return _many("instr(path, %s) > 0 ORDER BY path", part)


def scopes() -> list[str]:
    """Return the scopes in use, in alphabetical order."""
    return [str(one[0]) for one in database.query("SELECT DISTINCT scope FROM note WHERE NOT archived ORDER BY scope")]


def has_scope(scope: str) -> bool:
    """Tell whether a note that is not archived has a scope."""
    return bool(database.query("SELECT 1 FROM note WHERE scope = %s AND NOT archived LIMIT 1", (scope,)))


def titles(prefix: str, *, limit: int = 20) -> list[NoteRow]:
    """Return notes with a title, alias or file name that begins so, accents and case folded, the shortest first."""
    start = links.fold(prefix)
    found = database.query(
        f"SELECT {ALL_COLUMNS} FROM note n WHERE NOT n.archived AND n.note IN "
        "(SELECT note FROM name WHERE key >= %s AND key < %s AND kind IN ('title', 'alias', 'stem') LIMIT 1000) "
        "ORDER BY length(n.title), n.title, n.path LIMIT %s",
        (start, f"{start}\U0010ffff", limit),
    )
    return [row(one) for one in found]


def body(note: int) -> str:
    """Return a note's text as it was indexed, the first part alone where it was cut."""
    found = database.query("SELECT body FROM fulltext WHERE rowid = %s", (note,))
    return str(found[0][0]) if found else ""


def about(key: str) -> str | None:
    """Return what the index says about itself: `version`, `head`, `last_scan`."""
    return next((str(one[0]) for one in database.query("SELECT value FROM meta WHERE key = %s", (key,))), None)


def _conditions(filters: Filters) -> tuple[list[str], list[Any]]:
    wanted: list[str] = []
    values: list[Any] = []
    if filters.types is not None:
        wanted.append(f"type IN ({', '.join(['%s'] * len(filters.types))})")
        values += filters.types
    if filters.scope is not None:
        wanted.append("scope = %s")
        values.append(filters.scope)
    if filters.folder:
        wanted.append("path > %s AND path < %s")
        values += [f"{filters.folder.rstrip('/')}/", f"{filters.folder.rstrip('/')}0"]
    if filters.tag is not None:
        wanted.append("EXISTS (SELECT 1 FROM json_each(note.tags) WHERE value = %s)")
        values.append(filters.tag)
    if filters.archived is not None:
        wanted.append("archived" if filters.archived else "NOT archived")
    return wanted, values


def _one(condition: str, *values: object) -> NoteRow | None:
    return next(iter(_many(f"{condition} LIMIT 1", *values)), None)


def _many(condition: str, *values: object) -> list[NoteRow]:
    return [row(one) for one in database.query(f"{_SELECT} WHERE {condition}", values)]
