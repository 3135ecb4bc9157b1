"""What of the tree the index does not know yet: found by size and mtime, and by the content where those may lie."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from brain.guard.paths import is_note
from brain.store import tree
from brain.store.changes import Changes

UNREADABLE: Final = "unreadable"  # what the index keeps as the error of a file that cannot be opened
CHUNK: Final = 100
MOST_BYTES: Final = 8 << 20  # of a larger file the first part alone is read: to take one apart needs 20 times its size
KEPT_BYTES: Final = 2 << 20
_SETTLED_NS: Final = 400_000_000
_RACY_NS: Final = 2_000_000_000  # an edit this soon after a reading may leave the mtime as it was


@dataclass(slots=True)
class Todo:
    """Files to read, those first that surely changed, and notes whose file is gone."""

    read: dict[str, None] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.read) + len(self.gone)

    def add(self, other: Todo) -> None:
        """Take in more to do; what was found later is the truth about a path."""
        for path in other.gone:
            self.read.pop(path, None)
        self.gone -= other.read.keys()
        self.read.update(other.read)
        self.gone |= other.gone

    def take(self, most: int) -> Todo:
        """Take out the next files to read, and all that are gone, so that a renamed note keeps its id."""
        some = list(self.read)[:most]
        for path in some:
            del self.read[path]
        gone, self.gone = self.gone, set()
        return Todo(dict.fromkeys(some), gone)


def compare(cursor: Any, root: Path, changes: Changes) -> Todo:
    """Return what the changes mean for the index: a whole walk, some folders, or some files."""
    if changes.overflow:
        return _compare_tree(cursor, root, "")
    todo = Todo()
    for folder in sorted(changes.folders):
        todo.add(_compare_tree(cursor, root, folder))
    todo.add(_compare_files(cursor, root, changes.paths))
    return todo


def _compare_tree(cursor: Any, root: Path, under: str) -> Todo:
    known = _stamps(cursor, under)
    found = tree.walk(root, under)
    todo = Todo()
    for one in found.files:
        stamp = known.pop(one.path, None)
        if stamp is None:
            if is_note(one.path):
                todo.read[one.path] = None
        elif stamp[0] != one.size or stamp[1] != one.mtime_ns or stamp[1] > stamp[2] - _RACY_NS or not stamp[3]:
            todo.read[one.path] = None
    todo.read = dict.fromkeys(sorted(todo.read))
    todo.gone = {path for path in known if found.knows(path)}
    return todo


def _compare_files(cursor: Any, root: Path, paths: Iterable[str]) -> Todo:
    todo = Todo()
    for path in sorted(filter(is_note, paths)):
        try:
            there = tree.entry(root, path) is not None
        except OSError:
            there = True
        if there:
            todo.read[path] = None
        else:
            todo.gone.add(path)
    if todo.gone:
        todo.gone &= digests_of(cursor, sorted(todo.gone)).keys()
    return todo


def unchanged(cursor: Any, root: Path, todo: Todo) -> set[str]:
    """Return the files to read whose content is as the index knows it, as after an event for one's own write."""
    if len(todo.read) > CHUNK:
        return set()
    same = set()
    for path, digest in digests_of(cursor, list(todo.read)).items():
        try:
            content = tree.read(root, path, most=MOST_BYTES, keep=KEPT_BYTES) if digest else None
        except OSError:
            continue
        if content is not None and content.digest == digest:
            same.add(path)
    return same


def fresh(root: Path, todo: Todo) -> set[str]:
    """Return the files to read that were written to a moment ago: there may be more of them to come."""
    if len(todo.read) > CHUNK:
        return set()
    now, found = time.time_ns(), set()
    for path in todo.read:
        try:
            about = tree.entry(root, path)
        except OSError:
            continue
        if about is not None and 0 <= now - about.mtime_ns < _SETTLED_NS:
            found.add(path)
    return found


def _stamps(cursor: Any, under: str) -> dict[str, tuple[int, int, int, str]]:
    sql = "SELECT path, size, mtime_ns, read_ns, digest FROM note"
    if under:
        cursor.execute(f"{sql} WHERE path > %s AND path < %s", (f"{under}/", f"{under}0"))
    else:
        cursor.execute(sql)
    return {row[0]: row[1:] for row in cursor.fetchall()}


def digests_of(cursor: Any, paths: list[str]) -> dict[str, str]:
    """Return the digests that the index has of some files."""
    found: dict[str, str] = {}
    for first in range(0, len(paths), 500):
        some = paths[first : first + 500]
        marks = ", ".join(["%s"] * len(some))
        cursor.execute(f"SELECT path, digest FROM note WHERE path IN ({marks})", some)
        found.update(cursor.fetchall())
    return found
