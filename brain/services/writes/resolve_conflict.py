"""resolve_conflict: the person settles a copy that a sync left; the copy goes, and undo brings it back."""

from __future__ import annotations

from brain.caller import Caller
from brain.contracts.editing import ResolveConflictInput
from brain.contracts.shared import DATA_NOTICE, Notice, Written
from brain.errors import Conflict, InvalidArgument, NotFound
from brain.guard import paths
from brain.index import refresh
from brain.language import gettext as _
from brain.note import document, fields
from brain.services import judging, shown, workplace, writing
from brain.services.editing import conflicts, locating, whole_text
from brain.services.writing import Change, FileEdit
from brain.store import files

NONE = "none"


def run(caller: Caller, given: ResolveConflictInput) -> Written:
    """Give the note its text and take the copy away in one commit; Conflict where either changed since."""
    if (given.keep == "text") != (given.text is not None):
        raise InvalidArgument(_("The argument text goes with keep “text”, and with nothing else. Nothing was changed."))
    refresh.catch_up()
    done = writing.commit(caller, lambda: _change(caller, given))
    kept = done.change.edits[0] if len(done.change.edits) == 2 else None
    path = kept.path if kept else paths.copied(done.change.edits[0].path)[0]
    if kept and kept.after is not None:
        shown.remember(caller, path, kept.after)
    raw = kept.after if kept else files.read(workplace.root(), path)
    return Written(
        data_notice=_(DATA_NOTICE),
        op=done.op,
        path=path,
        id=fields.read(document.parse(raw), path).id if raw is not None else None,
        action="update" if kept else None,
        changed=True,
        commit=done.commit,
        warnings=done.warnings,
        next_step=_("Settled. undo({ op: “%(op)s” }) brings the copy back.") % {"op": done.op},
    )


def _change(caller: Caller, given: ResolveConflictInput) -> Change:
    copy, held = _copy(given)
    path = conflicts.note_of(copy, held)
    before = _note(path, given.base)
    title = fields.read(document.parse(before or held), path).title
    gone, line = FileEdit(copy, held, None), f"settle conflict: {title}"
    after, warnings = _kept(caller, given, (path, before), (copy, held))
    if after == before:
        return Change("resolve_conflict", (gone,), (line,))
    moved = held if before is None and after == held else None
    return Change(
        "resolve_conflict", (FileEdit(path, before, after, moved_from=moved), gone), (line,), warnings=warnings
    )


def _copy(given: ResolveConflictInput) -> tuple[str, bytes]:
    """Return the copy that is meant and its bytes."""
    wanted = paths.inside_path(given.path)
    if not paths.is_conflict_copy(wanted):
        raise InvalidArgument(
            _("%(path)s is no conflict copy. Nothing was changed.") % {"path": wanted},
            next_step=_("The Conflicts page and `cabecao status` list them."),
        )
    path = files.actual(workplace.root(), wanted)
    if path is None:
        raise NotFound(
            _("The conflict copy %(path)s is gone: it was settled, or taken away. Nothing was changed.")
            % {"path": wanted},
            next_step=_("The Conflicts page and `cabecao status` list those that are left."),
        )
    return path, locating.content(path, base=given.copy_base)


def _note(path: str, base: str | None) -> bytes | None:
    """Return the note's bytes, None where it is gone; Conflict where that is not what the person looked at."""
    found = files.read(workplace.root(), path)
    now = NONE if found is None else shown.digest(found)
    if base is not None and base != now:
        raise Conflict(
            _("%(path)s changed since you opened it. Nothing was changed.") % {"path": path},
            next_step=_("Look at both texts as they are now, then decide again."),
            path=path,
            digest=now,
        )
    return found


def _kept(
    caller: Caller, given: ResolveConflictInput, note: tuple[str, bytes | None], copy: tuple[str, bytes]
) -> tuple[bytes | None, tuple[Notice, ...]]:
    """Return what the note is to hold, None where it stays gone."""
    (path, before), (copied, held) = note, copy
    if given.keep == "note":
        return before, ()
    if given.keep == "copy" or (given.keep == "both" and before is None):
        return held, ()
    if given.keep == "both":
        text = conflicts.joined(before or b"", held, conflicts.began_with(copied))
    else:
        text = given.text or ""
    old = document.parse(held if before is None else before)
    judging.refuse_secrets(caller, text, path, known=old.text + document.parse(held).text)
    draft = whole_text.saved(path, old, text)
    return draft.content, draft.warnings
