"""The notes that most links lead to."""

from __future__ import annotations

from typing import Final

from brain.index import database, names
from brain.index.graph import edges

_CANDIDATES: Final = 20


def most_linked() -> str | None:
    """Return the path of the note that most links name, by their most frequent names; None without links."""
    rows = database.query(
        "SELECT l.key, count(*), min(l.target) FROM link l JOIN note n ON n.note = l.note "
        "WHERE l.key <> '' AND NOT n.archived GROUP BY l.key ORDER BY 2 DESC, 1 LIMIT %s",
        (_CANDIDATES,),
    )
    bearers = names.bearers(sorted(str(row[0]) for row in rows))
    for key, _count, target in rows:
        met = edges.meant(bearers, key, target, "")
        if met is not None:
            return met.path
    return None
