"""Conflict copies that wait for a person, and one of them: the note's text, the copy's, and what both began with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from brain.guard import paths
from brain.language import gettext as _
from brain.note import document, fields
from brain.services import shown, workplace
from brain.services.editing import conflicts, merging
from brain.services.writes.resolve_conflict import NONE
from brain.store import files, git
from brain.web.viewmodels import addresses
from brain.web.viewmodels.editing.conflict import Place, places_of

_MOMENT = re.compile(r"-(\d{8}-\d{6})(?:[.-]\d+)?\.md$", re.IGNORECASE)


@dataclass(frozen=True)
class Waiting:
    """A copy in the list."""

    title: str
    href: str
    path: str
    note: str
    machine: str
    at: datetime | None


@dataclass(frozen=True)
class Both:
    """Everything that the person needs to decide; `note_text` is None where the note is gone."""

    title: str
    path: str
    note: str
    note_href: str
    machine: str
    at: datetime | None
    action: str
    base: str
    copy_base: str
    note_text: str | None
    copy_text: str
    began_text: str | None
    typed: str | None
    places: tuple[Place, ...]
    count: int


def waiting() -> tuple[Waiting, ...]:
    """Return the copies that wait, by path."""
    return tuple(_waiting(path) for path in conflicts.pending())


def others() -> tuple[str, ...]:
    """Return the files that a sync kept twice and that are no notes: a picture, the settings."""
    names = git.run(workplace.root(), "ls-files", "-z", "--", "*.conflict-*", check=False).names()
    return tuple(name for name in names if not paths.is_conflict_copy(name))


def _waiting(path: str) -> Waiting:
    note, machine = paths.copied(path)
    raw = files.read(workplace.root(), path) or b""
    title = fields.read(document.parse(raw), note).title
    return Waiting(title, addresses.of_conflict(path), path, note, machine, _moment(path))


def of_copy(path: str, raw: bytes, *, picks: Mapping[int, str] | None = None, typed: str | None = None) -> Both:
    """Return the texts of a copy side by side; `typed` is what the person made of them so far."""
    note = conflicts.note_of(path, raw)
    there = files.read(workplace.root(), note)
    began = conflicts.began_with(path)
    found = conflicts.stretches(there, raw, began) if there is not None else []
    known = document.parse(there if there is not None else raw)
    about = fields.read(known, note)
    return Both(
        title=about.title,
        path=path,
        note=note,
        note_href=addresses.of_note(None, note),
        machine=paths.copied(path)[1],
        at=_moment(path),
        action=addresses.of_conflict(path) + "/settle",
        base=shown.digest(there) if there is not None else NONE,
        copy_base=shown.digest(raw),
        note_text=conflicts.plain(there) if there is not None else None,
        copy_text=conflicts.plain(raw),
        began_text=conflicts.plain(began) if began is not None else None,
        typed=typed,
        places=tuple(places_of(found, picks)),
        count=sum(one.number is not None for one in found),
    )


def picked(path: str, raw: bytes, picks: Mapping[int, str]) -> str | None:
    """Return the text that the choices make, None while one is missing."""
    there = files.read(workplace.root(), conflicts.note_of(path, raw))
    found = conflicts.stretches(there, raw, None) if there is not None else []
    if not found or any(one.number is not None and picks.get(one.number) not in merging.CHOICES for one in found):
        return None
    return merging.chosen(found, picks)


def settled(done_path: str | None) -> str:
    """Return what the person is told afterwards."""
    return _("Settled: %(path)s. The copy is gone from the folder and stays in Git.") % {"path": done_path or ""}


def _moment(path: str) -> datetime | None:
    found = _MOMENT.search(path)
    try:
        return datetime.strptime(found[1], "%Y%m%d-%H%M%S").replace(tzinfo=UTC) if found else None
    except ValueError:
        return None
