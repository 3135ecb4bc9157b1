"""The broker's file: messages in SQLite, safe with several worker processes.

A message is claimed by one UPDATE … RETURNING and stays in the file, with its owner, until it is acknowledged. It comes
back when its owner is known to be dead (by host, process number and start) or when its lease runs out; a living worker
renews the lease. So a worker may be killed at any moment and no message is lost.

Leases are counted on the system's monotonic clock, which all processes of a machine share and nobody can set back.
"""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import uuid
from collections.abc import Callable, Collection
from pathlib import Path
from queue import Empty
from time import monotonic
from typing import Any, Final, TypeVar

from filelock import FileLock

from brain.jobs import process

LEASE_SECONDS: Final = 60.0
_INQUEST_SECONDS: Final = 1.0  # how often a consumer looks for dead owners
_log = logging.getLogger(__name__)
_T = TypeVar("_T")

_SETUP: Final = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE IF NOT EXISTS message (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  queue TEXT NOT NULL,
  payload TEXT NOT NULL,
  owner TEXT,
  lease REAL,
  deliveries INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX IF NOT EXISTS message_queue ON message (queue, id);
"""
# A lease further ahead than any that is given was counted since another start of the machine.
_READY: Final = "(owner IS NULL OR lease < :now OR lease > :now + 2 * :lease)"
_WAITING: Final = f"SELECT id FROM message WHERE queue = :queue AND {_READY} ORDER BY id LIMIT 1"  # noqa: S608
_CLAIM: Final = f"""
UPDATE message SET owner = :owner, lease = :now + :lease, deliveries = deliveries + 1
WHERE id = ({_WAITING}) RETURNING id, payload, deliveries
"""  # noqa: S608
_TASK: Final = "json_extract(payload, '$.headers.id')"
_TIDY: Final = f"""
DELETE FROM message WHERE {_READY} AND {_TASK} NOTNULL AND (
  {_TASK} NOT IN (SELECT value FROM json_each(:wanted))
  OR id NOT IN (SELECT min(id) FROM message GROUP BY queue, {_TASK})
)
"""  # noqa: S608


class Mailbox:
    """The broker file as one consumer or publisher sees it; may be used from several threads."""

    def __init__(self, file: Callable[[], Path]) -> None:
        self.owner = f"{process.identity()}#{uuid.uuid4().hex}"
        self._file = file
        self._lock = threading.Lock()
        self._open: tuple[Path, sqlite3.Connection] | None = None
        self._held: set[int] = set()
        self._inquest_due = 0.0
        self._closed = threading.Event()
        self._renewal: threading.Thread | None = None

    def put(self, queue: str, payload: dict[str, Any]) -> None:
        """Add a message to a queue."""
        text = json.dumps(payload)
        self._do(lambda db: db.execute("INSERT INTO message (queue, payload) VALUES (?, ?)", (queue, text)))

    def claim(self, queue: str) -> tuple[int, dict[str, Any], bool]:
        """Take the oldest message that nobody holds: number, payload, whether it was out before; raises Empty."""
        self._release_of_the_dead()
        values = {"queue": queue, "owner": self.owner, "now": monotonic(), "lease": LEASE_SECONDS}
        row = self._do(lambda db: self._claim(db, values))
        if row is None:
            raise Empty
        self._held.add(row[0])
        self._renew_from_now_on()
        return row[0], json.loads(row[1]), row[2] > 1

    def delete(self, number: int) -> None:
        """Take a message off the file: it was dealt with. Another's by now is left alone."""
        self._held.discard(number)
        self._do(lambda db: db.execute("DELETE FROM message WHERE id = ? AND owner = ?", (number, self.owner)))

    def put_back(self, number: int) -> None:
        """Let go of a message, so that any consumer may take it."""
        self._held.discard(number)
        statement = "UPDATE message SET owner = NULL, lease = NULL WHERE id = ? AND owner = ?"
        self._do(lambda db: db.execute(statement, (number, self.owner)))

    def count(self, queue: str) -> int:
        """Return how many messages a queue has that nobody holds."""
        values = {"queue": queue, "now": monotonic(), "lease": LEASE_SECONDS}
        statement = f"SELECT count(*) FROM message WHERE queue = :queue AND {_READY}"  # noqa: S608
        return int(self._do(lambda db: db.execute(statement, values).fetchone())[0])

    def purge(self, queue: str) -> int:
        """Delete a queue's messages that nobody holds; return how many."""
        values = {"queue": queue, "now": monotonic(), "lease": LEASE_SECONDS}
        statement = f"DELETE FROM message WHERE queue = :queue AND {_READY}"  # noqa: S608
        return int(self._do(lambda db: db.execute(statement, values).rowcount))

    def tidy(self, wanted: Collection[str]) -> int:
        """Delete the messages that nobody holds and that ask for none of these tasks, or for one asked for before."""
        values = {"now": monotonic(), "lease": LEASE_SECONDS, "wanted": json.dumps(sorted(wanted))}
        return int(self._do(lambda db: db.execute(_TIDY, values).rowcount))

    def renew(self) -> None:
        """Extend the lease of every message held."""
        until = monotonic() + LEASE_SECONDS
        self._do(lambda db: db.execute("UPDATE message SET lease = ? WHERE owner = ?", (until, self.owner)))

    def close(self) -> None:
        """Close the file; messages that are still held come back when this process ends or the lease does."""
        self._closed.set()
        with self._lock:
            if self._open is not None:
                self._open[1].close()
                self._open = None

    def _do(self, work: Callable[[sqlite3.Connection], _T]) -> _T:
        with self._lock:
            return work(self._connection())

    def _connection(self) -> sqlite3.Connection:
        file = self._file()
        if self._open is not None and self._open[0] != file:
            self._open[1].close()
            self._open = None
        if self._open is None:
            self._open = (file, _connect(file))
        return self._open[1]

    @staticmethod
    def _claim(db: sqlite3.Connection, values: dict[str, Any]) -> tuple[int, str, int] | None:
        if db.execute(_WAITING, values).fetchone() is None:  # an idle consumer takes no write lock
            return None
        rows: list[tuple[int, str, int]] = db.execute(_CLAIM, values).fetchall()
        return rows[0] if rows else None

    def _release_of_the_dead(self) -> None:
        if monotonic() < self._inquest_due:
            return
        self._inquest_due = monotonic() + _INQUEST_SECONDS
        owners = self._do(lambda db: db.execute("SELECT DISTINCT owner FROM message WHERE owner NOTNULL").fetchall())
        for (owner,) in owners:
            if process.known_dead(owner.partition("#")[0]):
                self._forget_owner(owner)

    def _forget_owner(self, owner: str) -> None:
        self._do(lambda db: db.execute("UPDATE message SET owner = NULL WHERE owner = ?", (owner,)))

    def _renew_from_now_on(self) -> None:
        if self._renewal is None:
            self._renewal = threading.Thread(target=self._keep_renewing, name="broker-lease", daemon=True)
            self._renewal.start()

    def _keep_renewing(self) -> None:
        while not self._closed.wait(LEASE_SECONDS / 4):
            try:
                if self._held:
                    self.renew()
            except sqlite3.Error:
                _log.warning("The lease of a job's message could not be renewed", exc_info=True)


def _connect(file: Path) -> sqlite3.Connection:
    """Open the broker file; a damaged one is put aside, because the Job rows know what is to be sent again."""
    file.parent.mkdir(exist_ok=True)
    try:
        return _opened(file)
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        _log.warning("%s is damaged: a new one is made", file)
    with FileLock(file.with_suffix(".lock"), timeout=20):
        try:
            return _opened(file)  # another process was faster
        except sqlite3.DatabaseError:
            file.replace(file.with_suffix(".damaged"))
            return _opened(file)


def _opened(file: Path) -> sqlite3.Connection:
    db = sqlite3.connect(file, timeout=20, isolation_level=None, check_same_thread=False)
    try:
        db.executescript(_SETUP)
    except sqlite3.Error:
        db.close()
        raise
    return db
