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
