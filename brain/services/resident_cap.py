"""How much every agent is given at the start of each task: rings 0 and 1 together have a cap.

A write that would take them above it fails, whoever makes it; nothing of them is cut when they are read. Editing or
archiving a note so that they hold less always goes, also where they are above the cap already.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from brain import clock, config
from brain.caller import Caller
from brain.errors import ResidentCapExceeded
from brain.guard import paths
from brain.index import notes
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.note import document, fields, rings, tokens
from brain.note.validity import Validity, validity
from brain.services import views, vouching
from brain.store import files

if TYPE_CHECKING:
    from brain.services.writing import Change


def check(caller: Caller, change: Change) -> None:
    """Raise ResidentCapExceeded where a change lets rings 0 and 1 grow above their cap.

    What a yes would lift is counted as if it had been said: nobody is asked for what cannot be written.
    """
    by_person = caller.is_human or caller.request.granted is not None
    fresh = {edit.path: _size(edit.after, edit.path, by_person=by_person) for edit in change.edits}
    if any(fresh.values()):
        _refuse_above(sum(fresh.values()), but=fresh)


def check_attested(rows: Iterable[NoteRow]) -> None:
    """Raise the same where vouching for notes as they are would do it."""
    fresh = {row.path: _size(files.read(config.here().root, row.path), row.path, by_person=True) for row in rows}
    if any(fresh.values()):
        _refuse_above(sum(fresh.values()), but=fresh)


def _refuse_above(fresh: int, *, but: Iterable[str]) -> None:
    """Raise where the resident notes, some of them anew, are above the cap and hold more than they do now."""
    touched, cap = set(but), config.here().config().resident_cap_tokens
    sizes = dict(_resident())
    wanted = fresh + sum(size for path, size in sizes.items() if path not in touched)
    if wanted > cap and wanted > sum(sizes.values()):
        raise ResidentCapExceeded(
            _(
                "The rules and preferences that every agent is given would hold %(tokens)d tokens; at most %(cap)d are "
                "allowed (rings.resident_cap_tokens). Nothing was changed."
            )
            % {"tokens": wanted, "cap": cap},
            tokens=wanted,
            cap=cap,
        )


def _resident() -> Iterator[tuple[str, int]]:
    """Yield the notes that are in ring 0 or 1 today, each with its approximate tokens."""
    known, today, root = vouching.vouched(), clock.today(), config.here().root
    for row in (row for kind in sorted(vouching.RESIDENT_TYPES) for row in notes.of_type(kind)):
        is_resident = row.ring in rings.RESIDENT or known.get(row.id or row.path) == row.digest
        if is_resident and not (row.archived or row.superseded) and row.validity(today) is Validity.CURRENT:
            raw = files.read(root, row.path)
            if raw is not None:
                yield row.path, tokens.count(views.text_of(document.parse(raw)))


def _size(content: bytes | None, path: str, *, by_person: bool) -> int:
    """Return how many tokens a text adds to rings 0 and 1; nothing where it is not to be in them."""
    if content is None or not paths.is_note(path) or paths.is_archived(path):
        return 0
    note = document.parse(content)
    told = fields.read(note, path)
    if note.error is not None or told.type not in vouching.RESIDENT_TYPES or told.superseded_by:
        return 0
    lifted = told.type == "rule" or by_person
    is_current = validity(told, clock.today()) is Validity.CURRENT
    if not is_current or rings.ring(told, path, resident=lifted) not in rings.RESIDENT:
        return 0
    return tokens.count(views.text_of(note))
