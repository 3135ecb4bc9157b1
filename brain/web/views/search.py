"""Search, as one types or by a plain form, and why each hit stands where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import cast

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain import operations
from brain.contracts.reads import SearchOutput
from brain.language import gettext as _
from brain.web import person
from brain.web.rendering import page, wants_part
from brain.web.viewmodels import results
from brain.web.viewmodels.results import Asked


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show what a search finds; htmx gets the answer alone, and the address of it."""
    asked = _asked(request)
    caller = person.caller(request)

    def ask(arguments: Mapping[str, object]) -> SearchOutput:
        return cast("SearchOutput", operations.dispatch("search", caller, arguments))

    context = {
        "asked": asked,
        "results": results.of_search(asked, ask) if asked.query else None,
        "crumbs": [(_("Search"), "")],
    }
    response = page(request, "web/search.html", context, part="web/parts/search_answer.html")
    if wants_part(request):
        response["HX-Replace-Url"] = asked.href
    return response


def _asked(request: HttpRequest) -> Asked:
    query, kind, scope, day = (request.GET.get(name, "").strip() for name in ("q", "type", "scope", "as_of"))
    opened = request.GET.get("open", "")
    is_place = opened.isascii() and opened.isdigit() and len(opened) < 4
    is_explained = bool(request.GET.get("explain"))
    return Asked(query, kind, scope, day, is_explained, int(opened) if is_place and is_explained else 0)
