"""The notes that a link being typed may mean."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.http import require_safe

from brain.index import refresh
from brain.web.viewmodels.editing import completion

_LONGEST = 100


@require_safe
def show(request: HttpRequest) -> HttpResponse:
    """Return up to ten notes whose name begins as the address says, for the note that the link stands in."""
    refresh.catch_up()
    found = completion.of(request.GET.get("q", "")[:_LONGEST], near=request.GET.get("near") or None)
    return JsonResponse({"names": found}, headers={"Cache-Control": "private, no-store"})
