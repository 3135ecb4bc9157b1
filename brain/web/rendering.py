"""How a view answers: a whole page, or the part of it that htmx asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import patch_cache_control, patch_vary_headers
from django_htmx.middleware import HtmxDetails


class PageRequest(HttpRequest):
    """A request that went through the middleware of the pages."""

    htmx: HtmxDetails


def page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any] | None = None,
    *,
    part: str | None = None,
    status: int = 200,
) -> HttpResponse:
    """Render a page, or its part (a template that the page includes) where htmx asked and not for its history."""
    name = part if part is not None and wants_part(request) else template
    response = render(request, name, dict(context or {}), status=status)
    patch_vary_headers(response, ["HX-Request"])
    patch_cache_control(response, private=True, no_cache=True)
    return response


def wants_part(request: HttpRequest) -> bool:
    """Tell whether htmx asks for a part of a page."""
    htmx = getattr(request, "htmx", None)
    return bool(htmx) and not getattr(htmx, "history_restore_request", False)
