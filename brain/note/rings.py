"""The ring of trust of a note, from 0 (the person's invariants) to 4 (imported or unverified)."""

from __future__ import annotations

from datetime import date
from typing import Final

from brain import clock
from brain.note.fields import Fields
from brain.note.schema import TYPES
from brain.note.validity import Validity, validity

RESIDENT: Final = (0, 1)
CURATED: Final = 2
RECORDS: Final = 3
UNVERIFIED: Final = 4


def ring(fields: Fields, path: str, *, resident: bool = False, on: date | None = None) -> int:
    """Return a note's ring on a day (today by default); `resident` says that its text is attested as the person's.

    A `ring` in the frontmatter overrides, but lifts a note to 0 or 1 only while that text is attested.
    """
    own = _own_ring(fields, path, resident=resident, on=on)
    wanted = fields.ring
    if wanted is None or (wanted in RESIDENT and wanted < own and not resident):
        return own
    return wanted


def _own_ring(fields: Fields, path: str, *, resident: bool, on: date | None) -> int:
    if _is_unverified(fields, path):
        return UNVERIFIED
    approved = resident or fields.approved_by is not None
    if fields.type == "rule":
        return 0 if approved or fields.origin == "human" else CURATED
    if fields.type == "preference":
        return 1 if approved else CURATED
    if fields.type == "handoff" and validity(fields, on or clock.today()) is Validity.EXPIRED:
        return RECORDS
    known = TYPES.get(fields.type or "")
    return known.ring if known else CURATED


def _is_unverified(fields: Fields, path: str) -> bool:
    return path.startswith("raw/") or fields.trust == "low" or (fields.origin or "").startswith("ingest:")
