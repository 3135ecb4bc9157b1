"""The audit log as a Django app."""

from __future__ import annotations

from django.apps import AppConfig


class AuditConfig(AppConfig):
    """The app whose one table lies in the `audit` database."""

    name = "brain.audit"
    label = "audit"
    default_auto_field = "django.db.models.BigAutoField"
