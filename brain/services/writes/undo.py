"""undo: take an operation back, as a new operation that can itself be undone."""

from __future__ import annotations

from brain.caller import Caller
from brain.contracts.writes import UndoInput, Undone, UndoOutput
from brain.errors import AlreadyUndone, Conflict, HumanOnly, NotFound, NothingToUndo
from brain.index import operations as operation_rows
from brain.index import refresh
from brain.index.operations import OperationRow
from brain.language import gettext as _
from brain.services import log_book, recorded, workplace, writing
from brain.services.writing import Change, FileEdit
from brain.store import files, reverting


def run(caller: Caller, given: UndoInput) -> UndoOutput:
    """Undo one operation in one commit; Conflict where later changes stand in its way, and nothing is changed."""
    refresh.catch_up()
    recorded.catch_up()
    row = chosen(caller, given)
    done = writing.commit(caller, lambda: _change(caller, row.op))
    return UndoOutput(
        op=done.op,
        commit=done.commit,
        undone=[Undone(op=row.op, commit=row.commit, changes=list(row.changes))],
        changed_paths=sorted({edit.path for edit in done.change.edits} | {log_book.FILE}),
        warnings=done.warnings,
        next_step=_("To have it back, undo this undo: undo({ op: “%(op)s” }).") % {"op": done.op},
    )


def chosen(caller: Caller, given: UndoInput) -> OperationRow:
    """Return the operation that is meant: the one named, else the last of the session, the client, any agent."""
    if given.session:
        row = operation_rows.latest(session=given.session)
    elif given.op:
        row = operation_rows.by_op(given.op.strip())
        if row is None:
            raise NotFound(_("There is no operation “%(op)s”. Nothing was changed.") % {"op": given.op[:40]})
    else:
        row = _last(caller)
    if row is None:
        raise NothingToUndo(_("There is no operation of an agent left to undo."))
    return _allowed(caller, row)


def _last(caller: Caller) -> OperationRow | None:
    if caller.session and (row := operation_rows.latest(session=caller.session, agents_only=True)):
        return row
    mine = None if caller.is_human else operation_rows.latest(client=caller.client, agents_only=True)
    return mine or operation_rows.latest(agents_only=True)


def _allowed(caller: Caller, row: OperationRow) -> OperationRow:
    if row.undone_by:
        raise AlreadyUndone(_("Operation %(op)s was undone before, by %(by)s.") % {"op": row.op, "by": row.undone_by})
    if row.kind == "human" and not caller.is_human:
        raise HumanOnly(
            _("The user made this operation; an agent does not undo it. Nothing was changed."),
            next_step=_("Ask the user to undo it on the Activity page or with `cabecao undo`."),
        )
    return row


def _change(caller: Caller, op: str) -> Change:
    row = operation_rows.by_op(op)
    if row is None:
        raise NotFound(_("There is no operation “%(op)s”. Nothing was changed.") % {"op": op})
    _allowed(caller, row)
    repo = workplace.repository()
    paths = [path for path in row.paths if not log_book.is_log(path)]
    reverted = reverting.revert(repo, row.commit, paths)
    if reverted.conflicts:
        raise Conflict(
            _("These notes changed since, in the same place: %(paths)s. Nothing was changed.")
            % {"paths": ", ".join(reverted.conflicts)},
            next_step=_("Undo the later operations first, or correct the notes by hand."),
            paths=reverted.conflicts,
        )
    edits = tuple(
        FileEdit(path, files.read(repo.root, path), content, restores=True)
        for path, content in reverted.contents.items()
        if files.read(repo.root, path) != content
    )
    if not edits:
        raise NothingToUndo(_("Nothing of operation %(op)s is left in the notes.") % {"op": op})
    return Change(
        "undo",
        edits,
        (f"undo: {row.subject.removeprefix('undo: ')}",)
        if row.undoes is None
        else (f"redo: {row.subject.removeprefix('undo: ')}",),
        undoes=(op,),
    )
