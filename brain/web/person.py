"""The person behind a page, as the services know a caller, and when they last proved that it is them."""

from __future__ import annotations

import hashlib
from datetime import datetime
from typing import Final

from django.http import HttpRequest

from brain import clock
from brain.caller import Caller, Kind, Surface
from brain.guard.proof import LIFETIME

CLIENT: Final = "web"
PROVED_AT: Final = "proved_at"


def caller(request: HttpRequest) -> Caller:
    """Return who asks on a page: a person, and which browser session."""
    proved = not is_proof_due(request)
    return Caller(kind=Kind.HUMAN, client=CLIENT, surface=Surface.WEB, connection=connection(request), proved=proved)


def connection(request: HttpRequest) -> str:
    """Return what tells a browser session from others: a digest of its key."""
    return hashlib.sha256((request.session.session_key or "").encode()).hexdigest()[:16]


def prove(request: HttpRequest) -> None:
    """Remember that the person proved just now that it is them."""
    request.session[PROVED_AT] = clock.timestamp()


def is_proof_due(request: HttpRequest) -> bool:
    """Tell whether the last proof is too old for what weighs; one that lies in the future counts as none."""
    try:
        passed = clock.now() - datetime.fromisoformat(str(request.session[PROVED_AT]))
    except (KeyError, ValueError):
        return True
    return not passed.total_seconds() >= 0 or passed > LIFETIME
