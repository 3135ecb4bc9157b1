"""What the person changed with other tools: taken in as the person's own commit before anything is written on it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from brain.store import committing, files
from brain.store.committing import CommitPlan
from brain.store.repository import Head, Repository


def edited(repository: Repository, commit: str | None, paths: Iterable[str]) -> dict[str, bytes | None]:
    """Return those of the paths whose working file is not what a commit has, with what they hold now."""
    found: dict[str, bytes | None] = {}
    for path in paths:
        entry, now = repository.entry(commit, path), files.read(repository.root, path)
        if entry is None and now is None:
            continue
        if now is None or entry is None or repository.blob_of(path, now) != entry.oid:
            found[path] = now
    return found


def commit_as_person(repository: Repository, contents: Mapping[str, bytes | None], head: Head) -> Head:
    """Commit what the person changed as theirs: their identity, no operation and no line in the log."""
    names = sorted(contents)
    subject = f"Edit {names[0]}" if len(names) == 1 else f"Edit {len(names)} files"
    body = "" if len(names) == 1 else "\n\n" + "\n".join(f"- {name}" for name in names)
    plan = CommitPlan(contents, f"{subject}{body}\n", repository.settings.person(), head)
    return Head(head.branch, committing.commit(repository, plan))
