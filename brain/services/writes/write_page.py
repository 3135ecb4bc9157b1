"""write_page: create, overwrite or append to a note by its path."""

from __future__ import annotations

from brain.caller import Caller
from brain.contracts import shared
from brain.contracts.shared import DATA_NOTICE, Notice, Written
from brain.contracts.writes import WritePageInput
from brain.errors import AlreadyExists, Conflict, InvalidArgument, NotFound
from brain.guard import control_files, paths
from brain.language import gettext as _
from brain.note import document, fields
from brain.services import drafts, shown, workplace, writing
from brain.services.drafts import Draft
from brain.services.writing import Change, FileEdit
from brain.store import files


def run(caller: Caller, given: WritePageInput) -> Written:
    """Write the note in one commit and return its operation."""
    drafts.refuse_forged(given.content)
    _refuse_illegible(given)
    try:
        done = writing.commit(caller, lambda: _change(caller, given))
    except _SaysItAlready as same:
        return unchanged(same.path, same.draft)
    return written(
        caller, done.change.edits[0].path, done, is_new=given.mode == "create", whole=given.mode == "overwrite"
    )


class _SaysItAlready(Exception):
    def __init__(self, path: str, draft: Draft) -> None:
        super().__init__(path)
        self.path = path
        self.draft = draft


def _target(given: WritePageInput) -> str:
    """Return the path to write, spelled as the file that is there; a twin in case or Unicode form is the same note."""
    path = paths.note_path(given.path)
    there = files.actual(workplace.root(), path)
    if given.mode == "create" and there is not None:
        raise AlreadyExists(_("%(path)s is there already. Nothing was changed.") % {"path": there})
    if given.mode != "create" and there is None:
        raise NotFound(_("There is no note at %(path)s.") % {"path": path})
    folder, slash, name = path.rpartition("/")
    return there or files.spelled(workplace.root(), folder) + slash + name


def _refuse_illegible(given: WritePageInput) -> None:
    """Refuse a title or alias that no reader sees as it is."""
    wanted = given.frontmatter or {}
    aliases = wanted.get("aliases")
    for name in [wanted.get("title"), *(aliases if isinstance(aliases, list) else [aliases])]:
        if isinstance(name, str) and not shared.is_legible(name):
            raise InvalidArgument(_("A title or alias has a control or invisible character. Nothing was changed."))


def _draft(caller: Caller, given: WritePageInput, path: str) -> Draft:
    before = files.read(workplace.root(), path)
    wanted = given.frontmatter or {}
    if given.mode == "create":
        if not isinstance(wanted.get("type"), str) and not control_files.is_control(path):
            raise InvalidArgument(_("A new note needs frontmatter.type. Nothing was changed."))
        return drafts.created(caller, path, wanted, given.content)
    if before is None:
        raise NotFound(_("There is no note at %(path)s.") % {"path": path})
    old = document.parse(before)
    if given.mode == "overwrite" and shown.is_stale(caller, path, before):
        raise Conflict(
            _("%(path)s changed since you were shown it. Nothing was changed.") % {"path": path},
            next_step=_("Read it again, take its new text into account, then overwrite it."),
        )
    body = given.content if given.mode == "overwrite" else appended(old.body, given.content)
    return drafts.changed(caller, path, old, given=wanted, body=_framed(old.body, body))


def appended(body: str, addition: str) -> str:
    """Return a body with a text added on a line of its own after one blank line."""
    start = body.replace("\r\n", "\n").rstrip("\n")
    return (f"{start}\n\n" if start.strip() else "") + addition.strip("\n") + "\n"


def _framed(old: str, new: str) -> str:
    """Return a body with the blank line after the block that the old one had."""
    lead = len(old) - len(old.lstrip("\r\n"))
    text = new if new.endswith("\n") or not new else new + "\n"
    return old[:lead].replace("\r\n", "\n") + text.lstrip("\n") if lead else text


def _change(caller: Caller, given: WritePageInput) -> Change:
    path = _target(given)
    before = files.read(workplace.root(), path)
    draft = _draft(caller, given, path)
    if not draft.changed:
        raise _SaysItAlready(path, draft)
    verb = "add" if before is None else "update"
    line = f"{verb} {draft.fields.type or 'note'}: {draft.fields.title}"
    return Change("write_page", (FileEdit(path, before, draft.content),), (line,), warnings=draft.warnings)


def unchanged(path: str, draft: Draft) -> Written:
    """Return the answer of a write that had nothing to do."""
    return Written(
        data_notice=_(DATA_NOTICE),
        op=None,
        path=path,
        id=draft.fields.id,
        action=None,
        changed=False,
        commit=None,
        warnings=list(draft.warnings),
        next_step=_("Nothing to write: the note says that already."),
    )


def written(caller: Caller, path: str, done: writing.Done, *, is_new: bool, whole: bool = False) -> Written:
    """Return the answer of a write that is committed; `whole` where it says all that the note now holds.

    A part that is added to a note shows nobody the rest of it.
    """
    after = done.change.edits[0].after or b""
    before = done.change.edits[0].before
    if whole or before is None or shown.is_known(caller, path, before):
        shown.remember(caller, path, after)
    note = fields.read(document.parse(after), path)
    return Written(
        data_notice=_(DATA_NOTICE),
        op=done.op,
        path=path,
        id=note.id,
        action="add" if is_new else "update",
        changed=True,
        commit=done.commit,
        warnings=done.warnings + trace_notice(done.change.edits[0]),
        confirmed_by=done.confirmed_by,
        next_step=_("Saved. undo({ op: “%(op)s” }) takes it back.") % {"op": done.op},
    )


def trace_notice(edit: FileEdit) -> list[Notice]:
    """Say so where the person's note now carries an agent's trace."""
    note = fields.read(document.parse(edit.after or b""), edit.path)
    old = fields.read(document.parse(edit.before), edit.path) if edit.before is not None else None
    if old is None or not note.edited_by or (old.trust, old.edited_by) == (note.trust, note.edited_by):
        return []
    said = _("The user's note now says edited_by %(who)s, and its trust is %(trust)s.")
    return [
        Notice(code="provenance_changed", field="trust", message=said % {"who": note.edited_by, "trust": note.trust})
    ]
