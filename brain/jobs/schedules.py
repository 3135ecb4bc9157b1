"""When a kind of job comes by itself: what a person set of it, and whose turn it is.

A run that was missed while no worker ran is made up once, as soon as one does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from django.db.models import QuerySet

from brain.clock import now
from brain.errors import InvalidArgument
from brain.jobs.models import Schedule
from brain.language import gettext as _

_UNITS: Final[Mapping[str, timedelta]] = {
    "s": timedelta(seconds=1),
    "m": timedelta(minutes=1),
    "min": timedelta(minutes=1),
    "h": timedelta(hours=1),
    "d": timedelta(days=1),
}
_SPAN: Final = re.compile(r"(\d{1,6})\s*(s|m|min|h|d)")


@dataclass(frozen=True)
class Rhythm:
    """How often a kind of job comes by itself, and what a person may make of that."""

    every: timedelta
    least: timedelta
    most: timedelta


@dataclass(frozen=True)
class Setting:
    """What holds of a schedule now; `enabled` is None where nobody turned it on or off."""

    enabled: bool | None
    every: timedelta
    next_at: datetime | None


def settings(rhythms: Mapping[str, Rhythm]) -> dict[str, Setting]:
    """Return what holds of each schedule."""
    rows = {row.kind: row for row in Schedule.objects.filter(kind__in=list(rhythms))}
    return {kind: _setting(rows.get(kind), rhythm) for kind, rhythm in rhythms.items()}


def take(kind: str, rhythm: Rhythm, *, by_default: Callable[[], bool]) -> bool:
    """Tell whether a kind's time has come, and plan the one after; of several that ask at once one is told yes."""
    row, _made = Schedule.objects.get_or_create(kind=kind)
    every, moment = _setting(row, rhythm).every, now()
    planned = (
        row.next_at if row.next_at is not None and row.next_at <= moment + every else None
    )  # else: a clock set back
    if row.enabled is False or (planned is not None and planned > moment):
        return False
    won = _as_it_is(row).update(next_at=moment + every)
    return bool(won) and planned is not None and (row.enabled or by_default())


def turn(kind: str, *, on: bool, by: str, rhythm: Rhythm) -> None:
    """Turn a schedule on or off; turned on it comes after its interval."""
    row = Schedule.objects.filter(kind=kind).first()
    following = now() + _setting(row, rhythm).every if on else None
    _change(kind, by, enabled=on, next_at=following)


def set_every(kind: str, every: timedelta, *, by: str, rhythm: Rhythm) -> None:
    """Let a kind come at another interval; InvalidArgument where that is outside of its limits."""
    if not rhythm.least <= every <= rhythm.most:
        limits = {"least": spelled(rhythm.least), "most": spelled(rhythm.most)}
        raise InvalidArgument(
            _("The interval must be between %(least)s and %(most)s. Nothing was changed.") % limits,
            next_step=_("Give one such as 30m, 6h or 2d."),
        )
    _change(kind, by, every_seconds=int(every.total_seconds()), next_at=now() + every)


def span(text: str) -> timedelta:
    """Return the time that a text such as `30m`, `6h` or `2d` means; InvalidArgument where it means none."""
    found = _SPAN.fullmatch(text.strip().lower())
    if found is None:
        raise InvalidArgument(
            _("“%(text)s” is no length of time. Nothing was changed.") % {"text": text[:40]},
            next_step=_("Give one such as 30m, 6h or 2d."),
        )
    return int(found[1]) * _UNITS[found[2]]


def spelled(length: timedelta) -> str:
    """Return a length of time as `span` reads it, in the largest unit that it is a whole number of."""
    units = (("d", _UNITS["d"]), ("h", _UNITS["h"]), ("m", _UNITS["m"]))
    for name, unit in units:
        if length >= unit and not length % unit:
            return f"{length // unit}{name}"
    return f"{int(length.total_seconds())}s"


def _setting(row: Schedule | None, rhythm: Rhythm) -> Setting:
    if row is None:
        return Setting(None, rhythm.every, None)
    every = timedelta(seconds=row.every_seconds) if row.every_seconds else rhythm.every
    return Setting(row.enabled, every, row.next_at)


def _as_it_is(row: Schedule) -> QuerySet[Schedule]:
    planned = {"next_at__isnull": True} if row.next_at is None else {"next_at": row.next_at}
    return Schedule.objects.filter(kind=row.kind, **planned)


def _change(kind: str, by: str, **fields: object) -> None:
    changed = {"changed_by": by[:100], "changed_at": now(), **fields}
    Schedule.objects.update_or_create(kind=kind, defaults=changed)
