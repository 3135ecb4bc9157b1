"""The person's password: kept by Django's hashers, asked for where something weighs; it opens no page by itself."""

from __future__ import annotations

import unicodedata
from typing import Final

from django.contrib.auth.password_validation import CommonPasswordValidator
from django.core.exceptions import ValidationError

from brain.access import guesses, person
from brain.errors import InvalidArgument
from brain.language import gettext as _

SHORTEST: Final = 10
LONGEST: Final = 1000


def is_set() -> bool:
    """Tell whether there is one."""
    return person.find().has_usable_password()


def set_to(text: str) -> None:
    """Make a text the password; InvalidArgument where it would not do."""
    plain = _normal(text)
    if not SHORTEST <= len(plain) <= LONGEST:
        raise InvalidArgument(
            _("A password has at least %(count)d characters. Nothing was changed.") % {"count": SHORTEST},
            next_step=_("Take a longer one: a few words are easier to remember than signs."),
        )
    try:
        CommonPasswordValidator().validate(plain)
    except ValidationError as error:
        raise InvalidArgument(
            _("This password is among the most used ones. Nothing was changed."),
            next_step=_("Take another one: a few words that do not belong together."),
        ) from error
    found = person.find()
    found.set_password(plain)
    found.save(update_fields=["password"])
    guesses.forget()


def remove() -> None:
    """Leave the person without a password: the launch link and the passkeys remain."""
    found = person.find()
    found.set_unusable_password()
    found.save(update_fields=["password"])
    guesses.forget()


def is_right(text: str) -> bool:
    """Tell whether a text is the password; the caller counts the tries."""
    return len(text) <= LONGEST and person.find().check_password(_normal(text))


def _normal(text: str) -> str:
    """Return a text as the same password typed on another keyboard would be."""
    return unicodedata.normalize("NFKC", text)
