"""Facts: notes that say of a subject, by a predicate, an object; found by any of the three, with their chains."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Final, NamedTuple

from brain.index import database, names, notes
from brain.index.graph import edges
from brain.index.notes import NoteRow
from brain.note import links

_CHAINS: Final = ("supersedes", "superseded_by")
_SEPARATORS: Final = re.compile(r"[\s_-]+")
_IS_FACT: Final = (
    "n.type = 'fact' AND NOT n.archived AND n.subject IS NOT NULL AND n.predicate IS NOT NULL AND n.object IS NOT NULL"
)


class End(NamedTuple):
    """The subject or object of a fact: as it is shown, and the note that it is, if it is one."""

    text: str
    path: str | None


@dataclass(frozen=True, slots=True)
class FactRow:
    """A fact with its two ends, and the facts before and after it, by path."""

    note: NoteRow
    subject: End
    object: End
    supersedes: tuple[str, ...]
    superseded_by: tuple[str, ...]
    superseded_on: date | None


@dataclass(frozen=True)
class Found:
    """The first facts by subject, predicate and time; `total` counts all that fit."""

    facts: list[FactRow]
    total: int


def meant(text: str) -> str | None:
    """Return the path of the note that a title, path, id or [[wikilink]] means; None where it is a mere text."""
    resolution = names.resolve(text)
    row = notes.by_path(resolution.path) if resolution.path else None
    return None if row is None or row.archived else row.path


def predicate_key(predicate: str) -> str:
    """Return a predicate as it is compared: without case, accents, and the kind of its separators."""
    return _SEPARATORS.sub(" ", links.fold(predicate)).strip()


def find(
    *,
    subject: str | None = None,
    predicate: str | None = None,
    object: str | None = None,  # noqa: A002 (the name of the field)
    limit: int,
    on: date,
) -> Found:
    """Return facts by their parts, those that no longer hold among them; archived notes are left out."""
    chosen: set[int] | None = None
    for kind, text in (("subject", subject), ("object", object)):
        if text is not None:
            matching = _with_end(kind, text)
            chosen = matching if chosen is None else chosen & matching
    where, values = _IS_FACT, list[Any]()
    if predicate is not None:
        spellings = _spellings(predicate)
        where += f" AND n.predicate IN ({', '.join(['%s'] * len(spellings))})"
        values += spellings
    if chosen is not None:
        where += " AND n.note IN (SELECT value FROM json_each(%s))"
        values.append(json.dumps(sorted(chosen)))
    ordered = [row[0] for row in database.query(
        "SELECT n.note FROM note n LEFT JOIN link s ON s.note = n.note AND s.type = 'subject' "
        f"WHERE {where} ORDER BY coalesce(s.key, ''), n.predicate, coalesce(n.valid_from, ''), n.path",
        values,
    )]  # fmt: skip
    return Found(_rows(ordered[:limit], on), len(ordered))


def _with_end(kind: str, text: str) -> set[int]:
    """Return the facts whose subject or object is the note that a text means, or that very text."""
    wanted = meant(text)
    own = links.target_key(bare(text))
    keys = {own}
    if wanted is not None:
        keys |= {row[0] for row in database.query(
            "SELECT m.key FROM name m JOIN note n ON n.note = m.note WHERE n.path = %s", (wanted,)
        )}  # fmt: skip
    some = sorted(keys)
    rows = database.query(
        "SELECT n.note, n.path, l.key, l.target FROM link l JOIN note n ON n.note = l.note "
        f"WHERE l.type = %s AND l.key IN ({', '.join(['%s'] * len(some))}) AND {_IS_FACT}",
        (kind, *some),
    )
    bearers = names.bearers(some)
    found = set()
    for note, path, key, target in rows:
        met = edges.meant(bearers, key, target, path)
        if (met.path == wanted) if met else key == own:
            found.add(note)
    return found


def _spellings(predicate: str) -> list[str]:
    """Return the ways in which a predicate is written; itself where it is nowhere."""
    wanted = predicate_key(predicate)
    written = database.query("SELECT DISTINCT predicate FROM note WHERE type = 'fact' AND predicate IS NOT NULL")
    return [str(one) for (one,) in written if predicate_key(one) == wanted] or [predicate]


def _rows(numbers: Sequence[int], on: date) -> list[FactRow]:
    if not numbers:
        return []
    marks = ", ".join(["%s"] * len(numbers))
    found = database.query(f"SELECT {notes.COLUMNS} FROM note WHERE note IN ({marks})", list(numbers))
    by_number = {row.note: row for row in map(notes.row, found)}
    ordered = [by_number[number] for number in numbers if number in by_number]
    ends = _ends(ordered)
    before, after = _chains([row.path for row in ordered], on)
    starts = _starts({path for paths in after.values() for path in paths})
    return [
        FactRow(
            note=row,
            subject=ends.get((row.note, "subject"), End(bare(row.subject or ""), None)),
            object=ends.get((row.note, "object"), End(bare(row.object or ""), None)),
            supersedes=tuple(sorted(before[row.path])),
            superseded_by=tuple(sorted(after[row.path])),
            superseded_on=_superseded_on(row, after[row.path], starts),
        )
        for row in ordered
    ]


def _ends(rows: Iterable[NoteRow]) -> dict[tuple[int, str], End]:
    numbers = [row.note for row in rows]
    marks = ", ".join(["%s"] * len(numbers))
    found = database.query(
        "SELECT l.note, l.type, l.key, l.target, n.path FROM link l JOIN note n ON n.note = l.note "
        f"WHERE l.type IN ('subject', 'object') AND l.note IN ({marks})",
        numbers,
    )
    bearers = names.bearers(sorted({row[2] for row in found}))
    ends = {}
    for note, kind, key, target, path in found:
        met = edges.meant(bearers, key, target, path)
        ends[note, kind] = End(met.title, met.path) if met else End(target, None)
    return ends


def _chains(paths: Sequence[str], on: date) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Return for each fact those that it replaced and those that replaced it, whichever of the two says so."""
    before: dict[str, set[str]] = defaultdict(set)
    after: dict[str, set[str]] = defaultdict(set)
    for edge in edges.around(paths, on=on, kinds=_CHAINS):
        newer, older = (edge.source, edge.target) if edge.type == "supersedes" else (edge.target, edge.source)
        before[newer].add(older)
        after[older].add(newer)
    return before, after


def _starts(paths: Iterable[str]) -> dict[str, date]:
    some = sorted(paths)
    found: dict[str, date] = {}
    for first in range(0, len(some), 400):
        part = some[first : first + 400]
        marks = ", ".join(["%s"] * len(part))
        sql = f"SELECT path, valid_from FROM note WHERE valid_from IS NOT NULL AND path IN ({marks})"
        found.update({path: date.fromisoformat(day) for path, day in database.query(sql, part)})
    return found


def _superseded_on(row: NoteRow, after: Iterable[str], starts: dict[str, date]) -> date | None:
    """Return the day on which another fact took a fact's place: its own last word, else that one's first day."""
    replaced = sorted(after)
    if not replaced:
        return None
    return row.valid_until or min((starts[path] for path in replaced if path in starts), default=None)


def bare(text: str) -> str:
    """Return a text without the brackets of a link around all of it."""
    inner = text.strip()
    if not (inner.startswith("[[") and inner.endswith("]]")):
        return inner
    found = links.parts(inner[2:-2])
    return found.target if found and found.target else inner
