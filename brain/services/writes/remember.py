"""remember: keep a durable memory; the same one is never written twice."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from brain import clock
from brain.caller import Caller
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.contracts.writes import RememberInput, RememberOutput
from brain.errors import InvalidArgument
from brain.index import names, notes, refresh
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.note import likeness, naming, schema
from brain.note.fields import without_markup
from brain.services import drafts, folders, judging, workplace, writing
from brain.services.writes.relate import refuse_unknown_types
from brain.services.writes.write_page import written
from brain.services.writing import Change, FileEdit

_LIST_MARKS: Final = re.compile(r"\A\s*(?:>\s*|(?:#{1,6}|[-*+]|\d{1,2}[.)])\s+)*")
_LONGEST_TITLE: Final = 120
_RESOLUTIONS: Final = (None, "create", "skip")


def run(caller: Caller, given: RememberInput) -> RememberOutput:
    """Keep the memory in one commit, or say which note holds it already."""
    drafts.refuse_forged(given.content)
    refuse_unknown_types(given.relations or ())
    _refuse_unknown_resolution(given)
    judging.refuse_secrets(
        caller, " ".join([given.title or "", *(given.tags or ()), *(given.aliases or ())]), _("a name")
    )
    refresh.catch_up()
    found = None if given.resolution == "create" else _same(given)
    if found is not None or given.resolution == "skip":
        return _skipped(found)
    try:
        done = writing.commit(caller, lambda: _change(caller, given))
    except _AlreadyThere as there:  # another process wrote it while this one waited for the lock
        return _skipped(there.note)
    said = written(caller, done.change.edits[0].path, done, is_new=True)
    return RememberOutput(
        **said.model_dump(), decision="created", superseded=None, candidates=[], reason=_("Nothing like it was there.")
    )


class _AlreadyThere(Exception):
    def __init__(self, note: NoteRow) -> None:
        super().__init__(note.path)
        self.note = note


def _change(caller: Caller, given: RememberInput) -> Change:
    found = None if given.resolution == "create" else _same(given)
    if found is not None:
        raise _AlreadyThere(found)
    fields = _fields(given)
    path = _path(given, str(fields["title"]))
    draft = drafts.created(caller, path, fields, given.content.strip("\n") + "\n")
    line = f"add {given.type}: {draft.fields.title}"
    warnings = (*draft.warnings, *_nowhere(given, path))
    return Change("remember", (FileEdit(path, None, draft.content),), (line,), warnings=warnings)


def _nowhere(given: RememberInput, path: str) -> Iterator[Notice]:
    """Say of each relation that leads to no note; it is kept, and holds once there is one of that name."""
    for name, targets in (given.relations or {}).items():
        for target in targets:
            if names.resolve(_link(target), near=path).path is None:
                said = _("The relation %(name)s leads to no note: there is none called “%(target)s”.")
                yield Notice(
                    code="no_such_note", message=said % {"name": name, "target": _unlinked(target)}, field=name
                )


def _same(given: RememberInput) -> NoteRow | None:
    """Return the note of the same type and scope that says the same, in the same words."""
    return notes.by_text(likeness.key(given.content), note_type=given.type, scope=given.scope)


def _fields(given: RememberInput) -> dict[str, Any]:
    fields: dict[str, Any] = {"type": given.type, "title": given.title or _title(given), "scope": given.scope}
    fields |= {"tags": given.tags, "aliases": given.aliases}
    fields |= {"subject": given.subject, "predicate": given.predicate, "object": given.object}
    fields |= {"valid_from": given.valid_from, "valid_until": given.valid_until, "expires_at": given.expires_at}
    fields |= {name: [_link(one) for one in targets] for name, targets in (given.relations or {}).items()}
    fields["sources"] = [one if "://" in one else _link(one) for one in given.sources or ()]
    return {name: value for name, value in fields.items() if value}


def _title(given: RememberInput) -> str:
    if given.type == "fact" and given.subject:
        return " ".join(_unlinked(one) for one in (given.subject, given.predicate or "", given.object or ""))
    first = next(line for line in given.content.splitlines() if line.strip())
    title = without_markup(_LIST_MARKS.sub("", first, count=1)) or first.strip()
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1].rsplit(" ", 1)[0] + "…"


def _link(target: str) -> str:
    return target if target.startswith("[[") else f"[[{target}]]"


def _unlinked(text: str) -> str:
    return text.replace("[[", "").replace("]]", "")


def _path(given: RememberInput, title: str) -> str:
    folder = schema.TYPES[given.type].folder
    if given.type == "episode":
        folder = f"{folder}/{clock.today():%Y/%m}"
    folder, taken = folders.with_room(workplace.root(), folder)
    return f"{folder}/{naming.file_name(title, taken)}"


def _refuse_unknown_resolution(given: RememberInput) -> None:
    if given.resolution not in _RESOLUTIONS:
        raise InvalidArgument(
            _("“resolution” must be one of: %(known)s. Nothing was changed.") % {"known": "create, skip"}
        )


def _skipped(found: NoteRow | None) -> RememberOutput:
    known: Mapping[str, Any] = {"path": found.path, "id": found.id} if found else {"path": None, "id": None}
    reason = _("The same memory is there already.") if found else _("You asked to skip it.")
    return RememberOutput(
        data_notice=_(DATA_NOTICE),
        op=None,
        **known,
        action=None,
        changed=False,
        commit=None,
        warnings=[],
        next_step=_("Nothing was written; read the note that is there if you need it."),
        decision="skipped",
        superseded=None,
        candidates=[],
        reason=reason,
    )
