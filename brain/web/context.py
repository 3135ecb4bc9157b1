"""What the frame of every page needs; only what waits for the person is read from a database, where a page shows it."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from brain import config
from brain.errors import BrainError, NotABrain
from brain.web import navigation, preferences
from brain.web.viewmodels.approvals import waiting
from brain.web.views import live


def frame(request: HttpRequest) -> dict[str, Any]:
    """Return navigation, theme, language and the nonce of this answer's scripts."""
    found = SimpleLazyObject(waiting.now)
    return {
        "waiting": found,
        "waiting_mark": SimpleLazyObject(lambda: live.version(waiting.now())),
        "navigation": navigation.sections(request.path),
        "theme": preferences.theme(request),
        "keys": preferences.keys(request),
        "language": preferences.language(request),
        "brain_name": _brain_name(),
        "questions_go_to": SimpleLazyObject(_questions_go_to),
        "csp_nonce": getattr(request, "csp_nonce", None),
    }


def _brain_name() -> str:
    try:
        return config.here().root.name
    except NotABrain:
        return ""


def _questions_go_to() -> str:
    from brain.services.asking import permission

    try:
        return permission.leaves_to()
    except BrainError:
        return ""
