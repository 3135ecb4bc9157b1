"""Append to the audit log and check it.

Each row's hash is BLAKE3 over the hash before, the time, actor, action, subject and the compact, key-sorted detail,
joined by line feeds; the first row's previous hash is the word genesis. Whoever can write the file can also rewrite the
chain's end: anchors kept elsewhere (`Cabecao-Audit` in commits, an export) show that.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final
from weakref import WeakKeyDictionary

from blake3 import blake3
from django.db import DatabaseError, connections, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from brain import clock

DATABASE: Final = "audit"
GENESIS: Final = "genesis"
BEGINNING: Final = f"0:{GENESIS}"
_COLUMNS: Final = ("ts", "actor", "action", "subject", "detail", "prev", "hash")
_ANCHOR: Final = re.compile(r"([0-9]{1,18}):([0-9a-f]{64})")
_LINE_BREAK: Final = re.compile(r"[\r\n]+")
_opened: WeakKeyDictionary[BaseDatabaseWrapper, tuple[int, int] | None] = WeakKeyDictionary()


@dataclass(frozen=True)
class Head:
    """A row's place in the chain; as text it is an anchor, `<seq>:<hash>`."""

    seq: int
    hash: str

    def __str__(self) -> str:
        return f"{self.seq}:{self.hash}"

    @classmethod
    def parse(cls, text: str) -> Head | None:
        """Return the anchor that a text holds, None where it holds none."""
        if text.strip() == BEGINNING:
            return cls(0, GENESIS)
        found = _ANCHOR.fullmatch(text.strip())
        return cls(int(found[1]), found[2]) if found else None


@dataclass(frozen=True)
class Event:
    """A row's number, its time and what it holds."""

    seq: int
    ts: str
    detail: Mapping[str, Any]


@dataclass(frozen=True)
class Verdict:
    """Whether the chain is whole, how many rows it has, and the first that is wrong or missing."""

    ok: bool
    rows: int
    first_bad: int | None = None


@dataclass(frozen=True)
class _Entry:
    seq: int
    ts: str | None
    actor: str | None
    action: str | None
    subject: str | None
    detail: str | None
    prev: str | None
    hash: str | None

    def follows(self, head: Head) -> bool:
        texts = [text for text in (self.ts, self.actor, self.action, self.subject, self.detail) if text is not None]
        if self.seq != head.seq + 1 or self.prev != head.hash or len(texts) != 5:
            return False
        return not any("\n" in text for text in texts) and self.hash == _hash(self.prev, *texts)


def connected() -> BaseDatabaseWrapper:
    """Return this thread's connection to the file that is there now, not to one that was taken away."""
    wrapper = connections[DATABASE]
    if wrapper.in_atomic_block or wrapper.vendor != "sqlite":
        return wrapper
    if wrapper.connection is not None and _opened.get(wrapper, _identity(wrapper)) != _identity(wrapper):
        wrapper.close()
    if wrapper.connection is None:
        wrapper.ensure_connection()
        _opened[wrapper] = _identity(wrapper)
    return wrapper


def _identity(wrapper: BaseDatabaseWrapper) -> tuple[int, int] | None:
    try:
        found = os.stat(wrapper.settings_dict["NAME"])  # noqa: PTH116 (called before each row)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def append(action: str, *, actor: str, subject: str, detail: Mapping[str, Any] | None = None) -> Head:
    """Add a row at the end of the chain, alone in one transaction, and return its place.

    Line breaks in actor, action and subject become blanks, since line feeds part the fields in what is hashed.
    """
    texts = (clock.timestamp(), _line(actor), _line(action), _line(subject), _compact(detail or {}))
    wrapper = connected()
    with transaction.atomic(using=DATABASE), wrapper.cursor() as cursor:
        last = head()
        prev = last.hash if last else GENESIS
        fresh = _hash(prev, *texts)
        cursor.execute(
            "INSERT INTO audit_row (ts, actor, action, subject, detail, prev, hash) "
            "VALUES (%s, %s, %s, %s, %s, %s, %s) RETURNING seq",
            (*texts, prev, fresh),
        )
        return Head(cursor.fetchone()[0], fresh)


def head() -> Head | None:
    """Return the last row's place, None while the log is empty."""
    with connected().cursor() as cursor:
        cursor.execute("SELECT seq, hash FROM audit_row ORDER BY seq DESC LIMIT 1")
        row = cursor.fetchone()
    return Head(*row) if row else None


