"""The way to index.db: queries that never wait for a writer, and writes one at a time under the index lock.

Every thread has a connection of its own. Before it is used the file's number is compared, so that an index which was
deleted and made again by another process is noticed; one that turns out damaged is made again on the spot.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from django.db import connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.utils import DatabaseError
from filelock import FileLock, Timeout

from brain import config
from brain.errors import IndexFailed, of_machine
from brain.index import sqlite_file
from brain.language import gettext as _

logger = logging.getLogger(__name__)

ALIAS: Final = "index"
Row = tuple[Any, ...]
_held = threading.local()
_opened: WeakKeyDictionary[BaseDatabaseWrapper, sqlite_file.Identity | None] = WeakKeyDictionary()


def file() -> Path:
    """Return where the index lies."""
    return _path(connections.settings[ALIAS]["NAME"])


@lru_cache(maxsize=8)
def _path(name: str) -> Path:
    return Path(name)


def connected() -> BaseDatabaseWrapper:
    """Return this thread's connection to the index that is there now; IndexFailed where none can be made."""
    wrapper = connections[ALIAS]
    if wrapper.in_atomic_block:
        return wrapper
    if wrapper.connection is not None and _opened.get(wrapper) != sqlite_file.identity(file()):
        wrapper.close()
    if wrapper.connection is None:
        from brain.index import schema

        schema.ensure()
        _connect(wrapper)
    return wrapper


def query(sql: str, parameters: Sequence[Any] = ()) -> list[Row]:
    """Return the rows of a SELECT; a damaged index is made again first, IndexFailed where that is not possible."""
    try:
        return _fetch(sql, parameters)
    except DatabaseError as error:
        if not repair(error):
            raise of_machine(error) or IndexFailed(
                _("The index could not be read (%(kind)s).") % {"kind": type(error).__name__}
            ) from error
    from brain.index import refresh

    refresh.catch_up(seconds=60.0)
    try:
        return _fetch(sql, parameters)
    except DatabaseError as error:
        raise of_machine(error) or IndexFailed(
            _("The index could not be read (%(kind)s).") % {"kind": type(error).__name__}
        ) from error


def repair(error: DatabaseError) -> bool:
    """Put an empty index in the place of a damaged one; False where the error means something else."""
    from brain.index import schema

    wrapper = connections[ALIAS]
    if wrapper.in_atomic_block or sqlite_file.is_passing(error):
        return False
    wrapper.close()
    try:
        if not sqlite_file.is_damage(error) and sqlite_file.is_sound(file()):
            return False
        logger.warning("The index was damaged; it is built again from the notes.")
        schema.start_over()
    except IndexFailed:
        return False
    return True


@contextmanager
def writing(*, wait: bool = True) -> Iterator[Any]:
    """Yield a cursor inside one write transaction; without `wait`, a database that is locked fails at once."""
    wrapper = connected()
    if not wait:
        _set_patience(wrapper, 0)
    try:
        with transaction.atomic(using=ALIAS), wrapper.cursor() as cursor:
            yield cursor
    finally:
        if not wait:
            _set_patience(wrapper, 20_000)


@contextmanager
def lock(name: str = "index.lock", *, seconds: float = 0.0) -> Iterator[bool]:
    """Hold a lock of the index and yield True; yield False where another keeps it longer than `seconds`.

    A thread that holds it already, as when it finds the index missing in the middle of a write, holds it still.
    """
    mine: set[Path] = _held.__dict__.setdefault("files", set())
    place = config.here().machine / name
    if place in mine:
        yield True
        return
    try:
        held = _file_lock(place)
        held.acquire(timeout=seconds, poll_interval=0.004)
    except (Timeout, OSError):
        yield False
        return
    mine.add(place)
    try:
        yield True
    finally:
        mine.discard(place)
        held.release()


def close() -> None:
    """Close this thread's connection; for threads that end before the process does."""
    connections[ALIAS].close()


def _file_lock(place: Path) -> FileLock:
    place.parent.mkdir(exist_ok=True)
    return FileLock(place, thread_local=False, fallback_to_soft=False, preserve_lock_file=True)


def _connect(wrapper: BaseDatabaseWrapper) -> None:
    try:
        wrapper.ensure_connection()
    except DatabaseError as error:
        raise of_machine(error) or IndexFailed(
            _("The index could not be opened (%(kind)s).") % {"kind": type(error).__name__}
        ) from error
    _opened[wrapper] = sqlite_file.identity(file())


def _fetch(sql: str, parameters: Sequence[Any]) -> list[Row]:
    with connected().cursor() as cursor:
        cursor.execute(sql, parameters)
        found: list[Row] = cursor.fetchall()
        return found


def _set_patience(wrapper: BaseDatabaseWrapper, milliseconds: int) -> None:
    if wrapper.connection is not None:
        with wrapper.cursor() as cursor:
            cursor.execute(f"PRAGMA busy_timeout = {milliseconds:d}")
