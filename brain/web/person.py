"""The person behind a page, as the services know a caller."""

from __future__ import annotations

import hashlib
from datetime import datetime, timedelta
from typing import Final

from django.http import HttpRequest

from brain import clock
from brain.caller import Caller, Kind, Surface

CLIENT: Final = "web"
PROVED_AT: Final = "proved_at"
PROOF_HOLDS: Final = timedelta(minutes=10)


def caller(request: HttpRequest) -> Caller:
    """Return who asks on a page: a person, and which browser session by a digest of its key."""
    key = request.session.session_key or ""
    connection = hashlib.sha256(key.encode()).hexdigest()[:16]
    return Caller(
        kind=Kind.HUMAN,
        client=CLIENT,
        surface=Surface.WEB,
        connection=connection,
        proved=_is_fresh(request.session.get(PROVED_AT)),
    )


def _is_fresh(proved_at: object) -> bool:
    """Tell whether the person's last proof is young enough for what weighs; one that cannot be read is not."""
    try:
        age = clock.now() - datetime.fromisoformat(str(proved_at))
    except (TypeError, ValueError):
        return False
    return timedelta() <= age + timedelta(minutes=1) and age <= PROOF_HOLDS
