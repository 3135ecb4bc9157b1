"""Building the whole index beside the one in use, as fast as the disk and one core allow."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import Any, Final

from brain import clock, config
from brain.errors import IndexFailed
from brain.index import database, operations, schema, sqlite_file
from brain.index.intake import rows, scanning
from brain.language import gettext as _
from brain.store.watch import Changes

Progress = Callable[[int, int], object]
_CHUNK: Final = 400
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
    total = len(todo)
    while todo:
        paths = todo.take(_CHUNK).read
        loaded = (scanning.load(brain.root, path, relation_types=brain.config().relation_types) for path in paths)
        rows.put(cursor, [one for one in loaded if one is not None])
        if progress is not None:
            progress(total - len(todo), total)


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
        scanning.settle(cursor, brain.root, todo.take(_CHUNK), relation_types=brain.config().relation_types)
    rows.set_about(cursor, "last_scan", clock.timestamp())
    cursor.execute("COMMIT")


def _copy_operations(cursor: Any) -> None:
    """Keep what is known of the operations; the history fills in the rest."""
    known = database.query(f"SELECT {operations.COLUMNS} FROM operation")
    marks = ", ".join(["%s"] * (operations.COLUMNS.count(",") + 1))
    cursor.executemany(f"INSERT INTO operation ({operations.COLUMNS}) VALUES ({marks})", known)
    for value in database.query("SELECT value FROM meta WHERE key = 'head'"):
        rows.set_about(cursor, "head", *value)
