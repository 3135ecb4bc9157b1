"""The operations that the branch holds, as rows: which there were, who made them, and which were undone.

The commits and their trailers are the truth; a row is written with each commit, and missing ones are caught up with.
"""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from brain import clock
from brain.index import database
from brain.index.intake import rows
from brain.store.history import OperationCommit

COLUMNS: Final = 'position, op, "commit", session, client, kind, at, subject, changes, paths, undoes, undone_by'
_WANTED: Final = f"SELECT {COLUMNS} FROM operation"


@dataclass(frozen=True)
class OperationRow:
    """An operation; `undoes` and `undone_by` name others by their op, and later ones have a greater `position`."""

    position: int
    op: str
    commit: str
    session: str | None
    client: str | None
    kind: str
    at: datetime
    subject: str
    changes: tuple[str, ...]
    paths: tuple[str, ...]
    undoes: str | None
    undone_by: str | None

    @property
    def is_agents(self) -> bool:
        """Tell whether an agent made it."""
        return self.kind == "agent"


def record(  # noqa: PLR0913 (a row has that many columns)
    op: str,
    *,
    commit: str,
    session: str | None,
    client: str | None,
    kind: str,
    subject: str,
    at: datetime | None = None,
    changes: Sequence[str] = (),
    paths: Iterable[str] = (),
    undoes: str | None = None,
) -> None:
    """Write the row of an operation whose commit was just made, and that this commit is the newest one known."""
    row = (op, commit, session, client, kind, clock.timestamp(at), subject, _json(changes), _json(paths))
    with database.writing() as cursor:
        _insert(cursor, [(*row, undoes or None)])
        rows.set_about(cursor, "head", commit)


def head() -> str | None:
    """Return the newest commit whose operations are known, None before the first."""
    return next((str(value) for (value,) in database.query("SELECT value FROM meta WHERE key = 'head'")), None)


def catch_up(
    commits: Iterable[OperationCommit], *, head: str | None = None, afresh: bool = False, wait: bool = True
) -> int:
    """Take in operations, newest first as the history gives them; `afresh` forgets what was known; return how many.

    `head` is recorded as the newest commit known, also where none of the commits carries an operation. Without
    `wait`, a database that another process writes to is a DatabaseError at once.
    """
    found = [one for one in commits if one.op]
    with database.writing(wait=wait) as cursor:
        if afresh:
            cursor.execute("DELETE FROM operation")
        _insert(cursor, [_of_commit(one) for one in reversed(found)])
        newest = head or (found[0].commit if found else None)
        if newest:
            rows.set_about(cursor, "head", newest)
    return len(found)


def by_op(op: str) -> OperationRow | None:
    """Return an operation."""
    return _one(f"{_WANTED} WHERE op = %s", (op,))


def starting_with(beginning: str, *, limit: int = 2) -> list[OperationRow]:
    """Return the operations whose op begins so, the newest first."""
    found = beginning.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    return _many(f"{_WANTED} WHERE op LIKE %s ESCAPE '\\' ORDER BY position DESC LIMIT %s", (f"{found}%", limit))


def latest(
    *,
    session: str | None = None,
    client: str | None = None,
    agents_only: bool = False,
    not_undone: bool = True,
    but: Collection[str] = (),
) -> OperationRow | None:
    """Return the newest operation: of a session, a client or any agent; by default one that still holds.

    Those named by `but` are left out.

    An undo is left out where it still holds: undoing it is asked for by its op.
    """
    wanted, values = _conditions(session=session, client=client)
    wanted += ["kind = 'agent'"] if agents_only else []
    wanted += ["undone_by IS NULL", "undoes IS NULL"] if not_undone else []
    if but:
        wanted.append("op NOT IN (SELECT value FROM json_each(%s))")
        values.append(json.dumps(list(but)))
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    return _one(f"{_WANTED} {where} ORDER BY position DESC LIMIT 1", values)


def page(*, before: int | None = None, limit: int = 50, client: str | None = None) -> list[OperationRow]:
    """Return operations, the newest first, those before a position."""
    wanted, values = _conditions(client=client)
    if before is not None:
        wanted.append("position < %s")
        values.append(before)
    where = f"WHERE {' AND '.join(wanted)}" if wanted else ""
    return _many(f"{_WANTED} {where} ORDER BY position DESC LIMIT %s", [*values, limit])


def of_session(session: str) -> list[OperationRow]:
    """Return the operations of a session, the newest first."""
    return _many(f"{_WANTED} WHERE session = %s ORDER BY position DESC", (session,))


def clients() -> list[str]:
    """Return the clients that made operations, in alphabetical order."""
    return [str(row[0]) for row in database.query("SELECT DISTINCT client FROM operation WHERE client IS NOT NULL "
                                                  "ORDER BY client")]  # fmt: skip


def _insert(cursor: Any, found: list[tuple[Any, ...]]) -> None:
    marks = ", ".join(["%s"] * 10)
    cursor.executemany(
        "INSERT INTO operation "
        f'(op, "commit", session, client, kind, at, subject, changes, paths, undoes) VALUES ({marks}) '
        'ON CONFLICT (op) DO UPDATE SET "commit" = excluded."commit"',
        found,
    )
    for row in found:
        for undone in (row[9] or "").split():
            cursor.execute("UPDATE operation SET undone_by = %s WHERE op = %s", (row[0], undone))
            cursor.execute("UPDATE operation SET undone_by = NULL WHERE undone_by = %s", (undone,))


def _of_commit(one: OperationCommit) -> tuple[Any, ...]:
    kind = one.kind or "agent"
    return (
        one.op, one.commit, one.session, one.client, kind, clock.timestamp(one.at), one.subject, _json(one.changes),
        _json(one.paths), one.undoes or None,
    )  # fmt: skip


def _conditions(*, session: str | None = None, client: str | None = None) -> tuple[list[str], list[Any]]:
    given = {"session": session, "client": client}
    return [f"{name} = %s" for name, value in given.items() if value], [value for value in given.values() if value]


def _one(sql: str, values: Sequence[object]) -> OperationRow | None:
    return next(iter(_many(sql, values)), None)


def _many(sql: str, values: Sequence[object]) -> list[OperationRow]:
    return [_row(row) for row in database.query(sql, values)]


def _row(row: database.Row) -> OperationRow:
    position, op, commit, session, client, kind, at, subject, changes, paths, undoes, undone_by = row
    return OperationRow(
        position=position,
        op=op,
        commit=commit,
        session=session,
        client=client,
        kind=kind,
        at=datetime.fromisoformat(at),
        subject=subject,
        changes=tuple(json.loads(changes)),
        paths=tuple(json.loads(paths)),
        undoes=undoes,
        undone_by=undone_by,
    )


def _json(values: Iterable[str]) -> str:
    return json.dumps(list(values), ensure_ascii=False)
