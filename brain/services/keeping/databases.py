"""The databases of this machine kept small and quick, and what is no longer needed taken out of them.

A record is never rewritten for it: of the audit log the write-ahead log alone is folded in.
"""

from __future__ import annotations

import contextlib
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from django.apps import apps

from brain import clock, config
from brain.index import database as index_database
from brain.jobs import progress, workers
from brain.jobs.progress import Progress
from brain.language import gettext as _
from brain.services.health import records
from brain.store.plumbing import maintenance

_WAIT_SECONDS: Final = 20.0
_WORTH_BYTES: Final = 256 << 10  # of free pages; a file with fewer is not written anew
_WORTH_SHARE: Final = 5  # nor one of which less than this part is free: a fifth
_SOUND: Final = "ok"


@dataclass(frozen=True)
class File:
    """A database of this machine, and whether it may be written anew."""

    name: str
    is_record: bool = False


FILES: Final = (File("index"), File("state"), File("audit", is_record=True), File("broker"))


def work(report: Progress, *, tidy_broker: Callable[[], int]) -> None:
    """Do every chore in its turn; what one cannot do now is said, and stops no other."""
    chores: list[tuple[str, Callable[[], str]]] = [
        (_("Old jobs"), _old_jobs),
        (_("Messages of jobs"), lambda: _counted(_("%(count)d messages removed"), tidy_broker())),
        (_("What has expired"), _expired),
        *((f"{one.name}.db", lambda one=one: _kept(one)) for one in FILES),
        (_("Git's objects"), _packed),
    ]
    before = _bytes()
    for done, (title, chore) in enumerate(chores):
        report.advance(done, len(chores), title)
        report.say(f"{title}: {_tried(chore)}")
    report.advance(len(chores), len(chores))
    freed = max(0, before - _bytes()) >> 10
    report.conclude(_("All is in order; %(kilobytes)d KB were freed.") % {"kilobytes": freed})


def _tried(chore: Callable[[], str]) -> str:
    try:
        return chore()
    except (OSError, sqlite3.Error) as error:
        return _("not now (%(kind)s)") % {"kind": getattr(error, "sqlite_errorname", type(error).__name__)}


def _counted(said: str, count: int) -> str:
    return said % {"count": count} if count else _SOUND


def _old_jobs() -> str:
    gone = progress.forget_old()
    workers.forget_dead()
    return _counted(_("%(count)d jobs forgotten"), gone)


def _expired() -> str:
    """Take out sessions of the browser that have ended; launch links and confirm tokens look after themselves."""
    if not apps.is_installed("django.contrib.sessions"):
        return _SOUND
    from django.contrib.sessions.models import Session

    gone, _rows = Session.objects.filter(expire_date__lt=clock.now()).delete()
    return _counted(_("%(count)d sessions removed"), gone)


def _packed() -> str:
    maintenance.gc(config.here().root)
    return _SOUND


def _kept(one: File) -> str:
    file = config.here().machine / f"{one.name}.db"
    if not file.exists() or not file.stat().st_size:
        return _("there is none")
    if (told := records.soundness(file)) != _SOUND:
        return told
    with _alone(one) as free, closing(_opened(file)) as database:
        if not free:
            return _("in use just now")
        said = _SOUND
        if not one.is_record:
            database.execute("PRAGMA analysis_limit = 1000")
            database.execute("PRAGMA optimize")
            database.execute("ANALYZE")
            said = _written_anew(database, file)
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        return said


def _written_anew(database: sqlite3.Connection, file: Path) -> str:
    """Give the disk back what the file does not use, where that is worth it and there is room to do it."""
    pages, unused, page = (
        int(database.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("page_count", "freelist_count", "page_size")
    )
    if unused * page < _WORTH_BYTES or unused * _WORTH_SHARE < pages:
        return _SOUND
    if shutil.disk_usage(file.parent).free < 2 * pages * page:
        return _("too little room on the disk to make it smaller")
    database.execute("VACUUM")
    return _("%(kilobytes)d KB given back") % {"kilobytes": unused * page >> 10}


def _opened(file: Path) -> sqlite3.Connection:
    address = f"{file.absolute().as_uri()}?mode=rw"
    return sqlite3.connect(address, uri=True, timeout=_WAIT_SECONDS, isolation_level=None)


@contextmanager
def _alone(one: File) -> Iterator[bool]:
    """Hold the index's own lock while its file is written anew; the others wait for SQLite's."""
    if one.name != "index":
        yield True
        return
    with index_database.lock(seconds=2.0) as held:
        yield held


def _bytes() -> int:
    found = 0
    for one in FILES:
        for suffix in (".db", ".db-wal"):
            with contextlib.suppress(OSError):
                found += (config.here().machine / f"{one.name}{suffix}").stat().st_size
    return found
