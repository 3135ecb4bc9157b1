"""How much waits for the person, for the count that every page shows."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.db import DatabaseError

from brain.services.proposals import interrupted, keeping

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Waits:
    """How many requests wait, and which, so that a page can tell that others do."""

    count: int = 0
    which: tuple[str, ...] = ()


def now() -> Waits:
    """Return what waits; nothing where it cannot be read: a count is no reason to show no page."""
    interrupted.settle()
    try:
        found = tuple(keeping.waiting())
    except DatabaseError as error:
        logger.warning("what waits could not be counted (%s)", type(error).__name__)
        return Waits()
    return Waits(len(found), found)
