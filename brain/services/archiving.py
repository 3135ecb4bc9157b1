"""Putting a note away: where it goes, and what is written into it."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any, Final

from brain import clock
from brain.caller import Caller
from brain.contracts.shared import Notice
from brain.language import gettext as _
from brain.note import document
from brain.note.document import Document
from brain.store import files

ARCHIVE: Final = "memory/_archive"


def place_of(root: Path, path: str, *, taken: Collection[str] = ()) -> str:
    """Return where a note goes: the folders that it lay in are kept, and no archived note is overwritten."""
    wanted = f"{ARCHIVE}/{path.removeprefix('memory/')}"
    stem, number = wanted[: -len(".md")], 1
    while wanted in taken or files.actual(root, wanted) is not None:
        number += 1
        wanted = f"{stem}-{number}.md"
    return wanted


def put_away(caller: Caller, note: Document, reason: str) -> tuple[bytes, tuple[Notice, ...]]:
    """Return the file with the reason in it; one whose block cannot be read goes as it is."""
    if note.error is not None or note.lossy:
        said = _("The frontmatter cannot be read: the note goes as it is, without the reason.")
        return note.raw, (Notice(code="reason_not_kept", field="forget_reason", message=said),)
    marks: dict[str, Any] = {"forget_reason": reason, "updated": clock.timestamp()}
    if not caller.is_human and not str(note.frontmatter.get("origin") or "human").startswith("agent:"):
        marks["edited_by"] = caller.origin
    return document.with_fields(note, marks).raw, ()
