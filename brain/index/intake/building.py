"""Building the whole index beside the one in use, as fast as the disk and two cores allow."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, Final

from brain import clock, config
from brain.errors import IndexFailed
from brain.index import database, operations, schema, sqlite_file
from brain.index.intake import reader, rows, scanning, settling
from brain.index.intake.extract import Extract
from brain.language import gettext as _
from brain.store.changes import Changes

Progress = Callable[[int, int], object]
_CHUNK: Final = 200
_WORTH_A_CHILD: Final = 2000  # notes; fewer are read sooner than another Python starts
_WAIT_SECONDS: Final = 60.0
_USUAL_BUFFER: Final = 1 << 20  # what the full text gathers in memory before it writes
_BULK_BUFFER: Final = 32 << 20


def build(progress: Progress | None = None) -> None:
    """Build the index from the tree into a new file, catch up with what changed meanwhile, and put it in place."""
    with database.lock("rebuild.lock") as alone, ExitStack() as stack:
        if not alone:
            raise IndexFailed(_("The index is being rebuilt already."))
        file = database.file()
        new = file.with_name(f"{file.name}.new")
        stack.callback(sqlite_file.discard, new)
        with sqlite_file.private(new) as wrapper, wrapper.cursor() as cursor:
            schema.create(wrapper)
            _fill(cursor, progress)
            if not stack.enter_context(database.lock(seconds=_WAIT_SECONDS)):
                raise IndexFailed(_("Another process has been working on the index for too long."))
            _settle_rest(cursor)
            _copy_operations(cursor)
        sqlite_file.install(new, file)
    database.close()


def _fill(cursor: Any, progress: Progress | None) -> None:
    _set_buffer(cursor, _BULK_BUFFER)
    indexes = _indexes(cursor)
    for name, _sql in indexes:
        cursor.execute(f"DROP INDEX {name}")
    cursor.execute("BEGIN")
    _fill_rows(cursor, progress)
    cursor.execute("COMMIT")
    for _name, sql in indexes:  # sorted once they are all there
        cursor.execute(sql)
    _set_buffer(cursor, _USUAL_BUFFER)
    cursor.execute("ANALYZE")


def _fill_rows(cursor: Any, progress: Progress | None) -> None:
    brain = config.here()
    todo = scanning.compare(cursor, brain.root, Changes(overflow=True))
    paths = list(dict.fromkeys([*(path for path in _holders() if path in todo.read), *todo.read]))
    chunks = [paths[first : first + _CHUNK] for first in range(0, len(paths), _CHUNK)]
    relation_types = brain.config().relation_types
    if len(paths) < _WORTH_A_CHILD or (os.cpu_count() or 1) < 2:
        found: Iterator[list[Extract]] = (reader.read_here(brain.root, chunk, relation_types) for chunk in chunks)
    else:
        found = reader.read_beside(brain.root, chunks, relation_types)
    for number, extracts in enumerate(found, 1):
        rows.put(cursor, extracts)
        if progress is not None:
            progress(min(number * _CHUNK, len(paths)), len(paths))


def _holders() -> list[str]:
    """Return the notes that answer to an id of which there are copies; they come first, and so keep it."""
    copies = "SELECT written_id FROM note WHERE id IS NULL AND written_id IS NOT NULL"
    return [str(row[0]) for row in database.query(f"SELECT path FROM note WHERE id IN ({copies}) ORDER BY path")]


def _indexes(cursor: Any) -> list[tuple[str, str]]:
    cursor.execute(
        "SELECT name, sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
        "AND tbl_name IN ('name', 'link', 'block')"
    )
    return list(cursor.fetchall())


def _set_buffer(cursor: Any, size: int) -> None:
    cursor.execute("INSERT INTO fulltext (fulltext, rank) VALUES ('hashsize', %s)", (size,))


def _settle_rest(cursor: Any) -> None:
    """Take in what changed while the rest was being read."""
    brain = config.here()
    todo = scanning.compare(cursor, brain.root, Changes(overflow=True))
    cursor.execute("BEGIN")
    while todo:
        settling.settle(cursor, brain.root, todo.take(_CHUNK), relation_types=brain.config().relation_types)
    rows.set_about(cursor, "last_scan", clock.timestamp())
    cursor.execute("COMMIT")


def _copy_operations(cursor: Any) -> None:
    """Keep what is known of the operations; the history fills in the rest."""
    known = database.query(f"SELECT {operations.COLUMNS} FROM operation")
    marks = ", ".join(["%s"] * (operations.COLUMNS.count(",") + 1))
    cursor.executemany(f"INSERT INTO operation ({operations.COLUMNS}) VALUES ({marks})", known)
    for value in database.query("SELECT value FROM meta WHERE key = 'head'"):
        rows.set_about(cursor, "head", *value)
