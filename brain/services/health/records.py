"""Whether the databases that are records, and no cache, can be read: state.db and audit.db.

A record that is not there is made anew: a fresh clone has none, and a person may delete one. A file of no bytes where
there was a record is another matter, and never made anew in silence. An emptied state is damaged like any other: it is
told of, writes are refused and notes are read, until the person restores it or begins a new one. An emptied audit log
is kept aside and goes on, as its loss is told by the commits that name its rows. A file of no bytes beside nothing else
is what a process left that died while it made the first records, and is no loss.
"""

from __future__ import annotations

import importlib
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final
from weakref import WeakKeyDictionary

from django.conf import settings
from django.db import DatabaseError, connections
from django.db.backends.base.base import BaseDatabaseWrapper

from brain import config
from brain.errors import IndexFailed, foreign, of_machine
from brain.language import gettext as _
from brain.services.health.trouble import Trouble
from brain.store import journal

STATE: Final = "state"
AUDIT: Final = "audit"
ALIASES: Final = {STATE: "default", AUDIT: "audit"}
# What the state is asked before a write, so that one which is damaged is met while nothing is changed.
_QUESTION: Final = "SELECT 1 FROM attestation LIMIT 1"
_SOUND: Final = "ok"
# Of a database's first bytes: how many pages it has, and how many entries are on the first one, the table of tables.
_HEAD: Final = 108
_PAGE: Final = 4096
_PAGES, _ONE = slice(28, 32), b"\0\0\0\1"
_TABLES, _NO_TABLES = slice(103, 105), b"\0\0"
_MOST_AT_ONCE: Final = 32 << 20  # bytes; of a larger file each page is read by the doctor alone

Stamp = tuple[tuple[int, int, int] | None, ...]
_opened: WeakKeyDictionary[BaseDatabaseWrapper, int | None] = WeakKeyDictionary()
_known: dict[Path, tuple[Stamp, str]] = {}


def file_of(name: str) -> Path:
    """Return where a record lies."""
    return config.here().machine / f"{name}.db"


def damaged() -> Iterator[Trouble]:
    """Tell of each record that cannot be read; one that is not there is none of these."""
    for name in ALIASES:
        told = soundness(file_of(name))
        if told != _SOUND:
            closed = is_closed(file_of(name))
            said = _("%(file)s cannot be written: %(told)s.") if closed else _("%(file)s is damaged: %(told)s.")
            message = said % {"file": file_of(name).name, "told": told}
            yield Trouble(f"database_{name}", message, way_out(name))


def is_closed(file: Path) -> bool:
    """Tell whether a database is there and this user may not write to it or beside it: that is no damage."""
    return file.exists() and not (os.access(file, os.W_OK) and os.access(file.parent, os.W_OK))


def permitting() -> str:
    """Return what to do where the machine's folder cannot be written."""
    return _("Give your user the right to write in .cabecao (`chmod -R u+w .cabecao`), then try again.")


def way_out(name: str) -> str:
    """Return what to do where a record is damaged, or cannot be written."""
    if is_closed(file_of(name)):
        return permitting()
    return _(
        "Restore .cabecao/%(name)s.db from a backup; without one, run `cabecao doctor --renew %(name)s` in a terminal: "
        "the damaged file is kept aside and a new one begins. Your notes are not touched."
    ) % {"name": name}


def is_emptied(name: str) -> bool:
    """Tell whether a record has no bytes where it had some: the other one is there, or a write was made here."""
    other = file_of(AUDIT if name == STATE else STATE)
    if not _is_blank(file_of(name)):
        return False
    return (other.exists() and not _is_blank(other)) or journal.is_used(config.here().root)


def _is_blank(file: Path) -> bool:
    """Tell whether a database has no bytes, or no more than SQLite writes when it opens such a one: no table."""
    main, log = stamp(file)
    if main is None or main[1] > _PAGE or (main[1] and log is not None and log[1]):
        return False  # not opened: to close a database's file takes this process's own locks on it away
    try:
        with file.open("rb") as stream:
            head = stream.read(_HEAD)
    except OSError:
        return False
    return not head or (head[_PAGES] == _ONE and head[_TABLES] == _NO_TABLES)


