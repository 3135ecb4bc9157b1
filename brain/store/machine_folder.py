"""The folder of what is one machine's alone, its keys and records among it: no commit should hold it."""

from __future__ import annotations

from brain import config
from brain.store.repository import Repository


def holds(path: str) -> bool:
    """Tell whether a path lies in it, in whatever spelling."""
    return path.partition("/")[0].casefold() == config.MACHINE_FOLDER


def is_in(repository: Repository, commit: str | None) -> bool:
    """Tell whether a commit holds it."""
    tree = repository.tree_of(commit)
    names = repository.objects.tree(tree) if tree else {}
    return any(holds(name.decode("utf-8", "replace")) for name in names)
