"""Conflict copies: of which note, from which machine, with which text both began, and both texts in one."""

from __future__ import annotations

from collections.abc import Mapping

from brain.guard import paths
from brain.index import notes
from brain.note import document, fields, schema
from brain.note.document import Document
from brain.services import workplace
from brain.services.editing import merging
from brain.store import files
from brain.store.remote import histories


def pending() -> list[str]:
    """Return the paths of the conflict copies that wait, as the index has them."""
    return [one.path for one in notes.with_name_like(".conflict-") if is_pending(one.path)]


def is_pending(path: str) -> bool:
    """Tell whether a path is that of a conflict copy that was not put away."""
    return paths.is_conflict_copy(path) and not paths.is_archived(path)


def note_of(copy: str, raw: bytes) -> str:
    """Return the path of the note that a copy is of: where it was, else where the note with its id is now."""
    root, (beside, _machine) = workplace.root(), paths.copied(copy)
    there = files.actual(root, beside)
    if there is not None:
        return there
    identity = fields.read(document.parse(raw), copy).id
    row = notes.by_id(identity) if identity else None
    return row.path if row is not None and not paths.is_conflict_copy(row.path) else beside


def began_with(copy: str) -> bytes | None:
    """Return the text that both sides began with, where Git can tell."""
    repository = workplace.repository()
    commit = histories.parted(repository, copy)
    return repository.content(commit, paths.copied(copy)[0]) if commit else None


def stretches(note: bytes, copy: bytes, base: bytes | None) -> list[merging.Stretch]:
    """Return the two whole texts as stretches; the note is `theirs`, the copy `mine`."""
    return merging.stretches(plain(copy), plain(note), None if base is None else plain(base))


def joined(note: bytes, copy: bytes, base: bytes | None) -> str:
    """Return one text that has both bodies; where one side alone changed, its lines count.

    Of the fields the note's count, and the copy adds what the note does not have; a mark of trust stays with the text
    that it was given to.
    """
    old, other = document.parse(note), document.parse(copy)
    began = document.parse(base).body if base is not None else None
    found = merging.stretches(other.body, old.body, began)
    body = merging.chosen(found, {one.number: one.suggested or "both" for one in found if one.number is not None})
    return document.parse(document.with_body(_with_fields(old, other), body)).text


def _with_fields(old: Document, other: Document) -> Document:
    if old.error is not None or other.error is not None:
        return old
    own = {key.name for key in schema.KEYS.values() if key.owner == "cabecao"}
    added: Mapping[str, object] = {
        name: value for name, value in other.frontmatter.items() if name not in old.frontmatter and name not in own
    }
    return document.with_fields(old, added) if added else old


def plain(raw: bytes) -> str:
    """Return a file's text with plain line ends."""
    return document.parse(raw).text.replace("\r\n", "\n").replace("\r", "\n")