def has(subject: str, *, action: str | None = None) -> bool:
    """Tell whether a subject, such as an operation's id, has a row (of that action, where one is given)."""
    condition, values = ("", [_line(subject)]) if action is None else (" AND action = %s", [_line(subject), action])
    with connected().cursor() as cursor:
        cursor.execute(f"SELECT 1 FROM audit_row WHERE subject = %s{condition} LIMIT 1", values)  # noqa: S608 (fixed words)
        return cursor.fetchone() is not None


def holds(anchor: Head) -> bool:
    """Tell whether the chain has the row that an anchor names; every chain has the beginning."""
    if anchor.seq == 0:
        return anchor.hash == GENESIS
    with connected().cursor() as cursor:
        cursor.execute("SELECT hash FROM audit_row WHERE seq = %s", (anchor.seq,))
        row = cursor.fetchone()
    return row is not None and row[0] == anchor.hash


def latest(subject: str, *actions: str) -> Event | None:
    """Return the newest row of some actions on a subject."""
    marks = ", ".join(["%s"] * len(actions))
    with connected().cursor() as cursor:
        cursor.execute(
            f"SELECT seq, ts, detail FROM audit_row WHERE subject = %s AND action IN ({marks}) "  # noqa: S608 (marks alone)
            "ORDER BY seq DESC LIMIT 1",
            [_line(subject), *actions],
        )
        row = cursor.fetchone()
    return Event(row[0], row[1], json.loads(row[2])) if row else None


def verify(anchors: Iterable[Head] = ()) -> Verdict:
    """Check every row against the one before it, and the chain against anchors that were kept elsewhere.

    `first_bad` is also set where rows are missing or cannot be read: to the number of the first such row.
    """
    last = Head(0, GENESIS)
    try:
        bad = None
        for last, bad in _walk({anchor.seq: anchor.hash for anchor in anchors}):  # noqa: B007 (the last one counts)
            pass
        return Verdict(bad is None, _count(), bad)
    except DatabaseError:
        return Verdict(ok=False, rows=last.seq, first_bad=last.seq + 1)


def _walk(wanted: dict[int, str]) -> Iterator[tuple[Head, int | None]]:
    """Yield the last sound row after each step, and with the last step the number of the first bad one, if any."""
    last = Head(0, GENESIS)
    for entry in _entries():
        if not entry.follows(last) or wanted.pop(entry.seq, entry.hash) != entry.hash:
            yield last, entry.seq
            return
        last = Head(entry.seq, str(entry.hash))
        yield last, None
    yield last, last.seq + 1 if wanted or _issued() > last.seq else None


def _entries() -> Iterator[_Entry]:
    connection = connected()
    # As bytes, since SQLite's reader would give up at a byte that somebody broke.
    shown = "CAST({} AS BLOB)" if connection.vendor == "sqlite" else "{}"
    columns = ", ".join(shown.format(name) for name in _COLUMNS)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT seq, {columns} FROM audit_row ORDER BY seq")  # noqa: S608 (fixed names)
        while rows := cursor.fetchmany(1000):
            for seq, *values in rows:
                yield _Entry(seq, *map(_text, values))


def _text(value: bytes | str | None) -> str | None:
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else value


def _count() -> int:
    with connected().cursor() as cursor:
        cursor.execute("SELECT COUNT(*) FROM audit_row")
        return int(cursor.fetchone()[0])


def _issued() -> int:
    """Return the highest number ever given, which SQLite keeps even when the last rows are deleted."""
    if connected().vendor != "sqlite":
        return 0
    with connected().cursor() as cursor:
        cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = 'audit_row'")
        row = cursor.fetchone()
    return int(row[0]) if row else 0


def _hash(prev: str, *texts: str) -> str:
    return blake3("\n".join((prev, *texts)).encode("utf-8", "surrogatepass")).hexdigest()


def _line(text: str) -> str:
    """Return a text on one line, and with what is no valid Unicode (a file name of another encoding) written out."""
    return _LINE_BREAK.sub(" ", text).encode("utf-8", "backslashreplace").decode()


def _compact(detail: Mapping[str, Any]) -> str:
    return json.dumps(detail, sort_keys=True, separators=(",", ":"), allow_nan=False)
