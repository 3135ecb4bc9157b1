"""Rules about notes that time has overtaken."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from typing import Final

from brain.index.graph.whole import WholeNote
from brain.language import gettext as _
from brain.note.validity import Validity
from brain.services.linting.rule import Finding
from brain.services.linting.snapshot import Snapshot

UNCONFIRMED_DAYS: Final = 180
_CONFIRMABLE: Final = frozenset({"preference", "gotcha", "procedure"})
_DURATION: Final = re.compile(r"P(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?")


def expired_note(seen: Snapshot) -> Iterator[Finding]:
    """Find notes that expired and that nobody superseded."""
    replaced = {one.met.path for one in seen.whole.links if one.type == "supersedes" and one.met is not None}
    for note in seen.notes:
        expires = note.valid_until or note.expires_at
        if expires is None or note.superseded or note.path in replaced:
            continue
        if note.validity(seen.today) is Validity.EXPIRED:
            message = _("It no longer holds (%(day)s), and nothing has taken its place.") % {"day": expires}
            yield Finding(note.path, message, _("Write what holds now and link it with superseded_by, or archive it."))


def unconfirmed_memory(seen: Snapshot) -> Iterator[Finding]:
    """Find preferences, gotchas and procedures that nobody has confirmed or touched for half a year."""
    limit = seen.today - timedelta(days=UNCONFIRMED_DAYS)
    for note in seen.notes:
        if note.type not in _CONFIRMABLE or note.confirmed not in (None, "false"):
            continue
        touched = _last_touched(note)
        if touched <= limit:
            message = _("Not confirmed, and not updated since %(day)s.") % {"day": touched.isoformat()}
            fix = _("Ask whether it still holds; then set confirmed to today's date, correct it, or archive it.")
            yield Finding(note.path, message, fix)


def retention_due(seen: Snapshot) -> Iterator[Finding]:
    """Find notes that were to be kept for a time which has passed."""
    for note in seen.notes:
        ends = retained_until(note.retention, note.created, note.updated)
        if ends is not None and ends <= seen.today:
            message = ended(note.retention or "", ends)
            yield Finding(note.path, message, _("Archive it, or give it a longer retention."))


def retained_until(retention: str | None, created: str | None, updated: str | None) -> date | None:
    """Return the first day on which a note need not be kept any more; None where nothing says one."""
    starts = _day(created) or _day(updated)
    return _after(starts, retention) if retention and starts else None


def ended(period: str, day: date) -> str:
    """Say that a retention has run out."""
    return _("Its retention of %(period)s ended on %(day)s.") % {"period": period, "day": day.isoformat()}


def _last_touched(note: WholeNote) -> date:
    written = [day for day in (_day(note.updated), _day(note.created)) if day is not None]
    return max(written, default=datetime.fromtimestamp(note.mtime_ns / 1e9, UTC).astimezone().date())


def _day(text: str | None) -> date | None:
    """Return the local day of a moment."""
    try:
        moment = datetime.fromisoformat(text) if text else None
    except ValueError:
        return None
    if moment is None:
        return None
    return moment.astimezone().date() if moment.tzinfo else moment.date()


def _after(start: date, duration: str) -> date | None:
    """Return the day when a time that begins on a day is over, in whole days; None for one beyond the calendar."""
    match = _DURATION.match(duration)
    years, months, weeks, days = (int(part or 0) for part in match.groups()) if match else (0, 0, 0, 0)
    try:
        month = start.month - 1 + months
        year, month = start.year + years + month // 12, month % 12 + 1
        return date(year, month, min(start.day, monthrange(year, month)[1])) + timedelta(weeks=weeks, days=days)
    except (ValueError, OverflowError):
        return None
