"""The versions of a note, and what one operation or two versions differ in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Final

from brain.index.operations import OperationRow
from brain.language import gettext as _
from brain.services import workplace
from brain.store import files, history
from brain.store.history import OperationCommit
from brain.web.difference import MOST_ROWS, Difference, compare
from brain.web.viewmodels import operations, people
from brain.web.viewmodels.people import Who

NOW: Final = "now"
PAGE: Final = 50
MOST_FILES: Final = 20
_SHORT: Final = 10


@dataclass(frozen=True)
class Version:
    """A note as one commit left it; `name` is what an address calls it."""

    name: str
    commit: str
    path: str
    who: Who
    at: datetime
    verb: str
    subject: str
    op: str | None


@dataclass(frozen=True)
class FileChange:
    """What became of one file."""

    path: str
    difference: Difference
    is_new: bool
    is_gone: bool
    diff_id: str


@dataclass(frozen=True)
class Versions:
    """A page of versions, newest first; `is_edited`: the file differs from the newest of all."""

    items: tuple[Version, ...]
    has_more: bool
    is_edited: bool


def of_note(path: str, *, skip: int = 0, limit: int = PAGE) -> Versions:
    """Return a page of the versions of a note, through renames of its file."""
    root = workplace.root()
    found = list(islice(history.commits(root, path=path, limit=limit + 1, skip=skip), limit + 1))
    items = tuple(_version(one, path) for one in found[:limit])
    return Versions(items, len(found) > limit, skip == 0 and _is_edited(path, items))


def between(path: str, older: str, newer: str, known: Versions) -> FileChange | None:
    """Return what two versions of a note differ in; None where the page knows one of them not."""
    before, after = _text(path, older, known), _text(path, newer, known)
    if before is None or after is None:
        return None
    return FileChange(path, compare(before, after, most=MOST_ROWS), is_new=False, is_gone=False, diff_id="versions")


def of_operation(row: OperationRow) -> tuple[FileChange, ...]:
    """Return what an operation did to each note, the log left out."""
    return tuple(islice(_changes(row), MOST_FILES))


def _changes(row: OperationRow) -> Iterator[FileChange]:
    repository = workplace.repository()
    parent = history.parent(repository, row.commit)
    for number, path in enumerate(operations.note_paths(row)):
        before = history.version(repository, parent, path) if parent else None
        after = history.version(repository, row.commit, path)
        yield FileChange(
            path,
            compare(_decoded(before), _decoded(after), most=MOST_ROWS),
            is_new=before is None,
            is_gone=after is None,
            diff_id=f"diff-{row.op}-{number}",
        )


def _version(one: OperationCommit, path: str) -> Version:
    is_agent = one.op is not None and one.kind != "human"
    verb, text = operations.said(one.subject) if one.op else (_("edited the file"), one.subject)
    return Version(
        name=one.commit[:_SHORT],
        commit=one.commit,
        path=one.paths[0] if one.paths else path,
        who=people.of_client(one.client, "agent") if is_agent else Who(_("You"), is_agent=False),
        at=one.at,
        verb=verb,
        subject=text,
        op=one.op,
    )


def _is_edited(path: str, items: tuple[Version, ...]) -> bool:
    if not items:
        return False
    recorded = workplace.repository().checked_out(items[0].commit, items[0].path)
    return files.read(workplace.root(), path) != recorded


def _text(path: str, wanted: str, known: Versions) -> str | None:
    if wanted == NOW:
        return _decoded(files.read(workplace.root(), path))
    version = next((one for one in known.items if one.name == wanted), None)
    if version is None:
        return None
    return _decoded(history.version(workplace.repository(), version.commit, version.path))


def _decoded(raw: bytes | None) -> str:
    return (raw or b"").decode("utf-8", errors="replace")
