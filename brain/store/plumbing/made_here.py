"""The commits that this clone made itself, as its reflog tells: those that came from elsewhere are not among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from brain.store import git, messages
from brain.store.plumbing import refs
from brain.store.repository import Repository

_TAIL: Final = 64 * 1024
_BY_GIT: Final = f"{refs.MARK}: "  # where the repository has hooks, `git commit` makes the commit and adds its subject


@dataclass(frozen=True)
class Made:
    """An operation's commit that was made here: the operation, and what its commit says of the audit log."""

    commit: str
    op: str
    anchor: str


def newest(repository: Repository) -> Made | None:
    """Return the last operation that was committed here, None where the reflog tells of none."""
    return next(_made(repository, _newest_first(_lines(repository, most=_TAIL))), None)


def every(repository: Repository) -> list[Made]:
    """Return the operations that were committed here, oldest first, as far back as the reflog goes."""
    return list(_made(repository, _newest_first(_lines(repository))))[::-1]


def _lines(repository: Repository, *, most: int | None = None) -> list[str]:
    """Return the lines of HEAD's reflog, oldest first; of a long one its end alone where `most` bytes are wanted."""
    try:
        with (repository.git_folder / "logs" / "HEAD").open("rb") as stream:
            size = stream.seek(0, 2)
            start = max(0, size - most) if most else 0
            stream.seek(start)
            lines = stream.read().decode("utf-8", "replace").splitlines()
            return lines[1:] if start else lines
    except OSError:
        return _asked(repository) if repository.settings.get("extensions.refstorage") else []


def _asked(repository: Repository) -> list[str]:
    """Return the reflog of a repository that keeps it in no file, in the form of one; the older name is left open."""
    ran = git.run(repository.root, "reflog", "show", "--format=? %H%x09%gs", "HEAD", "--", check=False)
    return ran.text.splitlines()[::-1]


def _newest_first(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Yield the branch's old and new commit for each line that a commit of ours may have left."""
    for line in reversed(lines):
        about, _tab, said = line.partition("\t")
        if said == refs.MARK or said.startswith(_BY_GIT):
            yield tuple(about.split(" ", 2)[:2])  # type: ignore[misc]


def _made(repository: Repository, moves: Iterator[tuple[str, str]]) -> Iterator[Made]:
    """Yield those moves of the branch that put an operation's commit on top of what was there."""
    for old, new in moves:
        raw = repository.commit_of(new)
        above = repository.parent_of(new) or "0" * len(new)
        said = messages.parse(raw.partition(b"\n\n")[2].decode(errors="replace")).trailers
        if raw and old in ("?", above) and messages.OP in said and messages.AUDIT in said:
            yield Made(new, said[messages.OP], said[messages.AUDIT])
