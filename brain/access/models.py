"""What lets a person in: links that a terminal prints."""

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
