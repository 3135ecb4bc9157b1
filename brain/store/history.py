"""What Git remembers: the product's operations, a note's versions, and texts as they were."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from brain.store import git, messages
from brain.store.repository import Repository

_RECORD: Final = "\x1e"
_FIELD: Final = "\x1f"
_FORMAT: Final = f"--format={_RECORD}%H{_FIELD}%an{_FIELD}%aI{_FIELD}%B{_FIELD}"
_QUIET: Final = ("-c", "core.quotePath=false", "-c", "log.showSignature=false", "-c", "color.ui=false")


@dataclass(frozen=True)
class OperationCommit:
    """A commit of the branch; `op` is None where the person made it."""

    commit: str
    op: str | None
    session: str | None
    client: str | None
    kind: str | None
    author: str
    at: datetime
    subject: str
    changes: tuple[str, ...]
    paths: tuple[str, ...]
    undoes: str | None
    is_approved: bool = False


def commits(root: Path, *, since: str | None = None, limit: int | None = None, path: str | None = None,
            skip: int = 0, saying: str | None = None) -> Iterator[OperationCommit]:  # fmt: skip
    """Yield the commits of the current branch, newest first: those after `since`, or those that touched a path.

    `saying` keeps those with such a line in their message.
    """
    arguments = [*_QUIET, "log", "--no-color", "-z", "--name-only", _FORMAT]
    arguments += [f"--max-count={limit}"] if limit else []
    arguments += [f"--skip={skip}"] if skip else []
    arguments += [f"--grep={saying}"] if saying else []
    arguments += [f"{since}..HEAD"] if since else ["HEAD"]
    arguments += ["--follow", "--", path] if path else ["--"]
    ran = git.run(root, *arguments, check=False, env={"GIT_LITERAL_PATHSPECS": "1"})
    if ran.code != 0 and "unknown revision" not in ran.err and "bad revision" not in ran.err:
        raise git.failure(root, arguments, ran)
    for record in ran.text.split(_RECORD)[1:]:
        yield _commit(record)


def is_ancestor(root: Path, older: str, newer: str) -> bool:
    """Tell whether a commit is part of another's history."""
    return git.run(root, "merge-base", "--is-ancestor", older, newer, check=False).code == 0


def operations(root: Path, since: str | None = None) -> Iterator[OperationCommit]:
    """Yield the commits that carry an operation, newest first."""
    return (one for one in commits(root, since=since) if one.op)


def approved(root: Path) -> Iterator[OperationCommit]:
    """Yield the operations that the person confirmed when an agent asked, newest first."""
    found = commits(root, saying=f"^{messages.APPROVED}: ")
    return (one for one in found if one.op and one.is_approved)


def version(repository: Repository, commit: str, path: str) -> bytes | None:
    """Return a file as it was in a commit, None where it was not there."""
    return repository.content(commit, path)


def parent(repository: Repository, commit: str) -> str | None:
    """Return a commit's first parent."""
    return repository.parent_of(commit)


def commit_with(root: Path, line: str) -> str | None:
    """Return the newest commit, on any branch, whose message has a line or a part of one."""
    arguments = (*_QUIET, "log", "--all", "--fixed-strings", f"--grep={line}", "--max-count=1", "--format=%H")
    ran = git.run(root, *arguments, check=False)
    return ran.text.strip() or None


def _commit(record: str) -> OperationCommit:
    oid, author, at, text, names = record.split(_FIELD, 4)
    message = messages.parse(text)
    said = message.trailers
    return OperationCommit(
        commit=oid,
        op=said.get(messages.OP),
        session=said.get(messages.SESSION),
        client=said.get(messages.CLIENT),
        kind=said.get(messages.KIND),
        author=author,
        at=datetime.fromisoformat(at),
        subject=message.subject,
        changes=message.changes,
        paths=tuple(name for name in names.strip("\0\n").split("\0") if name.strip("\n")),
        undoes=said.get(messages.UNDOES),
        is_approved=messages.APPROVED in said,
    )
