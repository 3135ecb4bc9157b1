"""From the files that changed to the tables: what `scanning` found is read and written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from brain.index.intake import rows
from brain.index.intake.extract import Extract, extract, unreadable
from brain.index.intake.scanning import KEPT_BYTES, MOST_BYTES, Todo, digests_of
from brain.store import tree

Stamp = tuple[int, int, int, str]


def settle(cursor: Any, root: Path, todo: Todo, *, relation_types: tuple[str, ...] = ()) -> None:
    """Write what is to do into the tables, and read again the copies that now own the id of a note that is gone."""
    digests = digests_of(cursor, list(todo.read))
    found: list[Extract] = []
    stamps: list[Stamp] = []
    gone = set(todo.gone)
    for path in todo.read:
        one = _load(cursor, root, path, digests.get(path), relation_types)
        if one is None:
            gone.add(path)
        elif isinstance(one, Extract):
            found.append(one)
        elif one:
            stamps.append(one)
    if stamps:
        rows.touch(cursor, stamps)
    if found or gone:
        copies = rows.put(cursor, found, gone)
        again = [_load(cursor, root, path, None, relation_types) for path in copies]
        rows.put(cursor, [one for one in again if isinstance(one, Extract)])


def load(root: Path, path: str, *, relation_types: tuple[str, ...] = ()) -> Extract | None:
    """Return the note in a file that a walk found, its name alone where it can't be read; None where it is gone."""
    try:
        content = tree.read(root, path, most=MOST_BYTES, keep=KEPT_BYTES)
    except OSError:
        return _nameplate(root, path)
    return None if content is None else extract(path, content, relation_types)


def _load(
    cursor: Any, root: Path, path: str, digest: str | None, relation_types: tuple[str, ...]
) -> Extract | Stamp | tuple[()] | None:
    """Return the note in a file; its stamp where the content is as known, () where it can't be read, None if gone."""
    try:
        if tree.entry(root, path) is None:
            return None
        content = tree.read(root, path, most=MOST_BYTES, keep=KEPT_BYTES)
    except OSError:
        return () if digest is not None and rows.mark_unreadable(cursor, path) else _nameplate(root, path)
    if content is None:
        return None
    if content.digest == digest:
        return content.size, content.mtime_ns, content.read_ns, path
    return extract(path, content, relation_types)


def _nameplate(root: Path, path: str) -> Extract:
    try:
        entry = tree.entry(root, path)
    except OSError:
        entry = None
    return unreadable(path, entry.size if entry else 0, entry.mtime_ns if entry else 0)
