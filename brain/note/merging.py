"""Two versions of a note made one: the frontmatter field by field, the body by whoever can merge lines.

Where it is not sure that the result is what both sides meant there is none, and the caller keeps both texts. A mark of
trust never ends up on a text that it was not given to.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from brain.errors import InvalidNote
from brain.note import document
from brain.note.document import Document

MergeLines = Callable[[bytes, bytes, bytes], bytes | None]

_STAMP: Final = "updated"
_SETS: Final = frozenset({"tags", "aliases"})
# What a person's yes put there: it stands for the very text that they saw.
_MARKS: Final = frozenset({"approved_by", "approved_at", "confirmed"})
_ABSENT: Final = object()


def merged(base: bytes, ours: bytes, theirs: bytes, lines: MergeLines) -> bytes | None:
    """Return the note with the changes of both sides; None where they conflict, or one cannot be read."""
    parts = [document.parse(one) for one in (base, ours, theirs)]
    if any(one.error or one.lossy for one in parts):
        return None
    before, mine, other = parts
    fields = _fields(before.frontmatter, mine.frontmatter, other.frontmatter)
    if fields is None or _moves_a_mark(before, mine, other):
        return None
    body = _body(before, mine, other, lines)
    if body is None:
        return None
    changes = {
        key: fields.get(key) for key in {*other.frontmatter, *fields} if _differs(fields, other.frontmatter, key)
    }
    try:
        return document.with_body(document.with_fields(other, changes), body)
    except InvalidNote:
        return None


def _body(base: Document, ours: Document, theirs: Document, lines: MergeLines) -> str | None:
    if ours.body in (base.body, theirs.body):
        return theirs.body
    if theirs.body == base.body:
        return ours.body
    found = lines(base.body.encode(), ours.body.encode(), theirs.body.encode())
    return None if found is None else found.decode()


def _fields(base: Mapping[str, Any], ours: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return the fields of both sides, None where both changed one in ways that cannot both stand."""
    fields: dict[str, Any] = {}
    for key in dict.fromkeys([*theirs, *ours]):
        value = _field(key, *(one.get(key, _ABSENT) for one in (base, ours, theirs)))
        if value is None:
            return None
        if value[0] is not _ABSENT:
            fields[key] = value[0]
    return fields


def _field(key: str, base: object, ours: object, theirs: object) -> tuple[object] | None:
    if _plain(ours) == _plain(theirs) or _plain(ours) == _plain(base):
        return (theirs,)
    if _plain(theirs) == _plain(base):
        return (ours,)
    if key == _STAMP and isinstance(ours, str) and isinstance(theirs, str):
        return (max(ours, theirs),)
    if key in _SETS and all(one is _ABSENT or _is_texts(one) for one in (base, ours, theirs)):
        return (_union(*([] if one is _ABSENT else one for one in (base, ours, theirs))),)  # type: ignore[arg-type]
    return None


def _union(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """Return the list with what either side added and without what either took away."""
    gone = {one for one in base if one not in ours or one not in theirs}
    return [one for one in dict.fromkeys([*theirs, *ours]) if one not in gone]


def _moves_a_mark(base: Document, ours: Document, theirs: Document) -> bool:
    """Tell whether a person's yes of one side would come to stand on what the other side wrote."""
    for one, other in ((ours, theirs), (theirs, ours)):
        gave = any(_differs(one.frontmatter, base.frontmatter, mark) for mark in _MARKS)
        if gave and (other.body != base.body or _differs_elsewhere(other, base)):
            return True
    return False


def _differs_elsewhere(one: Document, base: Document) -> bool:
    keys = {*one.frontmatter, *base.frontmatter} - {_STAMP}
    return any(_differs(one.frontmatter, base.frontmatter, key) for key in keys)


def _differs(one: Mapping[str, Any], other: Mapping[str, Any], key: str) -> bool:
    return _plain(one.get(key, _ABSENT)) != _plain(other.get(key, _ABSENT))


def _plain(value: object) -> str:
    """Return a text by which values are compared with their kinds: true is not 1."""
    return "" if value is _ABSENT else json.dumps(value, sort_keys=True, default=str)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)
