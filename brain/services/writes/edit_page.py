"""edit_page: the person saves the whole text of a note over the version that they opened."""

from __future__ import annotations

from brain.caller import Caller
from brain.contracts.editing import EditPageInput
from brain.contracts.shared import Notice, Written
from brain.note import document
from brain.services import judging
from brain.services.editing import locating, readdressing, renaming, saving, whole_text
from brain.services.editing.readdressing import Readdressing
from brain.services.editing.saving import SaysItAlready
from brain.services.writing import Change, FileEdit


def run(caller: Caller, given: EditPageInput) -> Written:
    """Save it in one commit, and with it the links to what it calls otherwise now; Conflict over a newer version."""
    return saving.save(caller, lambda: _change(caller, given), whole=True)


def _change(caller: Caller, given: EditPageInput) -> Change:
    path = locating.located(given.path)
    before = locating.content(path, base=given.base)
    old = document.parse(before)
    judging.refuse_secrets(caller, given.text, path, known=old.text)  # by the lines that the person sees
    draft = whole_text.saved(path, old, given.text)
    if not draft.changed:
        raise SaysItAlready(path, draft)
    new, left = document.parse(draft.content), list[Notice]()
    following = Readdressing(
        readdressing.naming(before, path),
        readdressing.naming(draft.content, path),
        renaming.renamed(old.body, new.body),
    )
    after = readdressing.rewritten(following, new, (path, path), left) if following.keys else draft.content
    others = readdressing.edits(following, [path], left)
    line = f"update {draft.fields.type or 'note'}: {draft.fields.title}"
    edits = (FileEdit(path, before, after), *others)
    return Change("edit_page", edits, (line,), warnings=(*draft.warnings, *left, *saving.followed(len(edits) - 1)))
