"""Names that are like one that no note has: a suggestion to the caller, never an answer."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Final

from brain.index import fulltext, notes
from brain.index.fulltext import Query
from brain.index.notes import NoteRow
from brain.note import links

_LIKE: Final = 0.5
_MOST: Final = 3
_START: Final = 3  # letters in which a name begins alike


def suggest(text: str) -> list[str]:
    """Return the titles that are most like a text, the nearest first."""
    wanted = links.fold(text.strip().removeprefix("[[").removesuffix("]]"))
    found = fulltext.search(Query(text[:200], limit=10, any_term=True)).found
    rows: list[NoteRow] = [*(one.note for one in found), *notes.titles(wanted[:_START], limit=20)]
    scores = {row.title: SequenceMatcher(None, wanted, links.fold(row.title)[:200]).ratio() for row in rows}
    likely = sorted((title for title, score in scores.items() if score >= _LIKE), key=lambda one: (-scores[one], one))
    return likely[:_MOST]
