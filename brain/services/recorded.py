"""The rows of the operations, brought up to the branch: other tools commit, fetch and reset too."""

from __future__ import annotations

import logging
from typing import Final

from django.db import DatabaseError

from brain.errors import BrainError
from brain.index import database, operations
from brain.services import workplace
from brain.store import history

logger = logging.getLogger(__name__)

_WAITS: Final = 10.0


def catch_up(*, wait: bool = False) -> None:
    """Take in the operations of commits that the index has not seen.

    Who only shows them never waits for another writer and never fails: the next look takes in the rest. With `wait`,
    for who is about to change something by them, a database that stays locked is a DatabaseError.
    """
    try:
        now = workplace.repository().head().commit
        known = operations.head()
        if now is None or now == known:
            return
        with database.lock(seconds=_WAITS if wait else 0.0) as held:
            if held:
                _take_in(known, now, wait=wait)
    except (BrainError, DatabaseError) as error:
        if wait and isinstance(error, DatabaseError):
            raise
        logger.warning("the operations could not be brought up to date (%s)", type(error).__name__)


def _take_in(known: str | None, now: str, *, wait: bool) -> None:
    root = workplace.root()
    follows = known is not None and history.is_ancestor(root, known, now)
    found = history.operations(root, known if follows else None)
    operations.catch_up(found, head=now, afresh=not follows, wait=wait)


def afresh(head: str) -> None:
    """Forget what was known and take every operation in again, as after commits became one."""
    operations.catch_up(history.operations(workplace.root()), head=head, afresh=True)
