"""Which note an address means, and its bytes."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import Http404

from brain.errors import InvalidPath, NotFound, UnsafePath
from brain.guard import paths
from brain.index import notes, refresh
from brain.language import gettext as _
from brain.services import workplace
from brain.store import files


@dataclass(frozen=True)
class Found:
    """A note's file: the path as the disk spells it, its bytes, and the id that it answers to."""

    path: str
    raw: bytes
    id: str | None


def wanted(identity: str, file: str) -> Found:
    """Return the note of an address, which has an id or else a path."""
    return by_id(identity) if identity else by_path(file)


def by_id(identity: str) -> Found:
    """Return the note that answers to an id; NotFound where there is none."""
    refresh.catch_up()
    row = notes.by_id(identity)
    raw = files.read(workplace.root(), row.path) if row else None
    if row is None or raw is None:
        raise NotFound(
            _("There is no note with this id. It may have been taken away, or undone."),
            next_step=_("Search for it, or look in Activity for what became of it."),
        )
    return Found(row.path, raw, row.id)


def by_path(text: str) -> Found:
    """Return the note of a path, whatever its case and Unicode form; Http404 where there is none."""
    try:
        wanted = paths.inside_path(text)
        actual = files.actual(workplace.root(), wanted)
        raw = files.read(workplace.root(), actual) if actual and paths.is_note(actual) else None
    except (UnsafePath, InvalidPath) as error:
        raise Http404 from error
    if actual is None or raw is None:
        raise Http404
    refresh.catch_up()
    row = notes.by_path(actual)
    return Found(actual, raw, row.id if row else None)
