"""The app of the pages."""

from django.apps import AppConfig


class Web(AppConfig):
    """Pages, templates and static files."""

    name = "brain.web"
    label = "web"
