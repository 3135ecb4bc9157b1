"""What the person vouches for by writing it: a rule or preference they wrote through Cabeção is their own word."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import date
from typing import Final

from django.db import DatabaseError

from brain import clock, config
from brain.approval import attestation
from brain.errors import foreign
from brain.guard import paths as guarded
from brain.index import notes
from brain.index.notes import NoteRow
from brain.note.validity import Validity
from brain.services import shown
from brain.store import files

logger = logging.getLogger(__name__)

RESIDENT_TYPES: Final = frozenset({"rule", "preference"})


def vouch_for(paths: Iterable[str]) -> int:
    """Attest the resident notes among these as they are now, and return how many; a failure only leaves them out."""
    from brain.note import document, fields

    count = 0
    for path in paths:
        raw = None if guarded.is_archived(path) else files.read(config.here().root, path)
        note = fields.read(document.parse(raw), path) if raw is not None else None
        if raw is None or note is None or note.type not in RESIDENT_TYPES:
            continue
        try:
            attestation.attest(note.id or path, raw)
            count += 1
        except DatabaseError as error:
            logger.warning("a note could not be attested (%s)", type(error).__name__)
    return count


def is_rule(content: bytes | None, path: str) -> bool:
    """Tell whether a file holds a rule."""
    from brain.note import document, fields

    return content is not None and fields.read(document.parse(content), path).type == "rule"


def is_their_word(content: bytes, path: str) -> bool:
    """Tell whether the person vouched for a note with just this text; one without an id may have lain elsewhere."""
    from brain.note import document, fields

    known, identity = vouched(), fields.read(document.parse(content), path).id
    digest = shown.digest(content)
    return known.get(identity) == digest if identity else digest in known.values()


def vouch_for_example() -> None:
    """Attest what the example ships: its rules and preferences are meant to be seen at work."""
    from brain.services import adopting

    vouch_for(adopting.example_paths())


def waiting() -> list[NoteRow]:
    """Return the rules and preferences that hold today and whose text the person has not vouched for, by path."""
    known, today = vouched(), clock.today()
    rows = [row for kind in sorted(RESIDENT_TYPES) for row in notes.of_type(kind) if known.get(_key(row)) != row.digest]
    return sorted((row for row in rows if _may_hold(row, today)), key=lambda one: (one.type != "rule", one.path))


def is_vouched(row: NoteRow) -> bool:
    """Tell whether the person vouched for a note's text as it is."""
    return vouched().get(_key(row)) == row.digest


def _key(row: NoteRow) -> str:
    return row.id or row.path


def _may_hold(row: NoteRow, today: date) -> bool:
    """Tell whether a note would be given to agents; what is imported or unverified never is."""
    if row.is_replaced(today) or row.trust == "low" or guarded.is_raw(row.path) or guarded.is_conflict_copy(row.path):
        return False
    return row.validity(today) is Validity.CURRENT


def vouched() -> dict[str, str]:
    """Return the digests of the person's own words, by id or path; none where this machine has no record.

    IndexFailed where there is a record that cannot be read: rules are never left out in silence.
    """
    try:
        return attestation.digests()
    except DatabaseError as error:
        told = foreign(error)
        if told is not None and "no such table" not in str(error):
            raise told from error
        logger.warning("the attestations could not be read (%s)", type(error).__name__)
        return {}
