"""patch_page: replace one exact passage of a note's body."""

from __future__ import annotations

from brain.caller import Caller
from brain.contracts.shared import Written
from brain.contracts.writes import PatchPageInput
from brain.errors import AmbiguousPatch, BrainError, Conflict, InvalidArgument, NotFound, PatchNotFound
from brain.guard import control_files, paths
from brain.language import gettext as _
from brain.note import document, structure
from brain.services import drafts, shown, workplace, writing
from brain.services.drafts import Draft
from brain.services.writes.write_page import unchanged, written
from brain.services.writing import Change, FileEdit
from brain.store import files


def run(caller: Caller, given: PatchPageInput) -> Written:
    """Replace the passage in one commit and return its operation; it is compared as text, never as a pattern."""
    try:
        done = writing.commit(caller, lambda: _change(caller, given))
    except _SaysItAlready as same:
        return unchanged(same.path, same.draft)
    return written(caller, done.change.edits[0].path, done, is_new=False)


class _SaysItAlready(Exception):
    def __init__(self, path: str, draft: Draft) -> None:
        super().__init__(path)
        self.path = path
        self.draft = draft


def _change(caller: Caller, given: PatchPageInput) -> Change:
    path = _target(given.path)
    before = files.read(workplace.root(), path)
    if before is None:
        raise _no_note(path)
    note = document.parse(before)
    try:
        body = patched(note.body, given)
    except (PatchNotFound, AmbiguousPatch) as error:
        raise _explained(caller, path, before, error) from None
    draft = drafts.changed(caller, path, note, body=body, exact=True)
    if not draft.changed:
        raise _SaysItAlready(path, draft)
    line = f"update {draft.fields.type or 'note'}: {draft.fields.title}"
    return Change("patch_page", (FileEdit(path, before, draft.content),), (line,), warnings=draft.warnings)


def _target(wanted: str) -> str:
    path = wanted if wanted in control_files.SETTINGS else paths.note_path(wanted)
    there = files.actual(workplace.root(), path)
    if there is None:
        raise _no_note(path)
    return there


def _no_note(path: str) -> NotFound:
    return NotFound(_("There is no note at %(path)s.") % {"path": path})


def patched(body: str, given: PatchPageInput) -> str:
    """Return a body with the one passage replaced, its line ends as `\\n`; a section bounds where it is looked for."""
    text, old, new = (part.replace("\r\n", "\n") for part in (body, given.old, given.new))
    start, end = _bounds(text, given.section)
    place = text.find(old, start, end)
    if place < 0:
        raise PatchNotFound(_("The passage does not appear in %(where)s. Nothing was changed.") % _where(given))
    if text.find(old, place + 1, end) >= 0:
        raise AmbiguousPatch(
            _("The passage appears more than once in %(where)s. Nothing was changed.") % _where(given),
            next_step=_("Give a longer passage, one that appears only once, or name the section it is in."),
        )
    result = text[:place] + new + text[place + len(old) :]
    if not _is_forged(text) and _is_forged(result):
        raise InvalidArgument(_("The text would be read as something else than a body. Nothing was changed."))
    return result


def _where(given: PatchPageInput) -> dict[str, str]:
    return {"where": f"{given.path[:200]} › {given.section[:80]}" if given.section else given.path[:200]}


def _bounds(text: str, section: str | None) -> tuple[int, int]:
    """Return where a section begins and ends, as `read` shows it; without one, the whole body."""
    if section is None:
        return 0, len(text)
    found = structure.section(text, section)
    if found is None:
        raise NotFound(
            _("The note has no section “%(section)s”.") % {"section": section[:80]},
            next_step=_("Read it without a section: `headings` lists those that it has."),
        )
    return found.start, found.end


def _is_forged(body: str) -> bool:
    try:
        drafts.refuse_forged(body)
    except InvalidArgument:
        return True
    return False


def _explained(caller: Caller, path: str, before: bytes, error: BrainError) -> BrainError:
    """Return a conflict where the caller knows an older text of the note, which is why the passage does not fit."""
    if not shown.is_stale(caller, path, before):
        return error
    return Conflict(
        _("%(path)s changed since you were shown it. Nothing was changed.") % {"path": path},
        next_step=_("Read it again and copy the passage from its new text."),
    )
