"""What lets a person in, links that a terminal prints, and what proves that it is them."""

from __future__ import annotations

from django.db import models


class LaunchLink(models.Model):
    """A link that opens the pages once; only the digest of its secret is kept."""

    digest = models.CharField(max_length=64, primary_key=True)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return f"launch link of {self.created_at:%Y-%m-%d %H:%M}"


class Guesses(models.Model):
    """Wrong proofs in a row: one row for the machine."""

    wrong = models.IntegerField(default=0)
    until = models.DateTimeField(null=True)

    def __str__(self) -> str:
        return str(self.wrong)


class Passkey(models.Model):
    """A passkey's public half; a challenge from before `used_at` counts no more."""

    credential = models.BinaryField(unique=True, max_length=1024)
    public_key = models.BinaryField()
    count = models.BigIntegerField()
    host = models.CharField(max_length=100)
    name = models.CharField(max_length=80)
    created_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.name
