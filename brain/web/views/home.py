"""Home, and the line that says how the brain is."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain.language import gettext as _
from brain.web import person
from brain.web.rendering import page, wants_part
from brain.web.viewmodels import health as health_line
from brain.web.viewmodels import home
from brain.web.views import live

_LONGEST_TASK = 400


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the briefing of a scope and the last operations; htmx asks for either alone."""
    if wants_part(request) and request.GET.get("part") == "last":
        return _last(request)
    scope, task = request.GET.get("scope", ""), request.GET.get("task", "").strip()[:_LONGEST_TASK]
    shown = home.page(person.caller(request), scope=scope, task=task)
    return page(request, "web/home.html", _context(shown), part="web/parts/briefing.html")


@require_safe
def health(request: HttpRequest) -> HttpResponse:
    """Show how the brain is; a page that asks again gets nothing while nothing changed."""
    found = health_line.of_brain(person.caller(request))
    mark = live.version(found)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    context = {"health": found, "health_mark": mark, "crumbs": [(_("Home"), "/"), (_("Health"), "")]}
    return page(request, "web/health.html", context, part="web/parts/health.html")


def _context(shown: home.HomePage) -> dict[str, object]:
    return {
        "home": shown,
        "briefing": shown.briefing,
        "operations": shown.operations,
        "operations_mark": live.version(shown.operations),
        "crumbs": [(_("Home"), "")],
    }


def _last(request: HttpRequest) -> HttpResponse:
    """Return the last operations; a page that asks again gets nothing while nothing was done."""
    found = home.last_operations()
    mark = live.version(found)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    return page(request, "web/parts/last_operations.html", {"operations": found, "operations_mark": mark})
