"""The rows of the operations, brought up to the branch: other tools commit, fetch and reset too."""

from __future__ import annotations

import logging

from brain.errors import BrainError
from brain.index import database, operations
from brain.services import workplace
from brain.store import history

logger = logging.getLogger(__name__)


def catch_up() -> None:
    """Take in the operations of commits that the index has not seen; never waits, never fails."""
    try:
        now = workplace.repository().head().commit
        known = operations.head()
        if now is None or now == known:
            return
        with database.lock() as held:
            if held:
                _take_in(known, now)
    except BrainError as error:
        logger.warning("the operations could not be brought up to date: %s", error.code)


def _take_in(known: str | None, now: str) -> None:
    root = workplace.root()
    follows = known is not None and history.is_ancestor(root, known, now)
    operations.catch_up(history.operations(root, known if follows else None), head=now, afresh=not follows)
