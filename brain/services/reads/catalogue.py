"""The catalogue of all notes as a Markdown page: made on demand, never by hand."""

from __future__ import annotations

from typing import Final

from brain.index import notes, refresh
from brain.index.notes import Filters, NoteRow
from brain.language import gettext as _
from brain.note.schema import TYPES

_PAGE: Final = 1000
_LINK_SIGNS: Final = str.maketrans({"[": "(", "]": ")", "|": "/"})


def text() -> str:
    """Return every note that is not archived, by type and title, as links."""
    refresh.catch_up()
    parts = [f"# {_('All notes')}", ""]
    by_type: dict[str | None, list[NoteRow]] = {}
    for row in _all():
        by_type.setdefault(row.type if row.type in TYPES else None, []).append(row)
    for kind in [*TYPES, None]:
        if rows := by_type.get(kind):
            parts += [f"## {kind or _('Other notes')}", "", *map(_line, sorted(rows, key=_title)), ""]
    return "\n".join(parts)


def _all() -> list[NoteRow]:
    found: list[NoteRow] = []
    after: str | None = None
    while rows := notes.page(Filters(), after=after, limit=_PAGE):
        found += rows
        after = rows[-1].path
    return found


def _line(row: NoteRow) -> str:
    return f"- [[{row.path.removesuffix('.md')}|{' '.join(row.title.translate(_LINK_SIGNS).split())}]]"


def _title(row: NoteRow) -> str:
    return row.title.casefold()
