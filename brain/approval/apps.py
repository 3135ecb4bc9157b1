"""The app's name and label."""

from __future__ import annotations

from django.apps import AppConfig


class ApprovalConfig(AppConfig):
    """What the person vouches for."""

    name = "brain.approval"
    label = "approval"
