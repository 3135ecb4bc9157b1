"""What the frame of every page needs; reads no database."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from brain import config
from brain.errors import NotABrain
from brain.web import navigation, preferences


def frame(request: HttpRequest) -> dict[str, Any]:
    """Return navigation, theme, language and the nonce of this answer's scripts."""
    return {
        "navigation": navigation.sections(request.path),
        "theme": preferences.theme(request),
        "keys": preferences.keys(request),
        "language": preferences.language(request),
        "brain_name": _brain_name(),
        "csp_nonce": getattr(request, "csp_nonce", None),
    }


def _brain_name() -> str:
    try:
        return config.here().root.name
    except NotABrain:
        return ""
