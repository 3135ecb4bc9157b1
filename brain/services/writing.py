"""The write path: the only function that changes the brain.

A service describes what it wants as a `Change` and touches nothing. `commit` judges it (paths, secrets, schema,
elevation), takes the lock, takes in what the person changed outside, writes, commits to Git, and then brings index and
audit log up to date. It returns only when the commit is on the disk; an error means that nothing was changed.
"""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from django.db import DatabaseError

from brain import clock, config
from brain.audit import chain
from brain.caller import Caller
from brain.contracts.shared import Notice
from brain.errors import BrainError, Conflict, InvalidPath, Rehearsed, SecretDetected
from brain.guard import secrets
from brain.index import operations as operation_rows
from brain.index import refresh
from brain.language import gettext as _
from brain.services import confirming, judging, log_book, recorded, resident_cap, vouching, workplace
from brain.services.health import anchors, records
from brain.store import files, ignoring, journal, lock, messages, outside
from brain.store.committing import Commit, CommitPlan, committing
from brain.store.placing import Placement
from brain.store.plumbing import flushing
from brain.store.plumbing.settings import Identity, agent_identity
from brain.store.repository import Head, Repository

logger = logging.getLogger(__name__)

_LEFT_TO_RECOVERY: Final = frozenset({"audit_behind", "git_index_behind"})


@dataclass(frozen=True)
class FileEdit:
    """One file: what it held when the change was made, and what it is to hold (None: nothing).

    `moved_from` is what the note held at the place that it comes from. Where it `follows`, only links or its place
    are new: the text is whose it was.
    """

    path: str
    before: bytes | None
    after: bytes | None
    restores: bool = False
    moved_from: bytes | None = None
    follows: bool = False


@dataclass(frozen=True)
class Change:
    """What an operation wants to do to the brain, and the lines that say so.

    `summary` and `presented` are what a person is told where it needs their yes; `approved` is who brought it, set by
    the write path for the paths in `asked`. A change that `closes` a consolidation may stand `onto` its restore point
    and take the place of every commit since; `log` is then the log that its line is added to.
    """

    operation: str
    edits: tuple[FileEdit, ...]
    lines: tuple[str, ...]
    undoes: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()
    undoes_person: bool = False
    partial_id: bool = False
    summary: str = ""
    presented: Mapping[str, object] = field(default_factory=dict)
    approved: str | None = None
    asked: tuple[str, ...] = ()
    onto: str | None = None
    log: bytes | None = None
    closes: str = ""


@dataclass(frozen=True)
class Done:
    """A change that is committed: the operation that undoes it, and what the caller should know."""

    op: str
    commit: str
    change: Change
    warnings: list[Notice] = field(default_factory=list)

    @property
    def confirmed_by(self) -> Any:
        """Who brought the person's yes: `token`, `user`, None where none was needed."""
        return self.change.approved


def commit(caller: Caller, build: Callable[[], Change]) -> Done:
    """Write a change in one commit and return it.

    `build` is called before the lock is taken, so that a refusal costs nobody else time, and again under the lock
    where the brain moved in between; it reads the brain and changes nothing. Raises what it raises, and every error of
    the write path; the brain is then as it was.
    """
    records.require()
    seen = _position()
    built = _built_early(build, seen)
    change = _judged(caller, built) if built else None
    with workplace.held(caller) as (repo, head):
        if change is None or head.commit != seen or _moved(repo, change):
            change = _judged(caller, build())
            if _moved(repo, change):
                raise Conflict(_("The note changed while it was being written. Nothing was changed."))
        _refuse_ignored(repo, change)
        return _write(caller, repo, head, change)


def _refuse_ignored(repo: Repository, change: Change) -> None:
    """Refuse to put into history what the person keeps out of it."""
    found = ignoring.ignored(repo, [edit.path for edit in change.edits])
    if found:
        raise InvalidPath(
            _(
                "Git is told to leave %(path)s alone (.gitignore), and a write would put it into history. Nothing was "
                "changed."
            )
            % {"path": found[0]},
            next_step=_("Write to another folder, or ask the user to take the line out of .gitignore."),
        )


def _position() -> str | None:
    try:
        return workplace.repository().head().commit
    except BrainError:
        return None  # said again, in full, once the lock is held


