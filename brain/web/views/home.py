"""Home, and the line that says how the brain is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain import operations
from brain.contracts.approvals import ReviewOutput
from brain.errors import BrainError
from brain.language import gettext as _
from brain.web import person
from brain.web.rendering import page, wants_part
from brain.web.viewmodels import health as health_line
from brain.web.viewmodels import home
from brain.web.viewmodels.approvals import queue
from brain.web.viewmodels.approvals.queue import Queue
from brain.web.views import live

_LONGEST_TASK = 400


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the briefing of a scope and the last operations; htmx asks for either alone."""
    if wants_part(request) and request.GET.get("part") in _PARTS:
        return _PARTS[request.GET["part"]](request)
    scope, task = request.GET.get("scope", ""), request.GET.get("task", "").strip()[:_LONGEST_TASK]
    shown = home.page(person.caller(request), scope=scope, task=task)
    context = {**_context(shown), "queue": _waiting(request)}
    return page(request, "web/home.html", context, part="web/parts/briefing.html")


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


def _waiting(request: HttpRequest) -> Queue:
    """Return what waits for the person; nothing where it cannot be read, which its own page says."""
    try:
        found = operations.dispatch("review", person.caller(request), {})
    except BrainError:
        return queue.of(())
    return queue.of(cast("ReviewOutput", found).waiting)


def _waiting_alone(request: HttpRequest) -> HttpResponse:
    return page(request, "web/parts/home_waiting.html", {"queue": _waiting(request)})


def _last(request: HttpRequest) -> HttpResponse:
    """Return the last operations; a page that asks again gets nothing while nothing was done."""
    found = home.last_operations()
    mark = live.version(found)
    if (nothing := live.unchanged(request, mark)) is not None:
        return nothing
    return page(request, "web/parts/last_operations.html", {"operations": found, "operations_mark": mark})


_PARTS: Final[Mapping[str, Callable[[HttpRequest], HttpResponse]]] = {"last": _last, "waiting": _waiting_alone}
