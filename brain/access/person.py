"""The one local person, as Django's sessions know them."""

from __future__ import annotations

from typing import Final

from django.contrib.auth.models import User

NAME: Final = "person"


def find() -> User:
    """Return the person, made at the first visit; without a password nobody can log in by name."""
    found, is_new = User.objects.get_or_create(username=NAME)
    if is_new:
        found.set_unusable_password()
        found.save(update_fields=["password"])
    return found
