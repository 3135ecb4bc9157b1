"""Restore points: tags of this machine alone, and the commits that came after one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from brain import clock
from brain.store import git, history
from brain.store.history import OperationCommit
from brain.store.repository import Repository

FOLDER: Final = "cabecao/restore"


@dataclass(frozen=True)
class Point:
    """A restore point: its tag and its commit."""

    tag: str
    commit: str


@dataclass(frozen=True)
class Since:
    """What was committed since a restore point, the newest first, and whether it may become one commit."""

    commits: tuple[OperationCommit, ...]
    is_straight: bool
    is_pushed: bool


def make(repository: Repository, identity: str, commit: str) -> Point:
    """Set a restore point at a commit, under an identifier of its own."""
    now = clock.now()
    tag = f"{FOLDER}/{now:%Y-%m-%d-%H%M%S}-{now.microsecond // 1000:03d}-{identity}"
    git.run(repository.root, "update-ref", f"refs/tags/{tag}", commit, "0" * len(commit))
    return Point(tag, commit)


def find(repository: Repository, identity: str) -> Point | None:
    """Return the restore point of an identifier, None where there is none."""
    arguments = ("for-each-ref", "--format=%(refname:strip=2) %(objectname)", f"refs/tags/{FOLDER}/")
    for line in git.run(repository.root, *arguments).lines():
        tag, _blank, commit = line.partition(" ")
        if tag.endswith(f"-{identity}"):
            return Point(tag, commit)
    return None


def since(repository: Repository, point: Point) -> Since:
    """Return what was committed since a restore point; straight where the branch only grew, without a merge."""
    root = repository.root
    found = tuple(history.commits(root, since=point.commit))
    merges = git.run(root, "rev-list", "--min-parents=2", "--count", f"{point.commit}..HEAD").text.strip()
    straight = merges == "0" and history.is_ancestor(root, point.commit, "HEAD")
    unseen = git.run(root, "rev-list", "--count", f"{point.commit}..HEAD", "--not", "--remotes").text.strip()
    return Since(found, straight, int(unseen or 0) < len(found))
