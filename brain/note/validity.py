"""Whether a note holds on a date."""

from __future__ import annotations

from datetime import date
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from brain.note.fields import Fields


class Validity(StrEnum):
    """What a note's dates say about one day."""

    CURRENT = "current"
    EXPIRED = "expired"
    NOT_YET_VALID = "not_yet_valid"


def validity(fields: Fields, on: date) -> Validity:
    """Judge a note on a day: `valid_until` is the first day it no longer holds, `expires_at` the last day it does."""
    if fields.valid_until is not None and on >= fields.valid_until:
        return Validity.EXPIRED
    if fields.expires_at is not None and on > fields.expires_at:
        return Validity.EXPIRED
    if fields.valid_from is not None and on < fields.valid_from:
        return Validity.NOT_YET_VALID
    return Validity.CURRENT
