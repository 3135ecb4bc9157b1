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
from pathlib import Path

from brain import clock
from brain.audit import chain
from brain.caller import Caller
from brain.contracts.shared import Notice
from brain.errors import BrainError, Conflict, SecretDetected
from brain.guard import secrets
from brain.index import operations as operation_rows
from brain.index import refresh
from brain.language import gettext as _
from brain.services import judging, log_book, vouching, workplace
from brain.store import files, journal, messages, outside
from brain.store.repository import CommitPlan, Head, Repository
from brain.store.settings import Identity, agent_identity

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class FileEdit:
    """One file: what it held when the change was made, and what it is to hold (None: nothing)."""

    path: str
    before: bytes | None
    after: bytes | None
    restores: bool = False


@dataclass(frozen=True)
class Change:
    """What an operation wants to do to the brain, and the lines that say so."""

    operation: str
    edits: tuple[FileEdit, ...]
    lines: tuple[str, ...]
    undoes: tuple[str, ...] = ()
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class Done:
    """A change that is committed: the operation that undoes it, and what the caller should know."""

    op: str
    commit: str
    change: Change
    warnings: list[Notice] = field(default_factory=list)


def commit(caller: Caller, build: Callable[[], Change]) -> Done:
    """Write a change in one commit and return it.

    `build` is called before the lock is taken, so that a refusal costs nobody else time, and again under the lock
    where the brain moved in between; it reads the brain and changes nothing. Raises what it raises, and every error of
    the write path; the brain is then as it was.
    """
    seen = _position()
    change = _judged(caller, build)
    with workplace.held(caller) as (repo, head):
        if head.commit != seen or _moved(repo, change):
            change = _judged(caller, build)
            if _moved(repo, change):
                raise Conflict(_("The note changed while it was being written. Nothing was changed."))
        return _write(caller, repo, head, change)


def _position() -> str | None:
    try:
        return workplace.repository().head().commit
    except BrainError:
        return None  # said again, in full, once the lock is held


def _judged(caller: Caller, build: Callable[[], Change]) -> Change:
    change = build()
    for edit in change.edits:
        judging.judge(caller, change.operation, edit.path, before=edit.before, after=edit.after, restores=edit.restores)
    return change


def _moved(repo: Repository, change: Change) -> bool:
    return any(files.read(repo.root, edit.path) != edit.before for edit in change.edits)


def _write(caller: Caller, repo: Repository, head: Head, change: Change) -> Done:
    op = clock.new_id()
    parent = _take_in(repo, head, change)
    contents = {edit.path: edit.after for edit in change.edits}
    contents.update(log_book.appended(repo.root, caller, op, change.operation, change.lines))
    audit = _audit_row(caller, op, change)
    entry = journal.Entry(
        op=op,
        parent=parent,
        branch=head.branch,
        after={path: journal.digest(content) for path, content in contents.items()},
        audit=audit,
    )
    plan = CommitPlan(contents, _message(caller, op, change), _author(caller, repo), parent)
    with _journalled(repo, entry):
        oid = _place_and_commit(repo, plan, caller)
    warnings = [*change.warnings, *_follow_up(caller, repo, entry, oid, change)]
    return Done(op, oid, change, warnings)


def _take_in(repo: Repository, head: Head, change: Change) -> str | None:
    """Commit what the person changed in the files at hand, as theirs, and return the commit to build on."""
    paths = [edit.path for edit in change.edits]
    edited = outside.edited(repo, head.commit, [*paths, log_book.FILE])
    if not edited:
        return head.commit
    for path, content in edited.items():
        found = secrets.scan((content or b"").decode("utf-8", errors="replace"), human=True)
        if found:
            raise SecretDetected(
                _("%(path)s, as its user left it, may hold a secret, line %(line)d (%(rule)s). Nothing was changed.")
                % {"path": path, "line": found[0].line, "rule": found[0].rule}
            )
    taken = outside.commit_as_person(repo, edited, head.commit)
    repo.refresh_index(list(edited))
    return taken


@contextmanager
def _journalled(repo: Repository, entry: journal.Entry) -> Iterator[None]:
    """Write the entry down first; on any failure before the commit, the entry's work is undone and it is closed."""
    try:
        journal.begin(repo.root, entry)
        yield
    except BaseException as error:
        if journal.committed(repo, entry) is None:
            with contextlib.suppress(BrainError, OSError):
                journal.put_back(repo, entry)
                journal.close(repo.root, entry.op)
        raise files.no_room(error) or error from error


def _place_and_commit(repo: Repository, plan: CommitPlan, caller: Caller) -> str:
    """Prepare all that needs room, then rename the files and move the branch; a failure renames the old ones back."""
    staged = {path: files.stage(repo.root, content) for path, content in plan.contents.items() if content is not None}
    kept: dict[str, Path | None] = {}
    try:
        prepared = repo.prepare(plan)
        for path, content in plan.contents.items():
            kept[path] = files.keep_aside(repo.root, path)
            if content is None:
                files.remove(repo.root, path)
            else:
                files.place(repo.root, path, staged[path])
        return repo.finish(plan, prepared, gone=caller.gone)
    except BaseException:
        _rename_back(repo, kept)
        raise
    finally:
        for aside in [*staged.values(), *kept.values()]:
            if aside is not None:
                aside.unlink(missing_ok=True)


def _rename_back(repo: Repository, kept: Mapping[str, Path | None]) -> None:
    for path, aside in kept.items():
        if aside is None:
            files.remove(repo.root, path)
        else:
            files.place(repo.root, path, aside)


def _follow_up(caller: Caller, repo: Repository, entry: journal.Entry, oid: str, change: Change) -> list[Notice]:
    """Bring Git's index, the search index and the audit log up to the commit; what lags is said, not raised."""
    warnings = [Notice(code="recovered", message=said) for said in workplace.recoveries(repo)]
    steps: tuple[tuple[str, str, Callable[[], object]], ...] = (
        ("git_index_behind", _("Git's own index is locked by another program."), lambda: _git_index(repo, entry)),
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
    )
    whole = True
    if caller.is_human:
        vouching.vouch_for(edit.path for edit in change.edits)
    for code, said, step in steps:
        try:
            step()
        except Exception as error:  # noqa: BLE001 (the commit stands: nothing that follows may hide it)
            logger.warning("operation %s: %s (%s)", entry.op, code, type(error).__name__)
            warnings.append(Notice(code=code, message=said))
            whole = whole and code == "index_behind"
    if whole:
        journal.close(repo.root, entry.op)
    return warnings


def _git_index(repo: Repository, entry: journal.Entry) -> None:
    if not repo.refresh_index(entry.paths):
        raise TimeoutError


def _index(caller: Caller, entry: journal.Entry, oid: str, change: Change) -> None:
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
    head = chain.head()
    trailers = {
        messages.OP: op,
        messages.SESSION: caller.session or "",
        messages.CLIENT: caller.client,
        messages.KIND: str(caller.kind),
        messages.UNDOES: " ".join(change.undoes),
        messages.AUDIT: f"{head.seq}:{head.hash}" if head else "0:genesis",
    }
    return messages.compose(change.lines[0], change.lines, trailers)


def _audit_row(caller: Caller, op: str, change: Change) -> dict[str, object]:
    detail = {"operation": change.operation, "paths": [edit.path for edit in change.edits], "session": caller.session}
    return {"action": "write", "actor": caller.origin, "subject": op, "detail": detail}


def _author(caller: Caller, repo: Repository) -> Identity:
    return repo.settings.person() if caller.is_human else agent_identity(caller.client)
