"""One row of the audit log; `brain.audit.chain` writes and checks them."""

from __future__ import annotations

from django.db import models


class Row(models.Model):
    """Who did what to which subject, and the hash that chains it to the row before; never changed, never deleted."""

    seq = models.BigAutoField(primary_key=True)
    ts = models.TextField()
    actor = models.TextField()
    action = models.TextField()
    subject = models.TextField(db_index=True)
    detail = models.TextField()
    prev = models.TextField()
    hash = models.TextField()

    class Meta:
        """Where the rows lie."""

        app_label = "audit"
        db_table = "audit_row"
        ordering = ("seq",)

    def __str__(self) -> str:
        return f"{self.seq} {self.ts} {self.actor} {self.action} {self.subject}"