def emptied(name: str) -> IndexFailed:
    """Return the error for a record that has no bytes any more."""
    message = _("The local database %(file)s is empty: something cut it off. Nothing was changed.")
    return IndexFailed(message % {"file": f".cabecao/{name}.db"}, next_step=way_out(name))


def soundness(file: Path, *, deep: bool = False) -> str:
    """Return `ok`, or what SQLite says of a file; `deep` reads the indexes against the tables too. None is sound."""
    now = stamp(file)
    known = _known.get(file)
    if not deep and known is not None and known[0] == now:
        return known[1]
    if now[0] is not None and file.stem in ALIASES and is_emptied(file.stem):
        return _("it is empty")  # not opened: SQLite would throw the log beside it away
    told = _asked(file, deep=deep) if now[0] is not None else _SOUND
    _known[file] = (stamp(file), told)
    return told


def require() -> None:
    """Raise IndexFailed where the state cannot be read, before anything is written; a record that is gone is made anew.

    A damaged audit log stands in no note's way: its rows wait in the journal, and the answer says so.
    """
    if is_emptied(STATE):
        raise emptied(STATE)
    if any(_let_go(name) for name in ALIASES):
        _make()
    try:
        _ask(STATE)
    except DatabaseError as error:
        told = foreign(error)
        raise (refused(STATE, error) if isinstance(told, IndexFailed) else told or error) from error


def _let_go(name: str) -> bool:
    """Close a connection whose file was taken away or exchanged, and tell whether there is none now."""
    wrapper, file = connections[ALIASES[name]], file_of(name)
    if wrapper.vendor != "sqlite" or wrapper.in_atomic_block:
        return False
    now = _stamp_of(file)
    number = None if now is None else now[0]
    if wrapper.connection is not None and _opened.get(wrapper, number) != number:
        wrapper.close()
    _opened[wrapper] = number
    return number is None


def _make() -> None:
    """Let the site make the databases, by the module that lies beside its settings by convention."""
    importlib.import_module(f"{settings.SETTINGS_MODULE.rpartition('.')[0]}.bootstrap").prepare_records()


def _ask(name: str) -> None:
    with connections[ALIASES[name]].cursor() as cursor:
        cursor.execute(_QUESTION)


def refused(name: str, error: BaseException) -> IndexFailed:
    """Return the error for a record that cannot be read."""
    kind = getattr(error.__cause__ or error, "sqlite_errorname", None) or type(error).__name__
    if is_closed(file_of(name)):
        closed = _("The local database %(file)s cannot be written. Nothing was changed.")
        return IndexFailed(closed % {"file": f".cabecao/{name}.db"}, next_step=permitting())
    message = _("The local database %(file)s is damaged or cannot be opened (%(kind)s). Nothing was changed.")
    return IndexFailed(
        message % {"file": f".cabecao/{name}.db", "kind": kind},
        next_step=_("Run `cabecao doctor` in a terminal: it says what mends it. ") + way_out(name),
    )


def _asked(file: Path, *, deep: bool) -> str:
    pragma = "integrity_check" if deep else "quick_check"
    question = f"PRAGMA {pragma}(1)" if deep or file.stat().st_size <= _MOST_AT_ONCE else "PRAGMA schema_version"
    try:
        with closing(sqlite3.connect(f"{file.absolute().as_uri()}?mode=rw", uri=True, timeout=20)) as database:
            told = database.execute(question).fetchone()[0]
    except sqlite3.Error as error:
        if (full := of_machine(error)) is not None:
            raise full from error
        return str(error)
    return _SOUND if isinstance(told, int) else str(told)


def stamp(file: Path) -> Stamp:
    """Return what is another one once a file or the log beside it has changed."""
    return tuple(_stamp_of(Path(f"{file}{suffix}")) for suffix in ("", "-wal"))


def _stamp_of(file: Path) -> tuple[int, int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
