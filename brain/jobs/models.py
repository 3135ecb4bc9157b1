"""A job, whose row is the truth about it, the workers that carry jobs, and what a person set of the timetable."""

from __future__ import annotations

from django.db import models

from brain.clock import new_id, now


class State(models.TextChoices):
    """Where a job stands; the last three are ends."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


LIVE = (State.QUEUED, State.RUNNING)


class Job(models.Model):
    """One piece of background work; `progress` is in permille and never goes back, `result` is what came of it."""

    id = models.CharField(primary_key=True, max_length=26, default=new_id, editable=False)
    kind = models.CharField(max_length=64)
    state = models.CharField(max_length=16, choices=State.choices, default=State.QUEUED)
    progress = models.PositiveSmallIntegerField(default=0)
    done = models.PositiveBigIntegerField(default=0)
    total = models.PositiveBigIntegerField(default=0)
    step = models.CharField(max_length=200, default="")
    result = models.CharField(max_length=500, default="")
    log = models.TextField(default="")
    error_code = models.CharField(max_length=64, default="")
    error_message = models.TextField(default="")
    requested_by = models.CharField(max_length=100, default="")
    created_at = models.DateTimeField(default=now)
    sent_at = models.DateTimeField(null=True)
    started_at = models.DateTimeField(null=True)
    finished_at = models.DateTimeField(null=True)
    heartbeat_at = models.DateTimeField(null=True)
    worker = models.CharField(max_length=200, default="")
    attempts = models.PositiveSmallIntegerField(default=0)
    cancel_requested = models.BooleanField(default=False)

    class Meta:
        """Two look-ups, and the rule that one job of a kind lives at a time."""

        indexes = (models.Index(fields=["state"], name="job_state"), models.Index(fields=["kind"], name="job_kind"))
        constraints = (
            models.UniqueConstraint(
                fields=["kind"], condition=models.Q(state__in=["queued", "running"]), name="one_live_job_of_a_kind"
            ),
        )

    def __str__(self) -> str:
        """Return kind and state."""
        return f"{self.kind} ({self.state})"

    @property
    def ended(self) -> bool:
        """Tell whether nothing more will happen to it."""
        return self.state not in LIVE


class Worker(models.Model):
    """A worker process and when it was last seen."""

    identity = models.CharField(primary_key=True, max_length=200)
    seen_at = models.DateTimeField()

    def __str__(self) -> str:
        """Return the identity."""
        return self.identity


class Schedule(models.Model):
    """When a kind of job comes by itself: what a person set, None for the kind's own default, and its next run."""

    kind = models.CharField(primary_key=True, max_length=64)
    enabled = models.BooleanField(null=True)
    every_seconds = models.PositiveIntegerField(null=True)
    next_at = models.DateTimeField(null=True)
    changed_by = models.CharField(max_length=100, default="")
    changed_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        """Return the kind."""
        return self.kind
