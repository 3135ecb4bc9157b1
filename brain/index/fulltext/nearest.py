"""The notes whose words are most like those of a text, in one question to the full text."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from brain.index import database, notes
from brain.index.fulltext.stems import sought
from brain.index.notes import NoteRow

MOST_LOOKED_UP: Final = 48  # the longest words of a text: they are rare, and how rare is read in no time
MOST_SOUGHT: Final = 16


def nearest(
    words: Iterable[str], *, note_type: str | None = None, scope: str | None = None, limit: int
) -> list[tuple[NoteRow, str]]:
    """Return notes of a type and scope with their texts, those that share the most and rarest words first.

    Words are folded. Those that no note has are left out, so that the rarest ones that remain find something.
    """
    longest = sorted({sought(word) for word in words}, key=lambda word: (-len(word), word))[:MOST_LOOKED_UP]
    if not longest:
        return []
    where, values = ["NOT archived"], list[str]()
    for column, value in (("type", note_type), ("scope", scope)):
        if value is not None:
            where.append(f"{column} = %s")
            values.append(value)
    rows = database.query(
        "WITH rare AS (SELECT term FROM word WHERE term IN (SELECT value FROM json_each(%s)) ORDER BY doc LIMIT %s), "
        "found AS MATERIALIZED (SELECT rowid AS note, rank AS score FROM fulltext WHERE fulltext MATCH "
        """(SELECT coalesce(group_concat('"' || term || '"', ' OR '), '""') FROM rare) """
        f"AND +rowid IN (SELECT note FROM note WHERE {' AND '.join(where)}) ORDER BY rank LIMIT %s) "
        f"SELECT {notes.ALL_COLUMNS}, t.body FROM found f JOIN note n ON n.note = f.note "
        "JOIN fulltext t ON t.rowid = f.note ORDER BY f.score, n.path",
        (json.dumps(longest), MOST_SOUGHT, *values, limit),
    )
    return [(notes.row(row), str(row[-1])) for row in rows]
