"""Celery's beat, told by the rows of the state what is to start: a person may change them while it runs."""

from __future__ import annotations

from typing import Any, Final

from celery import beat
from django.db import close_old_connections

from brain import tasks

EVERY_SECONDS: Final = 2.0

_Scheduler: Any = beat.Scheduler


class Timetable(_Scheduler):  # type: ignore[misc]
    """A schedule that is not Celery's own: each look starts what is due."""

    def setup_schedule(self) -> None:
        """Do nothing: the rows are there."""

    def tick(self, *_given: object, **_named: object) -> float:
        """Start what is due and return how many seconds later to look again."""
        close_old_connections()
        tasks.keep_time()
        return EVERY_SECONDS
