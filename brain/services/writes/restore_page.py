"""restore_page: an earlier version of a note becomes the new one, byte for byte."""

from __future__ import annotations

from brain.caller import Caller
from brain.contracts.editing import RestorePageInput
from brain.contracts.shared import Written
from brain.errors import NotFound
from brain.language import gettext as _
from brain.note import document, fields
from brain.services import workplace
from brain.services.drafts import Draft
from brain.services.editing import locating, saving
from brain.services.editing.saving import SaysItAlready
from brain.services.writing import Change, FileEdit
from brain.store import history

PREVIOUS = "previous"


def run(caller: Caller, given: RestorePageInput) -> Written:
    """Write the version in one commit; what the note says now stays in Git."""
    return saving.save(caller, lambda: _change(given), whole=True)


def _change(given: RestorePageInput) -> Change:
    path = locating.located(given.path)
    before = locating.content(path, base=given.base)
    after = _version(path, before, given.commit)
    known = fields.read(document.parse(after), path)
    if after == before:
        raise SaysItAlready(path, Draft(before, known, changed=False))
    line = f"restore {known.type or 'note'}: {known.title}"
    return Change("restore_page", (FileEdit(path, before, after),), (line,))


def _version(path: str, now: bytes, wanted: str) -> bytes:
    """Return a note's bytes as one of its commits left them, whatever its file was called then."""
    repository = workplace.repository()
    for one in history.commits(workplace.root(), path=path):
        if wanted != PREVIOUS and not one.commit.startswith(wanted):
            continue
        content = history.version(repository, one.commit, one.paths[0] if one.paths else path)
        if content is not None and (wanted != PREVIOUS or content != now):
            return content
    raise NotFound(
        _("%(path)s has no version “%(version)s”. Nothing was changed.") % {"path": path, "version": wanted},
        next_step=_("Versions on the note's page lists them."),
    )
