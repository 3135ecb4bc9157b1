"""The index as a file: whether it is sound and of this version, and how one takes another's place.

A file that is in use is never exchanged under those who read it: its pages are replaced in one transaction. Only one
that is missing or damaged is put in place by a rename; whoever still has the old one open sees the new file's number.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

from brain.errors import IndexFailed, of_machine
from brain.language import gettext as _

_WAIT_SECONDS: Final = 20.0
_SIDE_FILES: Final = ("-wal", "-shm", "-journal")

# Errors that say nothing about what is in the file.
_PASSING: Final = (
    sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM, sqlite3.SQLITE_PROTOCOL,
)  # fmt: skip

Identity = tuple[int, int]


def identity(file: Path) -> Identity | None:
    """Return what tells one file from another of the same name, None where there is none."""
    try:
        found = os.stat(file)  # noqa: PTH116 (called before each query)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def value(file: Path, key: str) -> str | None:
    """Return a fact that the index says about itself; None where it is missing, damaged or no index at all."""
    rows = _asked(file, "SELECT value FROM meta WHERE key = ?", key)
    return str(rows[0][0]) if rows else None


def is_sound(file: Path) -> bool:
    """Tell whether every page of the file can be read; takes time in proportion to its size."""
    return _asked(file, "PRAGMA quick_check(1)") == [("ok",)]


def is_damage(error: BaseException) -> bool:
    """Tell whether an error of the database means that its file is damaged, or no database."""
    return _code(error) in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def is_passing(error: BaseException) -> bool:
    """Tell whether an error of the database says nothing about what is in the file: a lock, a right, a full disk."""
    return _code(error) in _PASSING


def discard(file: Path) -> None:
    """Delete the file and what lies beside it; what others have open stays theirs until they look again."""
    for suffix in ("", *_SIDE_FILES):
        Path(f"{file}{suffix}").unlink(missing_ok=True)


def install(new: Path, file: Path) -> None:
    """Let a finished file be the index: page by page into a sound one, else by a rename."""
    if value(file, "version") is not None and _copied(new, file):
        discard(new)
        return
    discard(file)
    os.replace(new, file)  # noqa: PTH105
    discard(new)


@contextmanager
def private(file: Path) -> Iterator[Any]:
    """Yield Django's wrapper of a file that nobody else knows yet, quick and without a journal."""
    from django.db import connections

    settings = connections.settings["index"]
    options = {
        **settings["OPTIONS"],
        "init_command": "PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE; "
        "PRAGMA cache_size=-65536; PRAGMA secure_delete=OFF; PRAGMA temp_store=MEMORY;",
    }
    discard(file)
    wrapper = type(connections["index"])({**settings, "NAME": str(file), "OPTIONS": options}, "index")
    try:
        yield wrapper
        with wrapper.cursor() as cursor:
            cursor.execute("PRAGMA locking_mode=NORMAL")
            cursor.execute("PRAGMA journal_mode=WAL")
    finally:
        wrapper.close()


def _open(file: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=_WAIT_SECONDS, isolation_level=None)


def _asked(file: Path, sql: str, *values: str) -> list[tuple[Any, ...]]:
    """Return the rows of a question; none where the file is missing or damaged, IndexFailed where it is held."""
    if not file.is_file():
        return []
    try:
        with closing(_open(file)) as database:
            return database.execute(sql, values).fetchall()
    except sqlite3.Error as error:
        if is_passing(error) and file.is_file():
            raise of_machine(error) or IndexFailed(
                _("The index could not be opened (%(kind)s).") % {"kind": error.sqlite_errorname}
            ) from error
        return []


def _code(error: BaseException) -> int:
    return int(getattr(error.__cause__ or error, "sqlite_errorcode", 0)) & 0xFF


def _copied(new: Path, file: Path) -> bool:
    with contextlib.suppress(sqlite3.Error), closing(_open(new)) as source, closing(_open(file)) as target:
        source.backup(target)
        return True
    return False
