"""How two histories of one brain stand to each other, and what each side changed since they parted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from brain.store import git, history
from brain.store.repository import Repository


class Stand(StrEnum):
    """How the branch stands to the remote's."""

    SAME = "same"
    AHEAD = "ahead"
    BEHIND = "behind"
    APART = "apart"
    UNRELATED = "unrelated"
    SHALLOW = "shallow"


class Leaf(NamedTuple):
    """What a path holds: Git's mode and the name of the object."""

    mode: str
    oid: str


@dataclass(frozen=True)
class Changed:
    """What one side did to each path (None: taken away), and where it moved what it took away."""

    leaves: dict[str, Leaf | None]
    moved: dict[str, str] = field(default_factory=dict)


def stand(repository: Repository, ours: str, theirs: str) -> Stand:
    """Tell how two commits stand to each other."""
    root = repository.root
    if ours == theirs:
        return Stand.SAME
    if history.is_ancestor(root, theirs, ours):
        return Stand.AHEAD
    if history.is_ancestor(root, ours, theirs):
        return Stand.BEHIND
    if base(repository, ours, theirs) is not None:
        return Stand.APART
    return Stand.SHALLOW if (repository.common_folder / "shallow").exists() else Stand.UNRELATED


def base(repository: Repository, ours: str, theirs: str) -> str | None:
    """Return the commit where two histories parted; None where they never were one."""
    return git.run(repository.root, "merge-base", ours, theirs, check=False).text.strip() or None


def parted(repository: Repository, path: str) -> str | None:
    """Return where the two sides of the merge that brought a file had parted; None where no merge brought it."""
    told = git.run(repository.root, "log", "--full-history", "--format=%H %P", "--", path, check=False,
                   env={"GIT_LITERAL_PATHSPECS": "1"}, seconds=20.0)  # fmt: skip
    for line in reversed(told.lines()):
        _commit, *parents = line.split()
        if len(parents) == 2:
            return base(repository, parents[0], parents[1])
    return None


def changed(repository: Repository, before: str, after: str) -> Changed:
    """Return what lies between two commits."""
    arguments = ("diff-tree", "-r", "-z", "--raw", "--no-abbrev", "--no-renames", before, after)
    leaves = dict(raw(git.run(repository.root, *arguments).names()))
    gone = any(leaf is None for leaf in leaves.values())
    return Changed(leaves, _moves(repository, before, after) if gone and any(leaves.values()) else {})


def count(repository: Repository, since: str, until: str) -> int:
    """Return how many commits lie between two."""
    ran = git.run(repository.root, "rev-list", "--count", f"{since}..{until}", check=False)
    return int(ran.text.strip() or 0) if ran.code == 0 else 0


def raw(fields: list[str]) -> Iterator[tuple[str, Leaf | None]]:
    """Yield each path of Git's raw listing, split at NUL, with what it holds afterwards; None where it is gone."""
    waiting = iter(fields)
    for about in waiting:
        _before, mode, _old, oid, _status = about.strip("\n").removeprefix(":").split()
        yield next(waiting), None if set(mode) == {"0"} else Leaf(mode, oid)


def _moves(repository: Repository, before: str, after: str) -> dict[str, str]:
    arguments = ("-c", "diff.renameLimit=2000", "diff-tree", "-r", "-z", "--name-status", "-M50%", "--diff-filter=R")
    fields = iter(git.run(repository.root, *arguments, before, after, check=False).names())
    return {next(fields): next(fields) for _status in fields}
