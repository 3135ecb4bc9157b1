"""The person's last proof that it is them, and the page that asks for a new one without losing what was sent.

The form of that page brings the proof along with what was sent before: one request proves it and goes on.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from django.http import HttpRequest, HttpResponse

from brain.access import passkeys, password
from brain.access.passkeys import Place
from brain.errors import BrainError, HumanOnly
from brain.language import gettext as _
from brain.services import proving
from brain.web import entrance, person
from brain.web.rendering import page

PASSWORD: Final = "proof_password"  # noqa: S105 (a field's name)
PASSKEY: Final = "proof_passkey"
SEAL: Final = "proof_seal"
# What no page repeats.
_NEVER_SENT_AGAIN: Final = frozenset(
    {"csrfmiddlewaretoken", PASSWORD, PASSKEY, SEAL, "new_password", "new_password_again"}
)


def asked_by(error: BrainError) -> bool:
    """Tell whether an error is that a fresh proof is wanted."""
    return error.details.get("proof") == "due"


def ask(request: HttpRequest, error: BrainError, *, wrong: str = "") -> HttpResponse:
    """Say how to prove it, and keep the form that was sent, to be sent once more."""
    place = place_of(request)
    context = {
        "message": error.message,
        "wrong": wrong,
        "path": request.path,
        "back": back_of(request),
        "fields": list(_fields(request)),
        "has_password": password.is_set(),
        "passkey": passkeys.ask_for_one_of(place),
    }
    return page(request, "web/proof.html", context, status=403)


def take(request: HttpRequest) -> HttpResponse | None:
    """Look at the proof that a form brings along; the page that asks for it once more where it is wrong."""
    if request.method != "POST" or request.path.startswith("/api/") or not entrance.is_inside(request):
        return None
    given, answer = request.POST.get(PASSWORD, ""), request.POST.get(PASSKEY, "")
    if not given and not answer:
        return None
    try:
        if given:
            proving.by_password(person.caller(request), given)
        else:
            seal = request.POST.get(SEAL, "")
            proving.by_passkey(person.caller(request), place_of(request), answer=answer, seal=seal)
    except HumanOnly as error:
        due = HumanOnly(_("This takes a fresh proof. Nothing was changed."))
        return ask(request, due, wrong=error.message)
    person.prove(request)
    return None


def place_of(request: HttpRequest) -> Place:
    """Return where a page is served, as passkeys know it."""
    host = request.get_host()
    return Place(f"{request.scheme}://{host}", host.partition(":")[0].lower(), person.connection(request))


def back_of(request: HttpRequest) -> str:
    """Return the address of the page that a form names as the one to go back to; only one of these pages."""
    back = request.POST.get("back", "")
    return back if back.startswith("/") and not back.startswith(("//", "/\\")) and back.isprintable() else "/"


def _fields(request: HttpRequest) -> Iterator[tuple[str, str]]:
    for name, values in request.POST.lists():
        if name not in _NEVER_SENT_AGAIN:
            yield from ((name, str(value)) for value in values)
