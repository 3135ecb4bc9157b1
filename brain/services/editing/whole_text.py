"""The whole text of a note as the person saves it: theirs to the letter, but for what Cabeção alone writes."""

from __future__ import annotations

from typing import Any

from brain import clock
from brain.contracts.shared import Notice
from brain.errors import InvalidNote
from brain.guard import control_files
from brain.language import gettext as _
from brain.note import document, fields, schema
from brain.note.document import Document
from brain.services.drafts import Draft


def saved(path: str, before: Document, text: str) -> Draft:
    """Return the note with a new whole text; its line ends stay, and Cabeção's own fields are as they were.

    InvalidNote, with the line, where the block of fields cannot be read.
    """
    raw = document.with_text(before, text)
    after = document.parse(raw)
    if raw == before.raw:
        return Draft(raw, fields.read(before, path), changed=False)
    if after.error is not None:
        said = _("%(problem)s Nothing was changed.") % {"problem": after.error}
        raise InvalidNote(said, line=after.error_line, next_step=_("Correct that line, then save again."))
    if control_files.is_control(path):
        return Draft(raw, fields.read(after, path), changed=True)
    owned = _put_back(before, after)
    marked = _marked(after, owned)
    return Draft(marked.raw, fields.read(marked, path), changed=True, warnings=tuple(_ignored(key) for key in owned))


def _put_back(before: Document, after: Document) -> dict[str, Any]:
    """Return Cabeção's own fields that the text says otherwise, as they were; none where they could not be read."""
    if before.error is not None:
        return {}
    owned = [key.name for key in schema.KEYS.values() if key.owner == "cabecao"]
    old, new = before.frontmatter, after.frontmatter
    return {name: old.get(name) for name in owned if old.get(name) != new.get(name)}


def _ignored(key: str) -> Notice:
    said = _("“%(field)s” belongs to Cabeção and was ignored.") % {"field": key}
    return Notice(code="field_ignored", field=key, message=said)


def _marked(after: Document, owned: dict[str, Any]) -> Document:
    """Return the note with its own fields, an id and the moment; a block that has no room for the last two goes on."""
    own = {"updated": clock.timestamp()}
    if not (after.frontmatter.get("id") or owned.get("id")):
        own["id"] = clock.new_id()
    try:
        return document.with_fields(after, {**owned, **own})
    except InvalidNote:
        if owned:
            raise
        return after