def _built_early(build: Callable[[], Change], seen: str | None) -> Change | None:
    """Return the change as it looks before the lock is held; None where its refusal may come of a half-done write."""
    try:
        return build()
    except BrainError:
        if lock.is_held(workplace.root()) or _position() != seen:
            return None
        return build()  # whoever wrote has ended by now: this answer counts


def _judged(caller: Caller, change: Change) -> Change:
    judged = {edit.path: judging.judge(caller, change, edit) for edit in change.edits}
    reasons = {path: why for path, why in judged.items() if why}
    resident_cap.check(caller, change)
    if caller.request.granted is not None:
        return confirming.granted(caller, change)
    if caller.request.rehearses or _is_untrusted(caller):
        raise Rehearsed(change, tuple(one for why in reasons.values() for one in why))
    return confirming.settled(caller, change, reasons) if reasons else change


def _is_untrusted(caller: Caller) -> bool:
    """Tell whether the brain's settings say that what this client writes is decided by the person."""
    return not caller.is_human and caller.client in config.here().config().untrusted_clients


def _moved(repo: Repository, change: Change) -> bool:
    return any(files.read(repo.root, edit.path) != edit.before for edit in change.edits)


def _write(caller: Caller, repo: Repository, head: Head, change: Change) -> Done:
    op = caller.request.op or clock.new_id()
    paths = [edit.path for edit in change.edits]
    _unless_failing(lambda: anchors.record(repo))  # before a row that would hide the loss
    found, head = head, take_in(repo, head, [*paths, *log_book.files_of(repo.root)])
    if change.onto is not None and head != found:
        raise Conflict(_("The log was changed by hand meanwhile. Nothing was changed."), next_step=_("Try again."))
    held = {edit.path: edit.after for edit in change.edits}
    held |= {log_book.FILE: change.log} if change.log is not None else {}
    log = log_book.appended(repo.root, caller, op, change.operation, change.lines, held=held)
    contents = {**held, **{path: one.after for path, one in log.items()}}
    before = {**{edit.path: edit.before for edit in change.edits}, **{path: one.before for path, one in log.items()}}
    entry = _entry(op, head, contents, _audit_row(caller, op, change))
    plan = CommitPlan(contents, _message(caller, op, change), _author(caller, repo), head, onto=change.onto)
    with committing(repo, plan, gone=caller.gone) as commit:
        placement = Placement(repo.root, contents, before)
        with _journalled(repo, entry, commit, placement):
            commit.prepare()
            placement.place()
            oid = commit.finish()
        commit.start_index()
        warnings = _follow_up(caller, repo, entry, commit, oid, change)
    flushing.tell_trace()
    return Done(op, oid, change, [*change.warnings, *warnings])


def _entry(op: str, head: Head, contents: Mapping[str, bytes | None], audit: Mapping[str, object]) -> journal.Entry:
    after = {path: journal.digest(content) for path, content in contents.items()}
    return journal.Entry(op=op, parent=head.commit, branch=head.branch, after=after, audit=audit)


def take_in(repo: Repository, head: Head, paths: list[str]) -> Head:
    """Commit what the person changed in the files at hand, as theirs, and return the head to build on.

    A text that they staged and then changed again comes first, in a commit of its own.
    """
    head = _as_the_persons(repo, head, outside.staged(repo, head.commit, paths), verb=outside.STAGE)
    return _as_the_persons(repo, head, outside.edited(repo, head.commit, paths), verb=outside.EDIT)


def _as_the_persons(repo: Repository, head: Head, contents: dict[str, bytes | None], *, verb: str) -> Head:
    if not contents:
        return head
    for path, content in contents.items():
        found = secrets.scan((content or b"").decode("utf-8", errors="replace"), human=True)
        if found:
            raise SecretDetected(
                _("%(path)s, as its user left it, may hold a secret, line %(line)d (%(rule)s). Nothing was changed.")
                % {"path": path, "line": found[0].line, "rule": found[0].rule}
            )
    entry = _entry(clock.new_id(), head, contents, {})
    journal.begin(repo.root, entry)
    try:
        taken = outside.commit_as_person(repo, contents, head, verb=verb)
    except BrainError:
        if repo.head() == head:
            journal.close(repo.root, entry.op)
        raise
    journal.close(repo.root, entry.op)
    return taken


