"""Notes: the list."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from brain.index import refresh
from brain.language import gettext as _
from brain.web.rendering import page
from brain.web.viewmodels import listing


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Show a page of the list, narrowed and sorted as the address says."""
    freshness = refresh.catch_up()
    shown = listing.page(listing.wanted(request.GET.dict()))
    context = {"notes": shown, "pages": shown.pages, "warning": freshness.warning, "crumbs": [(_("Notes"), "")]}
    return page(request, "web/notes.html", context)
