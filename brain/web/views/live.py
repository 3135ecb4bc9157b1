"""Parts of a page that ask again every few seconds: nothing is sent while nothing changed."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

from django.http import HttpRequest, HttpResponse

from brain.web.rendering import wants_part

PARAMETER: Final = "v"
STOP_POLLING: Final = 286


def version(*shown: object) -> str:
    """Return a short mark of what a part shows; equal values of frozen dataclasses have equal marks."""
    return blake2b(repr(shown).encode(), digest_size=8).hexdigest()


def unchanged(request: HttpRequest, mark: str) -> HttpResponse | None:
    """Return the empty answer where the page that asks shows this already."""
    if wants_part(request) and request.GET.get(PARAMETER) == mark:
        return HttpResponse(status=204)
    return None
