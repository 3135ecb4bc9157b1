"""What every request passes: the machine's own names only, the person only, in one language, with its time told."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from inspect import iscoroutinefunction
from typing import Any, Final
from urllib.parse import urlsplit

from asgiref.sync import sync_to_async
from django.core.exceptions import DisallowedHost
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.utils import translation
from django.utils.decorators import sync_and_async_middleware
from django.utils.deprecation import MiddlewareMixin

from brain import language as languages
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError, HumanOnly, foreign
from brain.language import gettext as _
from brain.services import refusals
from brain.web import entrance, failures, preferences, proof

# What Django hands a middleware: the next one, which answers or promises to.
Next = Callable[[HttpRequest], Any]
Check = Callable[[HttpRequest], HttpResponseBase | None]

_SAFE: Final = frozenset({"GET", "HEAD", "OPTIONS", "TRACE"})
# Where the person decides, and whoever comes without their session: an agent, as far as anybody can tell.
_DECIDES: Final = ("/approvals/", "/attest/", "/admin/", "/api/review", "/api/attest")
_NOBODY: Final = Caller(Kind.AGENT, "http", Surface.WEB)
_FROM_ELSEWHERE: Final = frozenset({"cross-site", "same-site"})


@sync_and_async_middleware
def local_only(get_response: Next) -> Next:
    """Refuse a foreign Host before anything, and a change that another origin asks for."""
    return _checked(_refuse_foreign, get_response)


@sync_and_async_middleware
def person_only(get_response: Next) -> Next:
    """Let in those who came through a launch link; show all others the entrance."""
    return _checked(_refuse_stranger, get_response, in_thread=True)


@sync_and_async_middleware
def proof_taken(get_response: Next) -> Next:
    """Take the proof that a form brings along; ask once more where it is wrong."""
    return _checked(proof.take, get_response, in_thread=True)


@sync_and_async_middleware
def server_timing(get_response: Next) -> Next:
    """Tell in a header how long the answer took."""

    def started() -> Callable[[HttpResponseBase], HttpResponseBase]:
        start = time.perf_counter()

        def told(response: HttpResponseBase) -> HttpResponseBase:
            response["Server-Timing"] = f"app;dur={(time.perf_counter() - start) * 1000:.1f}"
            return response

        return told

    if iscoroutinefunction(get_response):

        async def later(request: HttpRequest) -> HttpResponseBase:
            told = started()
            return told(await get_response(request))

        return later

    def now(request: HttpRequest) -> HttpResponseBase:
        told = started()
        return told(get_response(request))

    return now


@sync_and_async_middleware
def language(get_response: Next) -> Next:
    """Answer in the language that the person chose, else in that of the brain."""
    if iscoroutinefunction(get_response):

        async def later(request: HttpRequest) -> HttpResponseBase:
            name = preferences.language(request)
            with languages.activate(name), translation.override(name):
                return _in_language(await get_response(request), name)

        return later

    def now(request: HttpRequest) -> HttpResponseBase:
        name = preferences.language(request)
        with languages.activate(name), translation.override(name):
            return _in_language(get_response(request), name)

    return now


class BrainErrors(MiddlewareMixin):
    """Show an error of the brain that a view let through, and a method that an address does not take."""

    def process_response(self, request: HttpRequest, response: HttpResponse) -> HttpResponse:
        """Return the answer; one of the API's that refuses the method says so in its form and our words."""
        if response.status_code != 405 or not request.path.startswith("/api/"):
            return response
        told = failures.not_allowed(request)
        told["Allow"] = response.get("Allow", "")
        return told

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Return the page or message of a BrainError; any other error goes on."""
        told = exception if isinstance(exception, BrainError) else foreign(exception)
        return failures.of_error(request, told) if told is not None else None


def _checked(check: Check, get_response: Next, *, in_thread: bool = False) -> Next:
    """Answer with what a check says, and go on where it says nothing; `in_thread` for one that reads the database."""
    if iscoroutinefunction(get_response):
        asked: Callable[[HttpRequest], Awaitable[HttpResponseBase | None]] | None
        asked = sync_to_async(check, thread_sensitive=True) if in_thread else None

        async def later(request: HttpRequest) -> HttpResponseBase:
            refusal = await asked(request) if asked else check(request)
            return await get_response(request) if refusal is None else refusal

        return later

    def now(request: HttpRequest) -> HttpResponseBase:
        refusal = check(request)
        return get_response(request) if refusal is None else refusal

    return now


def _refuse_foreign(request: HttpRequest) -> HttpResponseBase | None:
    try:
        own = f"{request.scheme}://{request.get_host()}".lower()
    except DisallowedHost:
        return _plain(400, _("This address is not one of Cabeção's. Open it with `cabecao open` in a terminal."))
    if request.method in _SAFE or not _asked_elsewhere(request, own):
        return None
    return _plain(403, _("Another page asked for this. Nothing was changed; do it on Cabeção's own page."))


def _asked_elsewhere(request: HttpRequest, own: str) -> bool:
    """Tell whether the headers that only a browser sets name another origin; the port counts."""
    origin, referer = request.headers.get("Origin"), request.headers.get("Referer")
    named = origin.lower() if origin is not None else _origin(referer) if referer is not None else own
    return named != own or request.headers.get("Sec-Fetch-Site") in _FROM_ELSEWHERE


def _origin(address: str) -> str:
    try:
        parts = urlsplit(address.lower())
    except ValueError:
        return ""
    return f"{parts.scheme}://{parts.netloc}"


def _plain(status: int, text: str) -> HttpResponse:
    headers = {"X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'"}
    return HttpResponse(text + "\n", status=status, content_type="text/plain; charset=utf-8", headers=headers)


def _refuse_stranger(request: HttpRequest) -> HttpResponseBase | None:
    if request.path == "/enter" or request.path.startswith("/static/") or entrance.is_inside(request):
        return None
    if request.method not in _SAFE:
        _record_refusal(request)  # a bearer's too: no token decides
    if not request.path.startswith("/api/"):
        return entrance.closed(request)
    # A bearer token is judged by the API itself; without one nobody is there.
    if request.headers.get("Authorization", "").lower().startswith("bearer "):
        return None
    error = {"code": "unauthorized", "message": _("Nobody is named."), "next_step": _("Send a bearer token.")}
    return JsonResponse({"error": error}, status=401, headers={"WWW-Authenticate": "Bearer"})


def _record_refusal(request: HttpRequest) -> None:
    """Add the row of the audit log of a decision that somebody without the person's session asked for."""
    if request.path.startswith(_DECIDES):
        refusals.record(_NOBODY, f"{request.method} {request.path}"[:200], HumanOnly(_("Only the person decides.")))


def _in_language(response: HttpResponseBase, name: str) -> HttpResponseBase:
    response.headers.setdefault("Content-Language", name)
    return response
