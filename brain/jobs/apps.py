"""The app of background jobs."""

from django.apps import AppConfig


class JobsConfig(AppConfig):
    """Jobs and the workers that carry them."""

    name = "brain.jobs"
    label = "jobs"
