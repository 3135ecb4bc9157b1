"""Moving the branch onto what came from the remote: objects first, then the files and the branch, by Git itself."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from functools import partial
from typing import Final

from brain.errors import GitFailed
from brain.language import gettext as _
from brain.store import files, git
from brain.store.plumbing import flushing, git_locks
from brain.store.plumbing.objects import TREE_MODE, Entry
from brain.store.remote.histories import Leaf
from brain.store.repository import FLUSH, Repository

_SECONDS: Final = 300.0
_SINGLY: Final = 500  # files flushed one by one; of more than that the whole disk is
_IN_THE_WAY: Final = ("would be overwritten", "not uptodate", "untracked working tree", "unmerged")


class InTheWay(Exception):
    """A file was changed, or made, after the edits had been taken in: take them in again and try once more."""


def merge_commit(repository: Repository, ours: str, theirs: str, leaves: Mapping[str, Leaf | None], said: str) -> str:
    """Store the commit that has both as its parents, flushed, and return it; no branch moves."""
    tree = tree_with(repository, repository.tree_of(ours), leaves)
    who = repository.settings.person().line(int(time.time()), time.strftime("%z"))
    head = f"tree {tree}\nparent {ours}\nparent {theirs}\nauthor {who}\ncommitter {who}\n\n"
    commit = repository.objects.write("commit", f"{head}{said}".encode())
    repository.objects.flush()
    repository.objects.forget()
    return commit


def tree_with(repository: Repository, tree: str | None, leaves: Mapping[str, Leaf | None]) -> str:
    """Store a tree with other leaves and return it; folders left empty vanish.

    GitFailed where one side has a file where the other has a folder.
    """
    entries = dict(repository.objects.tree(tree)) if tree else {}
    own, inner = _by_first_part(leaves)
    for name in [name for name, leaf in own.items() if leaf is None and not _is_folder(entries.get(name))]:
        entries.pop(name, None)
    for name, below in inner.items():
        old = entries.get(name)
        if old is None or old.mode == TREE_MODE:
            _put_folder(repository, entries, name, tree_with(repository, old.oid if old else None, below))
        elif any(below.values()):
            raise _meet(name)
    for name, leaf in own.items():
        if leaf is not None and _is_folder(entries.get(name)):
            raise _meet(name)
        if leaf is not None:
            entries[name] = Entry(leaf.mode, name, leaf.oid)
    return repository.objects.write_tree(entries)


def _by_first_part(
    leaves: Mapping[str, Leaf | None],
) -> tuple[dict[bytes, Leaf | None], dict[bytes, dict[str, Leaf | None]]]:
    """Part leaves into those of a folder itself and those below it, by the name in the folder."""
    own: dict[bytes, Leaf | None] = {}
    inner: dict[bytes, dict[str, Leaf | None]] = {}
    for path, leaf in leaves.items():
        first, slash, rest = path.partition("/")
        if slash:
            inner.setdefault(os.fsencode(first), {})[rest] = leaf
        else:
            own[os.fsencode(first)] = leaf
    return own, inner


def _put_folder(repository: Repository, entries: dict[bytes, Entry], name: bytes, tree: str) -> None:
    entries.pop(name, None)
    if repository.objects.tree(tree):
        entries[name] = Entry(TREE_MODE, name, tree)


def _is_folder(entry: Entry | None) -> bool:
    return entry is not None and entry.mode == TREE_MODE


def _meet(name: bytes) -> GitFailed:
    return GitFailed(
        _("%(path)s is a file on one side and a folder on the other. Nothing was changed.")
        % {"path": os.fsdecode(name)},
        next_step=_("Give one of them another name, then sync again."),
    )


def advance(repository: Repository, commit: str, paths: list[str]) -> None:
    """Bring branch, files and index to a commit that has the branch's own in its history, and flush the files.

    InTheWay where a file that the commit changes is not as the branch has it: nothing has moved then.
    """
    arguments = (*FLUSH, "-c", "merge.verifySignatures=false", "merge", "--ff-only", "--quiet", "--no-stat", commit)
    run = partial(git.run, repository.root, *arguments, check=False, seconds=_SECONDS)
    ran = git_locks.retrying(repository, run)
    repository.objects.forget()
    if repository.head().commit != commit:
        if any(words in ran.err for words in _IN_THE_WAY):
            raise InTheWay
        raise git.failure(repository.root, ("merge",), ran)
    _flush(repository, paths)


def _flush(repository: Repository, paths: list[str]) -> None:
    if len(paths) > _SINGLY and hasattr(os, "sync"):
        os.sync()
        return
    flushing.together(_flush_file, ((repository, path) for path in paths))
    folders = {path.rpartition("/")[0]: path for path in paths}
    flushing.together(files.flush_folder_of, ((repository.root, path) for path in folders.values()))


def _flush_file(repository: Repository, path: str) -> None:
    try:
        descriptor = os.open(repository.root / path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return
    try:
        flushing.flush(descriptor)
    except OSError:
        pass
    finally:
        os.close(descriptor)
