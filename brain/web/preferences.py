"""What a person sets for this browser: theme, language, single-key shortcuts; and the page for it."""

from __future__ import annotations

import platform
import sqlite3
from collections.abc import Callable
from importlib import metadata
from typing import Final

import django
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_POST, require_safe

from brain import config
from brain import language as languages
from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.web.rendering import page, wants_part

THEME_COOKIE: Final = "cabecao_theme"
LANGUAGE_COOKIE: Final = "cabecao_lang"
KEYS_COOKIE: Final = "cabecao_keys"
THEMES: Final = ("system", "light", "dark")
_YEAR: Final = 365 * 24 * 3600


def theme(request: HttpRequest) -> str:
    """Return `light` or `dark` where the person chose one, else `system`."""
    chosen = request.COOKIES.get(THEME_COOKIE, "")
    return chosen if chosen in THEMES else "system"


def language(request: HttpRequest) -> str:
    """Return the language of a page."""
    return languages.normalised(request.COOKIES.get(LANGUAGE_COOKIE)) or languages.current()


def keys(request: HttpRequest) -> str:
    """Return `off` where the person turned single-key shortcuts off, else `on`."""
    return "off" if request.COOKIES.get(KEYS_COOKIE) == "off" else "on"


@require_safe
def settings(request: HttpRequest) -> HttpResponse:
    """Show appearance, language and what this machine runs."""
    return page(request, "web/settings.html", {"machine": _machine(), "languages": languages.LANGUAGES})


@require_POST
def set_theme(request: HttpRequest) -> HttpResponse:
    """Keep a theme for this browser."""
    return _kept(request, THEME_COOKIE, "theme", THEMES.__contains__)


@require_POST
def set_language(request: HttpRequest) -> HttpResponse:
    """Keep a language for this browser."""
    return _kept(request, LANGUAGE_COOKIE, "language", languages.LANGUAGES.__contains__)


@require_POST
def set_keys(request: HttpRequest) -> HttpResponse:
    """Turn single-key shortcuts on or off for this browser."""
    return _kept(request, KEYS_COOKIE, "keys", ("on", "off").__contains__)


def _kept(request: HttpRequest, cookie: str, field: str, is_known: Callable[[str], bool]) -> HttpResponse:
    value = request.POST.get(field, "")
    if not is_known(value):
        raise InvalidArgument(_("“%(value)s” is not one of the choices.") % {"value": value[:40]})
    response = HttpResponse(status=204) if wants_part(request) else HttpResponseRedirect(_back(request))
    response.set_cookie(cookie, value, max_age=_YEAR, httponly=True, samesite="Strict")
    return response


def _back(request: HttpRequest) -> str:
    """Return the page of this server that a form came from."""
    back = request.POST.get("next", "")
    is_own = back.startswith("/") and url_has_allowed_host_and_scheme(back, allowed_hosts=None)
    return back if is_own else "/settings"


def _machine() -> list[tuple[str, str]]:
    return [
        (_("Brain"), str(config.here().root)),
        ("Cabeção", _version("cabecao")),
        ("Python", platform.python_version()),
        ("Django", django.get_version()),
        ("SQLite", sqlite3.sqlite_version),
        (_("System"), f"{platform.system()} {platform.release()}"),
    ]


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return _("from source")
