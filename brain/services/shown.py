"""Which version of a note a connection was shown, so that it cannot overwrite one that it has not seen."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from typing import Final

from brain.caller import Caller

_MOST: Final = 20_000
_seen: OrderedDict[tuple[str, str], str] = OrderedDict()
_guard = threading.Lock()


def digest(content: bytes) -> str:
    """Return the digest that tells one version of a file from another, as the index has it."""
    return hashlib.sha256(content).hexdigest()


def remember(caller: Caller, path: str, content: bytes) -> None:
    """Note that a caller was shown a note whole, with this content of its file."""
    remember_version(caller, path, digest(content))


def remember_version(caller: Caller, path: str, version: str) -> None:
    """Note that a caller was shown a note whole; `version` is the digest of its file."""
    _keep(caller, path, version, anew=True)


def glimpse(caller: Caller, path: str, version: str) -> None:
    """Note that a caller was shown a piece of a note: it counts only where no version of it was shown before.

    `version` is the digest of the file that the piece is from.
    """
    _keep(caller, path, version, anew=False)


def is_stale(caller: Caller, path: str, content: bytes) -> bool:
    """Tell whether the caller was shown another version than this."""
    with _guard:
        known = _seen.get((caller.connection, path)) if caller.connection else None
    return known is not None and known != digest(content)


def is_known(caller: Caller, path: str, content: bytes) -> bool:
    """Tell whether this is the version that the caller was shown last."""
    with _guard:
        return bool(caller.connection) and _seen.get((caller.connection, path)) == digest(content)


def latest(caller: Caller, most: int) -> list[str]:
    """Return the notes that a caller was shown, the last first."""
    with _guard:
        return [path for connection, path in reversed(_seen) if connection == caller.connection][:most]


def _keep(caller: Caller, path: str, version: str, *, anew: bool) -> None:
    if not caller.connection:
        return
    key = (caller.connection, path)
    with _guard:
        if not anew and key in _seen:
            return
        _seen[key] = version
        _seen.move_to_end(key)
        while len(_seen) > _MOST:
            _seen.popitem(last=False)
