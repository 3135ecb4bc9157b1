"""The person behind a page, as the services know a caller."""

from __future__ import annotations

import hashlib
from typing import Final

from django.http import HttpRequest

from brain.caller import Caller, Kind, Surface
from brain.web import proof

CLIENT: Final = "web"


def caller(request: HttpRequest) -> Caller:
    """Return who asks on a page: a person, and which browser session by a digest of its key."""
    key = request.session.session_key or ""
    connection = hashlib.sha256(key.encode()).hexdigest()[:16]
    proved = not proof.is_due(request)
    return Caller(kind=Kind.HUMAN, client=CLIENT, surface=Surface.WEB, connection=connection, proved=proved)
