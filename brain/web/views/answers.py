"""Answers in the settings: what is turned on, where it goes, and the button that turns it off."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.http import require_POST, require_safe

from brain.language import gettext as _
from brain.services.asking import standing
from brain.web import person, toasts
from brain.web.rendering import page

_PAGE = "/settings/answers"


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show how answers stand; turning them on is for the terminal."""
    context = {
        "standing": standing.now(person.caller(request)),
        "machine": standing.on_page(),
        "policy": standing.policy(),
        "crumbs": [(_("Settings"), "/settings"), (_("Answers"), "")],
    }
    return page(request, "web/settings_answers.html", context)


@require_POST
def turn_off(request: HttpRequest) -> HttpResponse:
    """Let nothing leave any more."""
    was_on = standing.turn_off(person.caller(request))
    toasts.say(request, _("Answers are off: nothing leaves any more.") if was_on else _("Answers were off already."))
    return HttpResponseRedirect(_PAGE)
