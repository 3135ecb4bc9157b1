"""What a memory writes: a new note, the new text of one that is there, or both ends of a replacement."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from brain import clock
from brain.caller import Caller
from brain.contracts.shared import Notice
from brain.contracts.writes import RememberInput
from brain.errors import Conflict
from brain.index import names
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.note import document, naming, schema
from brain.note.document import Document
from brain.services import drafts, folders, shown, workplace
from brain.services.drafts import Draft
from brain.services.memories import rivals, titles
from brain.services.writing import Change, FileEdit
from brain.store import files

_SIMPLE: Final = ("subject", "predicate", "object", "valid_from", "valid_until", "expires_at")


def creating(caller: Caller, given: RememberInput) -> Change:
    """Return the change that makes a note."""
    return _change(given, (_new(caller, given),), verbs=("add",))


def updating(caller: Caller, given: RememberInput, row: NoteRow, *, resolved: bool) -> Change | None:
    """Return the change that gives a note the new text; None where it says that already.

    Lists only grow. Without the caller's own word the note must still be the one that was compared.
    """
    before = _read(row)
    if shown.is_stale(caller, row.path, before) or (not resolved and row.digest != shown.digest(before)):
        raise Conflict(
            _("%(path)s changed since it was compared. Nothing was changed.") % {"path": row.path},
            next_step=_("Read it again, then call remember once more."),
        )
    old = document.parse(before)
    draft = drafts.changed(caller, row.path, old, given=_added(given, old), body=framed(old.body, given.content))
    if not draft.changed:
        return None
    return _change(given, ((FileEdit(row.path, before, draft.content), draft),), verbs=("update",))


def superseding(caller: Caller, given: RememberInput, row: NoteRow) -> Change:
    """Return the change that makes a note and ends the one whose place it takes; that one's text stays."""
    before = _read(row)
    old = document.parse(before)
    new, draft = _new(caller, given, supersedes=names.link(row.path) or f"[[{row.path.removesuffix('.md')}]]")
    ending = {
        "valid_until": rivals.last_day(given, row).isoformat(),
        "superseded_by": grown(old, "superseded_by", [f"[[{new.path.removesuffix('.md')}]]"]),
    }
    ended = drafts.changed(caller, row.path, old, given=ending)
    return _change(given, ((new, draft), (FileEdit(row.path, before, ended.content), ended)), verbs=("add", "update"))


def framed(old: str, content: str) -> str:
    """Return a body with the blank line after the block that the old one had."""
    lead = old[: len(old) - len(old.lstrip("\r\n"))].replace("\r\n", "\n")
    return lead + content.strip("\n") + "\n"


def grown(note: Document, key: str, added: list[str]) -> list[object]:
    """Return what a key's list holds with what is new to it."""
    value = note.frontmatter.get(key)
    there = list(value) if isinstance(value, list) else [value] if value else []
    return [*there, *(one for one in added if one not in there)]


def _change(given: RememberInput, edits: tuple[tuple[FileEdit, Draft], ...], *, verbs: tuple[str, ...]) -> Change:
    lines = tuple(
        f"{verb} {draft.fields.type or 'note'}: {draft.fields.title}"
        for verb, (_edit, draft) in zip(verbs, edits, strict=True)
    )
    warnings = [notice for _edit, draft in edits for notice in draft.warnings]
    warnings += _leading_nowhere(given, near=edits[0][0].path)
    return Change("remember", tuple(edit for edit, _draft in edits), lines, warnings=tuple(warnings))


def _leading_nowhere(given: RememberInput, *, near: str) -> Iterator[Notice]:
    """Say of each relation that leads to no note; it is kept, and holds once there is one of that name."""
    for name, targets in (given.relations or {}).items():
        for target in targets:
            if names.resolve(_link(target), near=near).path is None:
                said = _("The relation %(name)s leads to no note: there is none called “%(target)s”.")
                told = {"name": name, "target": titles.unlinked(target)}
                yield Notice(code="no_such_note", message=said % told, field=name)


def _new(caller: Caller, given: RememberInput, *, supersedes: str | None = None) -> tuple[FileEdit, Draft]:
    title = titles.title_of(given)
    fields: dict[str, Any] = {"type": given.type, "title": title, "scope": given.scope, **_lists(given)}
    fields |= {name: getattr(given, name) for name in _SIMPLE}
    if supersedes:
        fields["supersedes"] = list(dict.fromkeys([*fields.get("supersedes", ()), supersedes]))
    path = _path(given, title)
    wanted = {name: value for name, value in fields.items() if value}
    draft = drafts.created(caller, path, wanted, given.content.strip("\n") + "\n")
    return FileEdit(path, None, draft.content), draft


def _lists(given: RememberInput) -> dict[str, list[str]]:
    found = {"tags": given.tags or [], "aliases": given.aliases or []}
    found |= {name: [_link(one) for one in targets] for name, targets in (given.relations or {}).items()}
    found["sources"] = [one if "://" in one else _link(one) for one in given.sources or ()]
    return found


def _added(given: RememberInput, old: Document) -> dict[str, Any]:
    """Return the fields that were given, the lists joined to those that are there."""
    simple = {name: getattr(given, name) for name in ("title", *_SIMPLE) if getattr(given, name)}
    return simple | {name: grown(old, name, added) for name, added in _lists(given).items() if added}


def _read(row: NoteRow) -> bytes:
    before = files.read(workplace.root(), row.path)
    if before is None:
        raise Conflict(_("%(path)s is gone. Nothing was changed.") % {"path": row.path})
    return before


def _link(target: str) -> str:
    return target if target.startswith("[[") else f"[[{target}]]"


def _path(given: RememberInput, title: str) -> str:
    folder = schema.TYPES[given.type].folder
    if given.type == "episode":
        folder = f"{folder}/{clock.today():%Y/%m}"
    folder, taken = folders.with_room(workplace.root(), folder)
    return f"{folder}/{naming.file_name(title, taken)}"
