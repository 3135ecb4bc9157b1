"""The person's last proof that it is them, and the page that asks for a new one without losing what was sent."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django.http import HttpRequest, HttpResponse

from brain import clock
from brain.errors import BrainError
from brain.guard.proof import LIFETIME
from brain.web.rendering import page

PROVED_AT: Final = "proved_at"
_NEVER_SENT_AGAIN: Final = "csrfmiddlewaretoken"


def record(request: HttpRequest) -> None:
    """Remember that the person proved just now that it is them."""
    request.session[PROVED_AT] = clock.timestamp()


def is_due(request: HttpRequest) -> bool:
    """Tell whether the last proof is too old for what weighs; one that lies in the future counts as none."""
    try:
        passed = clock.now() - datetime.fromisoformat(str(request.session[PROVED_AT]))
    except (KeyError, ValueError):
        return True
    return not passed.total_seconds() >= 0 or passed > LIFETIME


def asked_by(error: BrainError) -> bool:
    """Tell whether an error is that a fresh proof is wanted."""
    return error.details.get("proof") == "due"


def ask(request: HttpRequest, error: BrainError) -> HttpResponse:
    """Say how to prove it, and keep the form that was sent, to be sent once more."""
    context = {
        "message": error.message,
        "path": request.path,
        "back": back_of(request),
        "fields": list(_fields(request)),
    }
    return page(request, "web/proof.html", context, status=403)


def back_of(request: HttpRequest) -> str:
    """Return the address of the page that a form names as the one to go back to; only one of these pages."""
    back = request.POST.get("back", "")
    return back if back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable() else "/"


def _fields(request: HttpRequest) -> Iterator[tuple[str, str]]:
    for name, values in request.POST.lists():
        if name != _NEVER_SENT_AGAIN:
            yield from ((name, str(value)) for value in values)
