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