@contextmanager
def _journalled(repo: Repository, entry: journal.Entry, commit: Commit, placement: Placement) -> Iterator[None]:
    """Write the entry down first; on any failure before the commit, the entry's work is undone and it is closed."""
    try:
        placement.stage()
        journal.begin(repo.root, entry)
        yield
    except BaseException as error:
        commit.close()  # from here on nothing moves the branch
        with contextlib.suppress(BrainError, OSError):
            if journal.committed(repo, entry) is None:
                placement.take_back()
                journal.put_back(repo, entry)
                journal.close(repo.root, entry.op)
        if isinstance(error, OSError):
            raise files.refusal(error) from error
        raise
    finally:
        placement.discard()


def _follow_up(
    caller: Caller, repo: Repository, entry: journal.Entry, commit: Commit, oid: str, change: Change
) -> list[Notice]:
    """Bring Git's index, the search index and the audit log up to the commit; what lags is said, not raised."""
    steps: tuple[tuple[str, str, Callable[[], object]], ...] = (
        (
            "index_behind",
            _("The search index could not be updated; it will catch up."),
            lambda: _index(caller, entry, oid, change),
        ),
        (
            "audit_behind",
            _("The audit log could not be written; its row will be added."),
            lambda: chain.append(**entry.audit),
        ),
        ("not_vouched", _("The rule could not be recorded as yours."), lambda: _vouch(caller, change)),
        ("git_index_behind", _("Git's own index is locked by another program."), lambda: _git_index(commit)),
    )
    behind: list[Notice] = []
    for code, said, step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001 (the commit stands: nothing that follows may hide it)
            logger.warning("operation %s: %s (%s)", entry.op, code, type(error).__name__)
            behind.append(Notice(code=code, message=said))
    if any(one.code in _LEFT_TO_RECOVERY for one in behind) or not journal.close(repo.root, entry.op):
        journal.keep(repo.root, entry, oid)
    return [*(Notice(code="recovered", message=said) for said in workplace.recoveries(repo)), *behind]


def _git_index(commit: Commit) -> None:
    if not commit.index_follows():
        raise TimeoutError


def _vouch(caller: Caller, change: Change) -> None:
    if caller.is_human:
        vouching.vouch_for(edit.path for edit in change.edits if not edit.follows or _was_vouched_for(edit))
    confirming.done(caller, change)


def _was_vouched_for(edit: FileEdit) -> bool:
    """Tell whether the text, before its links or its place followed another's, was the person's word already."""
    before = edit.before if edit.moved_from is None else edit.moved_from
    return before is not None and vouching.is_their_word(before, edit.path)


def _index(caller: Caller, entry: journal.Entry, oid: str, change: Change) -> None:
    if change.onto is not None:
        recorded.afresh(oid)
        refresh.apply(entry.paths)
        return
    operation_rows.record(
        entry.op,
        commit=oid,
        at=clock.now(),
        session=caller.session,
        client=caller.client,
        kind=str(caller.kind),
        subject=change.lines[0],
        changes=list(change.lines),
        paths=entry.paths,
        undoes=" ".join(change.undoes) or None,
    )
    refresh.apply(entry.paths)


def _message(caller: Caller, op: str, change: Change) -> str:
    trailers = {
        messages.OP: op,
        messages.SESSION: caller.session or "",
        messages.CLIENT: caller.client,
        messages.KIND: str(caller.kind),
        messages.UNDOES: " ".join(change.undoes),
        messages.APPROVED: change.approved or "",
        messages.CONSOLIDATES: change.closes,
        messages.AUDIT: _anchor(),
    }
    return messages.compose(change.lines[0], change.lines, trailers)


def _anchor() -> str:
    """Return the end of the audit log's chain, nothing where it cannot be read: the row will be missed, and said."""
    return _unless_failing(lambda: str(chain.head() or chain.BEGINNING))


def _unless_failing(step: Callable[[], str | None]) -> str:
    """Return what a step says of the audit log; nothing where that cannot be read: no note waits for a log."""
    try:
        return step() or ""
    except DatabaseError as error:
        logger.warning("the audit log could not be read (%s)", type(error).__name__)
        return ""


def _audit_row(caller: Caller, op: str, change: Change) -> dict[str, object]:
    detail = {"operation": change.operation, "paths": [edit.path for edit in change.edits], "session": caller.session}
    detail |= {"confirmed_by": change.approved} if change.approved else {}
    return {"action": "write", "actor": caller.origin, "subject": op, "detail": detail}


def _author(caller: Caller, repo: Repository) -> Identity:
    return repo.settings.person() if caller.is_human else agent_identity(caller.client)
