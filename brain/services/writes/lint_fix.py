"""lint_fix: mend findings of lint where there is no choice to make."""

from __future__ import annotations

from brain.caller import Caller
from brain.contracts.shared import Written
from brain.contracts.writes import LintFixInput
from brain.errors import NotFound
from brain.guard import paths
from brain.index import refresh
from brain.language import gettext as _
from brain.note import document
from brain.services import drafts, workplace, writing
from brain.services.linting import mending
from brain.services.linting.rule import Finding
from brain.services.reads import lint
from brain.services.writes.write_page import written
from brain.services.writing import Change, FileEdit
from brain.store import files


def run(caller: Caller, given: LintFixInput) -> Written:
    """Mend them in one commit; NotFound where lint finds nothing there that it can mend by itself."""
    done = writing.commit(caller, lambda: _change(caller, given))
    return written(caller, done.change.edits[0].path, done, is_new=False)


def _change(caller: Caller, given: LintFixInput) -> Change:
    path = paths.note_path(given.path)
    before = files.read(workplace.root(), path)
    if before is None:
        raise NotFound(_("There is no note at %(path)s.") % {"path": path})
    refresh.catch_up()
    note = document.parse(before)
    body = _mended(note.body, note.body_line, _findings(given, path))
    if body == note.body:
        raise NotFound(
            _("Lint finds nothing there that it can mend by itself. Nothing was changed."),
            next_step=_("Call lint: a finding that is mendable can be given here."),
        )
    draft = drafts.changed(caller, path, note, body=body, exact=True)
    line = f"update {draft.fields.type or 'note'}: {draft.fields.title}"
    return Change("lint_fix", (FileEdit(path, before, draft.content),), (line,), warnings=draft.warnings)


def _findings(given: LintFixInput, path: str) -> list[Finding]:
    found = (one for _rule, one in lint.findings(lint.snapshot(), [given.rule]) if one.path == path)
    return [one for one in found if given.line in (None, one.line)]


def _mended(body: str, first_line: int, found: list[Finding]) -> str:
    """Return the body with each mend made; one that no longer fits is left out, and no mend moves a line."""
    for one in found:
        if one.mend is not None and one.line is not None:
            body = mending.mended(body, one.line - first_line + 1, one.mend) or body
    return body
