"""One-time links into the pages: made in a terminal, used once within five minutes."""

from __future__ import annotations

import hashlib
import secrets
from datetime import timedelta
from typing import Final

from brain import clock
from brain.access.models import LaunchLink

LIFETIME: Final = timedelta(minutes=5)
_KEPT: Final = timedelta(days=1)
# Cookies ignore ports, so the name of its own comes first: any other server on 127.0.0.1 would be handed the session.
NAMES: Final = ("cabecao.localhost", "127.0.0.1")


def create() -> str:
    """Return the secret of a new link; the database keeps its digest alone.

    Letters and digits only: a terminal takes a sign such as `_` at the end of a link for the end of the sentence.
    """
    now, code = clock.now(), secrets.token_hex(32)
    LaunchLink.objects.filter(expires_at__lt=now - _KEPT).delete()
    LaunchLink.objects.create(digest=_digest(code), created_at=now, expires_at=now + LIFETIME)
    return code


def use(code: str) -> bool:
    """Tell whether a secret opens the pages; of those who come with it, one is let in."""
    now = clock.now()
    link = LaunchLink.objects.filter(digest=_digest(code), used_at__isnull=True, expires_at__gt=now)
    return link.update(used_at=now) == 1


def addresses(port: int, code: str) -> tuple[str, str]:
    """Return the link under the server's own name and under its number."""
    own, number = (f"http://{name}:{port}/enter?c={code}" for name in NAMES)
    return own, number


def _digest(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()
