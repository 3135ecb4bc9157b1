"""The app of who may come in."""

from django.apps import AppConfig


class Access(AppConfig):
    """Launch links, kept in the state."""

    name = "brain.access"
    label = "access"
