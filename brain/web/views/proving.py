"""What the person sets to prove that it is them: a password, passkeys, and what neither can keep out."""

from __future__ import annotations

from django.contrib.auth import update_session_auth_hash
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_POST

from brain.access import passkeys, password
from brain.access import person as people
from brain.caller import Caller
from brain.errors import InvalidArgument
from brain.guard import proof as guard
from brain.language import gettext as _
from brain.services import proving
from brain.web import person, proof, toasts
from brain.web.rendering import page

_PAGE = "/settings/proof"


def settings(request: HttpRequest) -> HttpResponse:
    """Show what is set; what is sent here only asks for a fresh proof, without which nothing can be set."""
    if request.method == "POST":
        guard.require(_caller(request))
        return HttpResponseRedirect(_PAGE)
    return _show(request)


@sensitive_post_parameters()
@require_POST
def set_password(request: HttpRequest) -> HttpResponse:
    """Set or change the password; other browsers have to be opened anew."""
    caller = _caller(request)
    guard.require(caller)
    text, again = request.POST.get("new_password", ""), request.POST.get("new_password_again", "")
    try:
        if text != again:
            raise InvalidArgument(_("The two passwords are not the same. Nothing was changed."))
        proving.set_password(caller, text)
    except InvalidArgument as error:
        return _show(request, wrong=error, status=400)
    _stay(request)
    toasts.say(request, _("The password is set. Other browsers have to be opened anew."))
    return HttpResponseRedirect(_PAGE)


@require_POST
def remove_password(request: HttpRequest) -> HttpResponse:
    """Take the password away."""
    proving.remove_password(_caller(request))
    _stay(request)
    toasts.say(request, _("There is no password any more."))
    return HttpResponseRedirect(_PAGE)


@require_POST
def add_passkey(request: HttpRequest) -> HttpResponse:
    """Keep the passkey that the browser made."""
    form = request.POST
    proving.add_passkey(
        _caller(request),
        proof.place_of(request),
        answer=form.get("passkey", ""),
        seal=form.get("seal", ""),
        name=form.get("name", ""),
    )
    toasts.say(request, _("The passkey is kept."))
    return HttpResponseRedirect(_PAGE)


@require_POST
def remove_passkey(request: HttpRequest) -> HttpResponse:
    """Forget a passkey."""
    identity = request.POST.get("passkey", "")
    if not identity.isascii() or not identity.isdigit() or len(identity) > 18:
        raise InvalidArgument(_("There is no such passkey. Nothing was changed."))
    proving.remove_passkey(_caller(request), int(identity))
    toasts.say(request, _("The passkey is forgotten here. Remove it in your browser or device too."))
    return HttpResponseRedirect(_PAGE)


def _show(request: HttpRequest, *, wrong: InvalidArgument | None = None, status: int = 200) -> HttpResponse:
    place, due = proof.place_of(request), person.is_proof_due(request)
    context = {
        "due": due,
        "wrong": wrong,
        "has_password": password.is_set(),
        "shortest": password.SHORTEST,
        "passkeys": passkeys.at(place),
        "can_have_passkey": place.can_have_one,
        "passkey_names": passkeys.NAMES,
        "asked": passkeys.ask_for_new(place) if place.can_have_one and not due else None,
        "crumbs": [(_("Settings"), "/settings"), (_("Password and passkeys"), "")],
    }
    return page(request, "web/settings_proof.html", context, status=status)


def _caller(request: HttpRequest) -> Caller:
    return person.caller(request)


def _stay(request: HttpRequest) -> None:
    """Keep this browser in: sessions end where the password changes."""
    update_session_auth_hash(request, people.find())
