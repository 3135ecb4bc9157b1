"""The door: a launch link from the terminal opens a session; without one there is only the entrance page."""

from __future__ import annotations

from typing import Final

from django.conf import settings
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from brain.access import launch
from brain.access import person as people
from brain.web import person
from brain.web.rendering import page

_BACKEND: Final = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_GET
def enter(request: HttpRequest) -> HttpResponse:
    """Let the bearer of an unused link in; a link used before still leads home whoever is inside already."""
    if launch.use(request.GET.get("c", "")):
        _let_in(request)
    elif not is_inside(request):
        return closed(request)
    return HttpResponseRedirect("/")


def is_inside(request: HttpRequest) -> bool:
    """Tell whether the person's session asks; whoever sends no cookie costs no look-up."""
    return settings.SESSION_COOKIE_NAME in request.COOKIES and request.user.is_authenticated


def closed(request: HttpRequest) -> HttpResponse:
    """Show how to get in, and nothing of the brain."""
    return page(request, "web/entrance.html", part="web/parts/closed.html", status=403)


def _let_in(request: HttpRequest) -> None:
    """Open a session, or renew the one that is open: forms that are open in other tabs stay good."""
    if not is_inside(request):
        login(request, people.find(), backend=_BACKEND)
    request.session.cycle_key()
    person.prove(request)
