"""The rows of what the person vouched for on this machine."""

from __future__ import annotations

from django.db import models


class Attestation(models.Model):
    """The text of a resident note that the person wrote through Cabeção, approved or attested."""

    note = models.CharField(max_length=1000, primary_key=True)
    digest = models.CharField(max_length=64)
    at = models.DateTimeField(auto_now=True)

    class Meta:
        db_table = "attestation"

    def __str__(self) -> str:
        return self.note


class ConfirmAnswer(models.Model):
    """A token that did its work, or a content that the person said no to, until it no longer matters."""

    USED = "used"
    DECLINED = "declined"

    digest = models.CharField(max_length=64, primary_key=True)
    answer = models.CharField(max_length=10)
    until = models.DateTimeField(db_index=True)

    class Meta:
        db_table = "confirm_answer"

    def __str__(self) -> str:
        return self.answer


class Proposal(models.Model):
    """What an agent asked for and the person has not answered, or has: a proposal, or a confirmation that waits.

    `change` holds exactly what would be written; the audit log holds its digest and who asked.
    """

    PROPOSAL = "proposal"
    CONFIRMATION = "confirmation"

    WAITING = "waiting"
    ACCEPTED = "accepted"
    REJECTED = "rejected"
    WITHDRAWN = "withdrawn"
    CONFIRMED = "confirmed"  # in the client, with a token or by the person there

    id = models.CharField(max_length=26, primary_key=True)
    kind = models.CharField(max_length=12)
    state = models.CharField(max_length=12, db_index=True)
    key = models.CharField(max_length=64, db_index=True)
    client = models.CharField(max_length=64)
    session = models.CharField(max_length=100, blank=True)
    surface = models.CharField(max_length=8)
    operation = models.CharField(max_length=40)
    arguments = models.TextField()
    claim = models.TextField(blank=True)
    why = models.TextField()
    change = models.TextField()
    outside = models.TextField(blank=True)  # what came from outside among what the client had read, as a JSON list
    content = models.CharField(max_length=64, blank=True)
    created_at = models.DateTimeField()
    until = models.DateTimeField(null=True)
    decided_at = models.DateTimeField(null=True)
    answer = models.TextField(blank=True)
    op = models.CharField(max_length=26, blank=True)
    commit = models.CharField(max_length=64, blank=True)
    told = models.BooleanField(default=False)

    class Meta:
        db_table = "proposal"
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.id
