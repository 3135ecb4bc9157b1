"""Writing notes into the tables; the caller holds the index lock and one transaction around it."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from brain.guard.paths import is_conflict_copy
from brain.index.intake.extract import COLUMNS, Extract, fingerprints
from brain.index.intake.scanning import UNREADABLE

_NOTE_COLUMNS: Final = ("note", "id", *COLUMNS)
_TEXT_COLUMNS: Final = ("rowid", "title", "names", "body", "pieces", "stems")
_NAME_COLUMNS: Final = ("note", "key", "kind")
_LINK_COLUMNS: Final = ("note", "origin", "type", "target", "key", "heading", "line", "promises")
_BLOCK_COLUMNS: Final = ("note", "ordinal", "start", '"end"', "line", "heading_path", "fingerprint")
_MOST_VARIABLES: Final = 500


def put(cursor: Any, extracts: Sequence[Extract], gone: Iterable[str] = ()) -> list[str]:
    """Write notes, and take out those that are gone; return the paths of copies that now answer to a freed id."""
    old = {path: (note, identity) for path, note, identity in _known(cursor, [*gone, *(one.path for one in extracts)])}
    first = _next_note(cursor)  # beyond those that are taken out here too: they come in again under their numbers
    _delete(cursor, [note for note, _identity in old.values()])
    owners = {path: identity for path, (_note, identity) in old.items() if identity}
    taken = _taken(cursor, [one.written_id for one in extracts if one.written_id])
    ordered = sorted(extracts, key=lambda one: (owners.get(one.path) != one.written_id, one.mtime_ns, one.path))
    numbered: list[tuple[int, str | None, Extract]] = []
    for number, one in enumerate(ordered, first):
        identity = None if one.written_id in taken or is_conflict_copy(one.path) else one.written_id
        taken.add(identity)
        known = old.get(one.path)
        numbered.append((known[0] if known else number, identity, one))
    _insert(cursor, numbered)
    freed = {identity for identity in owners.values() if identity not in taken}
    return _copies_of(cursor, freed)


def touch(cursor: Any, stamps: Iterable[tuple[int, int, int, str]]) -> None:
    """Record that files of an unchanged content were read: size, mtime, moment of reading, path."""
    cursor.executemany("UPDATE note SET size = %s, mtime_ns = %s, read_ns = %s WHERE path = %s", list(stamps))


def mark_unreadable(cursor: Any, path: str) -> bool:
    """Say of a known note that its file cannot be read now, and keep what is known of it; False for an unknown one."""
    cursor.execute("UPDATE note SET frontmatter_error = %s, digest = '' WHERE path = %s", (UNREADABLE, path))
    return bool(cursor.rowcount)


def set_about(cursor: Any, key: str, value: str) -> None:
    """Record a fact about the index itself."""
    cursor.execute(
        "INSERT INTO meta (key, value) VALUES (%s, %s) ON CONFLICT (key) DO UPDATE SET value = excluded.value",
        (key, value),
    )


def _known(cursor: Any, paths: list[str]) -> Iterator[tuple[str, int, str | None]]:
    for some, marks in _batches(paths):
        cursor.execute(f"SELECT path, note, id FROM note WHERE path IN ({marks})", some)
        yield from cursor.fetchall()


def _taken(cursor: Any, identities: list[str]) -> set[str | None]:
    found: set[str | None] = set()
    for some, marks in _batches(identities):
        cursor.execute(f"SELECT id FROM note WHERE id IN ({marks})", some)
        found.update(row[0] for row in cursor.fetchall())
    return found


def _copies_of(cursor: Any, freed: set[str]) -> list[str]:
    found: list[str] = []
    for some, marks in _batches(sorted(freed)):
        cursor.execute(
            f"SELECT path FROM note WHERE id IS NULL AND written_id IN ({marks}) ORDER BY mtime_ns, path",
            some,
        )
        found += [row[0] for row in cursor.fetchall()]
    return found


def _delete(cursor: Any, notes: list[int]) -> None:
    for some, marks in _batches(notes):
        for table in ("note", "name", "link", "block"):
            cursor.execute(f"DELETE FROM {table} WHERE note IN ({marks})", some)
        cursor.execute(f"DELETE FROM fulltext WHERE rowid IN ({marks})", some)


def _next_note(cursor: Any) -> int:
    cursor.execute("SELECT max(note) FROM note")
    return int(cursor.fetchone()[0] or 0) + 1


def _insert(cursor: Any, numbered: list[tuple[int, str | None, Extract]]) -> None:
    _insert_rows(cursor, "note", _NOTE_COLUMNS, [(note, identity, *one.values) for note, identity, one in numbered])
    texts = [(note, one.title, one.words, one.body, one.pieces, one.stems) for note, _identity, one in numbered]
    _insert_rows(cursor, "fulltext", _TEXT_COLUMNS, texts)
    names = [(note, *name) for note, _identity, one in numbered for name in one.names]
    _insert_rows(cursor, "name", _NAME_COLUMNS, names)
    links = [(note, *link) for note, _identity, one in numbered for link in one.links]
    _insert_rows(cursor, "link", _LINK_COLUMNS, links)
    _insert_rows(cursor, "block", _BLOCK_COLUMNS, [row for numbers in numbered for row in _block_rows(*numbers)])


def _insert_rows(cursor: Any, table: str, columns: tuple[str, ...], found: list[tuple[Any, ...]]) -> None:
    marks = ", ".join(["%s"] * len(columns))
    cursor.executemany(f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({marks})", found)


def _block_rows(note: int, identity: str | None, one: Extract) -> Iterator[tuple[Any, ...]]:
    marks = fingerprints(identity or one.path, one.blocks)
    above, above_json = None, "[]"
    for block, mark in zip(one.blocks, marks, strict=True):
        if block.heading_path is not above:
            above, above_json = block.heading_path, json.dumps(block.heading_path, ensure_ascii=False)
        yield note, block.ordinal, block.start, block.end, block.line, above_json, mark


def _batches(values: Sequence[Any]) -> Iterator[tuple[list[Any], str]]:
    for first in range(0, len(values), _MOST_VARIABLES):
        some = list(values[first : first + _MOST_VARIABLES])
        yield some, ", ".join(["%s"] * len(some))
