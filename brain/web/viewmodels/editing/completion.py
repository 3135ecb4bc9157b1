"""What a link that is being typed may mean: notes, each with the text by which a link means it and no other."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, TypedDict

from brain.index import names, notes
from brain.index.notes import NoteRow
from brain.services.editing import written_names
from brain.web import badges

MOST: Final = 10


class Name(TypedDict):
    """A note as the list shows it; `link` is what stands between the brackets."""

    title: str
    type: str
    path: str
    link: str


def of(start: str, *, near: str | None) -> list[Name]:
    """Return the notes whose title, alias or file name begins so, the shortest first; the newest for nothing at all."""
    wanted = start.strip()
    found = notes.titles(wanted, limit=MOST) if wanted else notes.recent(MOST)
    return list(_named(found, near))


def _named(found: Iterable[NoteRow], near: str | None) -> Iterable[Name]:
    for row in found:
        link = _link(row, near)
        if link is not None:
            yield Name(title=row.title, type=badges.of_type(row.type).text, path=row.path, link=link)


def _link(row: NoteRow, near: str | None) -> str | None:
    """Return the title where it means this note alone, else the shortest name that means it."""
    if written_names.fits(row.title):
        meant = names.resolve(f"[[{row.title}]]", near=near)
        if meant.path == row.path and not meant.ambiguous:
            return row.title
    whole = names.link(row.path, near=near)
    return whole[2:-2] if whole else None
