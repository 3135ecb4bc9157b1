"""Moments and days as notes write them."""

from __future__ import annotations

from datetime import UTC, date, datetime

from django.utils.formats import date_format

from brain import language


def moment(text: str | None) -> datetime | None:
    """Return a moment written in a note, None where it is not one; without a zone it counts as UTC."""
    try:
        found = datetime.fromisoformat(text or "")
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def day(given: date) -> str:
    """Return a day as it is written in the middle of a sentence."""
    return date_format(given, "j b Y")


def long_day(given: date) -> str:
    """Return a day in full, such as `3 de maio de 2026`."""
    written = date_format(given, "DATE_FORMAT")
    return written.lower() if language.current() == "pt-br" else written
