"""undo: take operations back, as a new operation that can itself be undone."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from brain.caller import Caller
from brain.contracts.writes import UndoInput, Undone, UndoOutput
from brain.errors import AlreadyUndone, Conflict, InvalidArgument, NotFound, NothingToUndo
from brain.index import operations as operation_rows
from brain.index import refresh
from brain.index.operations import OperationRow
from brain.language import gettext as _
from brain.services import log_book, recorded, workplace, writing
from brain.services.writing import Change, Done, FileEdit
from brain.store import files, reverting

SHORTEST_START: Final = 6
MOST_EMPTY: Final = 50  # operations of which nothing is left that are passed over


def run(caller: Caller, given: UndoInput) -> UndoOutput:
    """Undo in one commit; Conflict where later changes stand in its way, and nothing is changed."""
    refresh.catch_up()
    recorded.catch_up(wait=True)
    rows, done = _undone(caller, given) if given.op or given.session else _last_undone(caller, given)
    return UndoOutput(
        op=done.op,
        commit=done.commit,
        undone=[Undone(op=row.op, commit=row.commit, changes=list(row.changes)) for row in rows],
        changed_paths=sorted({edit.path for edit in done.change.edits} | {log_book.FILE}),
        warnings=done.warnings,
        confirmed_by=done.confirmed_by,
        next_step=_("To have it back, undo this undo: undo({ op: “%(op)s” }).") % {"op": done.op},
    )


def _undone(caller: Caller, given: UndoInput, *, but: Collection[str] = ()) -> tuple[list[OperationRow], Done]:
    rows = chosen(caller, given, but=but)
    partial = bool(given.op) and rows[0].op != (given.op or "").strip()
    return rows, writing.commit(caller, lambda: _change([row.op for row in rows], partial_id=partial))


def _last_undone(caller: Caller, given: UndoInput) -> tuple[list[OperationRow], Done]:
    """Undo the last operation of which something is left: what was taken out by hand stands in no other's way."""
    empty: list[str] = []
    while True:
        try:
            return _undone(caller, given, but=empty)
        except NothingToUndo:
            row = None if len(empty) >= MOST_EMPTY else _last(caller, but=empty)
            if row is None:
                raise
            empty.append(row.op)


def chosen(caller: Caller, given: UndoInput, *, but: Collection[str] = ()) -> list[OperationRow]:
    """Return the operations that are meant, the newest first: those of a session, the one named, else the last one."""
    if given.session:
        return _of_session(given.session)
    row = _named(given.op) if given.op else _last(caller, but=but)
    if row is None:
        raise _nothing_left(caller)
    if row.session and all(log_book.is_log(path) for path in row.paths):
        return _of_session(row.session)  # it closes a consolidation whose commits stay as they are
    return [_left(row)]


def _nothing_left(caller: Caller) -> NothingToUndo:
    own = operation_rows.latest() if caller.is_human else None
    advice = _("Your own last operation is undone by its name: undo %(op)s.") % {"op": own.op} if own else None
    return NothingToUndo(_("There is no operation of an agent left to undo."), next_step=advice)


def _of_session(session: str) -> list[OperationRow]:
    every = operation_rows.of_session(session)
    if not every:
        raise NotFound(
            _("There is no session “%(session)s”. Nothing was changed.") % {"session": session},
            next_step=_("Give the session_handle that recall returned, or the op that a write returned."),
        )
    left = [row for row in every if row.undone_by is None and row.undoes is None]
    if not left:
        raise AlreadyUndone(_("Every operation of session %(session)s was undone before.") % {"session": session})
    return [_left(row) for row in left]


def _named(op: str) -> OperationRow:
    """Return the operation of this id, or the only one whose id begins so."""
    wanted = op.strip()
    row = operation_rows.by_op(wanted)
    if row is None and len(wanted) >= SHORTEST_START:
        found = operation_rows.starting_with(wanted.upper())
        if len(found) > 1:
            raise InvalidArgument(
                _("Several operations begin with “%(op)s”. Nothing was changed.") % {"op": wanted[:40]},
                next_step=_("Give more of the op; Activity lists them whole."),
            )
        row = found[0] if found else None
    if row is None:
        raise NotFound(
            _("There is no operation “%(op)s”. Nothing was changed.") % {"op": op[:40]},
            next_step=_("Give the op that a write returned, or none to undo the last operation."),
        )
    return row


def _last(caller: Caller, *, but: Collection[str] = ()) -> OperationRow | None:
    if caller.session and (row := operation_rows.latest(session=caller.session, agents_only=True, but=but)):
        return row
    mine = None if caller.is_human else operation_rows.latest(client=caller.client, agents_only=True, but=but)
    return mine or operation_rows.latest(agents_only=True, but=but)


def _left(row: OperationRow) -> OperationRow:
    if row.undone_by:
        raise AlreadyUndone(_("Operation %(op)s was undone before, by %(by)s.") % {"op": row.op, "by": row.undone_by})
    return row


def _change(ops: list[str], *, partial_id: bool) -> Change:
    rows = [_left(_named(op)) for op in ops]
    root = workplace.root()
    contents = _without(rows)
    edits = tuple(
        FileEdit(path, now, content, restores=True)
        for path, content in contents.items()
        for now in [files.read(root, path)]
        if now != content
    )
    if not edits:
        raise NothingToUndo(_("Nothing of operation %(op)s is left in the notes.") % {"op": ", ".join(ops)})
    return Change(
        "undo",
        edits,
        tuple(map(_line, rows)),
        undoes=tuple(ops),
        undoes_person=any(not row.is_agents for row in rows),
        partial_id=partial_id,
        summary="\n".join(map(_said, rows)),
    )


def _said(row: OperationRow) -> str:
    """Return which operation is to be undone, as the person is told before they say yes."""
    told = {"op": row.op, "subject": row.subject, "who": _("the user") if not row.is_agents else row.client or "?"}
    return _("Undo operation %(op)s, “%(subject)s”, of %(who)s.") % told


def _without(rows: list[OperationRow]) -> dict[str, bytes | None]:
    """Return what the files would hold without these operations, the newest of which is taken out first."""
    repo = workplace.repository()
    contents: dict[str, bytes | None] = {}
    for row in rows:
        paths = [path for path in row.paths if not log_book.is_log(path)]
        reverted = reverting.revert(repo, row.commit, paths, held=contents)
        if reverted.conflicts:
            raise _in_the_way(reverted.conflicts)
        contents.update(reverted.contents)
    return contents


def _in_the_way(paths: list[str]) -> Conflict:
    return Conflict(
        _("These notes changed since, in the same place: %(paths)s. Nothing was changed.")
        % {"paths": ", ".join(paths)},
        next_step=_("Undo the later operations first, or correct the notes by hand."),
        paths=paths,
    )


def _line(row: OperationRow) -> str:
    verb = "undo" if row.undoes is None else "redo"
    return f"{verb}: {row.subject.removeprefix('undo: ').removeprefix('redo: ')}"
