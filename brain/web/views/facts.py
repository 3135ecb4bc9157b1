"""Facts: what was true of what, moved through time."""

from __future__ import annotations

from datetime import date
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain import operations
from brain.contracts.graph import FactsOutput
from brain.language import gettext as _
from brain.web import person
from brain.web.rendering import page, wants_part
from brain.web.viewmodels.facts import page as facts
from brain.web.viewmodels.facts.page import Asked

_SLIDER = "day"
_FORM = "facts-form"


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show the facts that fit, as they stand on a day; htmx gets the answer alone, and the address of it."""
    subject, predicate, object_ = (request.GET.get(name, "").strip() for name in ("subject", "predicate", "object"))
    asked = Asked(subject, predicate, object_, _day(request))
    found = cast("FactsOutput", operations.dispatch("facts", person.caller(request), asked.arguments()))
    context = {
        "facts": facts.page(asked, found),
        "is_slid": _is_slid(request),
        "is_typed": request.headers.get("HX-Trigger") == _FORM,
        "crumbs": [(_("Facts"), "")],
    }
    response = page(request, "web/facts.html", context, part="web/parts/facts_answer.html")
    if wants_part(request):
        response["HX-Replace-Url"] = asked.href
    return response


def _day(request: HttpRequest) -> str:
    """Return the day of the slider where it was moved, else that of the date field."""
    number = request.GET.get(_SLIDER, "")
    if _is_slid(request) and number.isascii() and number.isdigit() and len(number) < 8:
        return date.fromordinal(min(max(1, int(number)), date.max.toordinal())).isoformat()
    return request.GET.get("as_of", "").strip()


def _is_slid(request: HttpRequest) -> bool:
    return request.headers.get("HX-Trigger-Name") == _SLIDER
