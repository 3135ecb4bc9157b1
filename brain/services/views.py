"""How a note is shown to a caller: identity, validity and provenance beside the text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import TYPE_CHECKING, Any, Final, Literal

from brain.contracts.shared import NoteItem, Notice
from brain.guard import paths
from brain.index.notes import NoteRow
from brain.index.refresh import Freshness
from brain.note.validity import validity

if TYPE_CHECKING:
    from brain.note.document import Document
    from brain.note.fields import Fields

Kind = Literal["full", "section", "snippet", "excerpt"]
_LONGEST_ID: Final = 200  # what read takes
_LONGEST_NAME: Final = 300
_LONGEST_KEY: Final = 100
_LONGEST_LIST: Final = 800  # characters


def of_fields(note: Fields, path: str, content: str, *, kind: Kind = "full", on: date) -> NoteItem:
    """Return a note as its file says it is."""
    return NoteItem(
        id=note.id,
        path=path,
        type=note.type,
        title=note.title,
        scope=note.scope,
        validity=validity(note, on).value,
        trust=trust_of(note.trust, path),
        origin=note.origin or "human",
        edited_by=note.edited_by,
        sources=list(note.sources),
        content_kind=kind,
        content=content,
    )


def of_row(row: NoteRow, content: str, *, kind: Kind, on: date) -> NoteItem:
    """Return a note as the index knows it, with a text."""
    return NoteItem(**plate(row, on), sources=some(row.sources), content_kind=kind, content=content)


def plate(row: NoteRow, on: date) -> dict[str, Any]:
    """Return a note without its text, as it is shown among others: what of it has no end of its own is cut short."""
    return {
        "id": row.id if row.id and len(row.id) <= _LONGEST_ID else None,
        "path": row.path,
        "type": row.type and brief(row.type, _LONGEST_KEY),
        "title": brief(row.title),
        "scope": row.scope,
        "validity": row.validity(on).value,
        "trust": trust_of(row.trust, row.path),
        "origin": brief(row.origin or "human", _LONGEST_KEY),
        "edited_by": row.edited_by and brief(row.edited_by, _LONGEST_KEY),
    }


def brief(text: str, most: int = _LONGEST_NAME) -> str:
    """Return a name whole, or the start of a long one with an ellipsis."""
    return text if len(text) <= most else f"{text[:most].rstrip()} …"


def some(texts: Iterable[str]) -> list[str]:
    """Return the first texts, as many as have room in a list among others; an ellipsis stands for the rest."""
    kept: list[str] = []
    room = _LONGEST_LIST
    for text in texts:
        room -= len(text)
        if room < 0:
            return [*kept, "…"]
        kept.append(text)
    return kept


def text_of(note: Document) -> str:
    """Return a note's body; of one without a word in it, the keys that are the person's own."""
    from brain.note import fields

    body = note.body.strip("\r\n")
    if body.strip():
        return body
    return "\n".join(f"{key}: {', '.join(texts)}" for key, texts in fields.own_keys(note).items())


def trust_of(written: str | None, path: str) -> str:
    """Return a note's trust; outside material is low unless it says otherwise, all else medium."""
    return written or ("low" if paths.is_raw(path) else "medium")


def notices(*found: Freshness | Notice | None) -> list[Notice]:
    """Return what there is to warn of."""
    said = (
        Notice(code="index_behind", message=one.warning) if isinstance(one, Freshness) and one.warning else one
        for one in found
    )
    return [one for one in said if isinstance(one, Notice)]
