"""Keeping the index as new as the tree with nobody reading: in the background of each process that lives long.

What the kernel tells is taken in once it has been quiet for a moment. Where the kernel does not tell of every change
the tree is looked at, so seldom that it costs next to nothing.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Final

from brain.store.watch import Reason, Watch, Way

QUIET_SECONDS: Final = 0.15  # an editor's save is several events
_AGAIN_SECONDS: Final = 0.25  # where something is left: a file half written, a process that is faster
_LOOK_SECONDS: Final = {Way.POLL: 1.0, Way.BOTH: 10.0}
_SHARE: Final = 50  # looking takes a fiftieth of the time at most
_IDLE_SECONDS: Final = 3600.0

TakeIn = Callable[[bool], bool]


def follow(watch: Watch, stopped: threading.Event, take_in: TakeIn) -> None:
    """Take changes in until stopped; `take_in(look)` hears or looks at the whole tree, and tells whether all is in."""
    looked, cost, is_left = time.monotonic(), 0.0, False
    while not stopped.is_set():
        due = looked + _pause(watch, cost)
        heard = watch.wait(_AGAIN_SECONDS if is_left else max(0.0, due - time.monotonic()))
        is_time = time.monotonic() >= due
        if not (heard or is_time or is_left) or stopped.wait(QUIET_SECONDS if heard else 0.0):
            continue
        began = time.monotonic()
        is_left = not take_in(is_time)
        if is_time and not is_left:
            looked, cost = time.monotonic(), time.monotonic() - began


def _pause(watch: Watch, cost: float) -> float:
    """Return how long after one look the next one comes: never where the kernel tells of all."""
    if watch.manner.way is Way.EVENTS:
        return _IDLE_SECONDS
    least = 1.0 if watch.manner.reason is Reason.LIMIT else _LOOK_SECONDS[watch.manner.way]
    return max(least, _SHARE * cost)
