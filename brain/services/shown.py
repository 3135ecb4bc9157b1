"""Which version of a note a connection was shown, so that it cannot overwrite one that it has not seen."""

from __future__ import annotations

from collections import OrderedDict
from typing import Final

from brain.caller import Caller
from brain.store.journal import digest

_MOST: Final = 20_000
_seen: OrderedDict[tuple[str, str], str | None] = OrderedDict()


def remember(caller: Caller, path: str, content: bytes) -> None:
    """Note that a caller was shown a note whole, in this version."""
    _keep(caller, path, digest(content))


def _keep(caller: Caller, path: str, version: str | None) -> None:
    if caller.connection:
        _seen[(caller.connection, path)] = version
        _seen.move_to_end((caller.connection, path))
        while len(_seen) > _MOST:
            _seen.popitem(last=False)


def glimpse(caller: Caller, path: str, version: str) -> None:
    """Note that a caller was shown a piece of a note: it counts only where no version of it was shown before.

    `version` is the digest of the file that the piece is from.
    """
    if (caller.connection, path) not in _seen:
        _keep(caller, path, version)


def is_stale(caller: Caller, path: str, content: bytes) -> bool:
    """Tell whether the caller was shown another version than this."""
    known = _seen.get((caller.connection, path)) if caller.connection else None
    return known is not None and known != digest(content)
