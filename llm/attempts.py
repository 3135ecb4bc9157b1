"""The requests of one question: how many there may be, until when, and one handle to cancel whichever runs."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from typing import Final

from llm.failure import Code, Failure

REQUESTS: Final = 3


class Attempts:
    """Counts the requests of one question, over its retries, its repair and its providers.

    `seconds` is the time for all of them together. `used` is how many went out: while it is 0, the question has cost
    nothing. `cancel` may be called from any thread and ends the request that runs.
    """

    def __init__(self, *, seconds: float, limit: int = REQUESTS) -> None:
        self.deadline = time.monotonic() + seconds
        self.limit = limit
        self.used = 0
        self._cancelled = threading.Event()
        self._lock = threading.Lock()
        self._stop: Callable[[], object] | None = None

    @property
    def left(self) -> int:
        """How many more there may be."""
        return self.limit - self.used

    @property
    def remaining(self) -> float:
        """The seconds until the deadline, at least 0."""
        return max(0.0, self.deadline - time.monotonic())

    @property
    def is_cancelled(self) -> bool:
        """Tell whether whoever asked has gone."""
        return self._cancelled.is_set()

    def take(self) -> None:
        """Count a request that is about to go out; Failure where there may be none."""
        self.check()
        if self.left <= 0:
            raise Failure(Code.SPENT)
        self.used += 1

    def give_back(self) -> None:
        """Count the last request no more: it did not go out."""
        self.used -= 1

    def check(self) -> None:
        """Raise Failure where the question was cancelled or its time is over."""
        if self.is_cancelled:
            raise Failure(Code.CANCELLED)
        if self.remaining <= 0:
            raise Failure(Code.TIMEOUT)

    def wait(self, seconds: float) -> None:
        """Wait before the next request; Failure where the time would be over by then, or the question is cancelled."""
        if seconds >= self.remaining:
            raise Failure(Code.TIMEOUT)
        self._cancelled.wait(seconds)
        self.check()

    def cancel(self) -> None:
        """End the request that runs, and let none follow."""
        self._cancelled.set()
        with self._lock:
            stop = self._stop
        if stop is not None:
            stop()

    @contextlib.contextmanager
    def watched(self, stop: Callable[[], object]) -> Iterator[None]:
        """Call `stop`, from another thread, when the question is cancelled or its time is over within the block."""
        timer = threading.Timer(self.remaining, stop)
        timer.daemon = True
        with self._lock:
            self._stop = stop
        timer.start()
        try:
            if self.is_cancelled:
                stop()
            yield
        finally:
            timer.cancel()
            with self._lock:
                self._stop = None
