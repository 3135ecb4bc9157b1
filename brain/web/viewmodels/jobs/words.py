"""The words for how a job stands, how long it took and what it said."""

from __future__ import annotations

from datetime import timedelta
from typing import Final

from brain.jobs.models import Job, State
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from brain.web.badges import Badge

_STATES: Final = {
    State.QUEUED: (N_("Waiting"), "clock", "chip"),
    State.RUNNING: (N_("Running"), "refresh-cw", "accent"),
    State.DONE: (N_("Done"), "circle-check", "ok"),
    State.FAILED: (N_("Failed"), "circle-x", "bad"),
    State.CANCELLED: (N_("Cancelled"), "x", "chip"),
}


def state_of(job: Job) -> Badge:
    """Return how a job stands."""
    word, icon, tint = _STATES[State(job.state)]
    return Badge(_(word), icon, tint)


def took(job: Job) -> str:
    """Return how long a job that ended ran, nothing for one that never did."""
    return span(job.finished_at - job.started_at) if job.finished_at and job.started_at else ""


def came_of(job: Job) -> str:
    """Return what came of a job that ended, in a sentence."""
    return job.error_message or job.result


def span(length: timedelta) -> str:
    """Return a length of time in its usual unit."""
    seconds = max(1, round(length.total_seconds()))
    if seconds < 120:
        return ngettext("%(count)d s", "%(count)d s", seconds) % {"count": seconds}
    minutes = round(seconds / 60)
    if minutes < 120:
        return ngettext("%(count)d min", "%(count)d min", minutes) % {"count": minutes}
    hours = round(minutes / 60)
    if hours < 48:
        return ngettext("%(count)d h", "%(count)d h", hours) % {"count": hours}
    return ngettext("%(count)d day", "%(count)d days", round(hours / 24)) % {"count": round(hours / 24)}
