"""The threads that operations run in: four for reads, one for writes, so that writes go one at a time and in order.

What waits for another machine has threads of its own, so that no read waits behind it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

READERS: Final = 4
ASKERS: Final = 4

Result = TypeVar("Result")


class Workers:
    """Threads that keep their database connections, and what they are doing."""

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="write")
        self._askers = ThreadPoolExecutor(ASKERS, thread_name_prefix="ask")
        self._open: set[Future[Any]] = set()

    @property
    def is_idle(self) -> bool:
        """Tell whether nothing runs or waits to run."""
        return not self._open

    async def run(self, work: Callable[[], Result], *, writes: bool, waits: bool = False) -> Result:
        """Return what the work returns. Cancelled, work that has not begun never does; what has begun goes on."""
        threads = self._writer if writes else self._askers if waits else self._readers
        future = threads.submit(work)
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Take no more work and drop what has not begun."""
        for threads in (self._readers, self._writer, self._askers):
            threads.shutdown(wait=False, cancel_futures=True)
