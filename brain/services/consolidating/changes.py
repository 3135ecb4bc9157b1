"""What a consolidation did, read from the texts before and after, never from what the agent says of it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath

from brain.guard import paths
from brain.note import document
from brain.services import log_book
from brain.store.repository import Repository


def between(repository: Repository, before: str, after: str, touched: Iterable[str]) -> list[str]:
    """Return one line for each note among the paths that is not what it was; a note that moved gets one line."""
    old = {path: repository.content(before, path) for path in touched if not log_book.is_log(path)}
    new = {path: repository.content(after, path) for path in old}
    lines: list[str] = []
    for path in sorted(old):
        was, now = old[path], new[path]
        if was == now or (now is None and _is_elsewhere(path, old, new)):
            continue
        lines.append(f"{_verb(path, was, now)} {_named(path, now if now is not None else was)}")
    return lines


def _verb(path: str, was: bytes | None, now: bytes | None) -> str:
    if now is None:
        return "remove"
    if was is None and paths.is_archived(path):
        return "archive"
    return "add" if was is None else "update"


def _is_elsewhere(path: str, old: dict[str, bytes | None], new: dict[str, bytes | None]) -> bool:
    """Tell whether the note that is gone from a path came to lie at another one in the same consolidation."""
    identity = _id(old[path])
    return any(
        content is not None and old[other] is None and other != path and (_id(content) == identity is not None)
        for other, content in new.items()
    )


def _id(content: bytes | None) -> str | None:
    found = document.parse(content or b"").frontmatter.get("id")
    return found if isinstance(found, str) else None


def _named(path: str, content: bytes | None) -> str:
    note = document.parse(content or b"").frontmatter
    kind, title = note.get("type"), note.get("title")
    name = title if isinstance(title, str) and title.strip() else PurePosixPath(path).stem
    return f"{kind if isinstance(kind, str) else 'note'}: {name}"
