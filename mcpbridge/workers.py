"""The threads that operations run in: four for reads, one for writes, so that writes go one at a time and in order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, Final, TypeVar

READERS: Final = 4

Result = TypeVar("Result")


class Workers:
    """Threads that keep their database connections, and what they are doing."""

    def __init__(self) -> None:
        self._readers = ThreadPoolExecutor(READERS, thread_name_prefix="read")
        self._writer = ThreadPoolExecutor(1, thread_name_prefix="write")
        self._open: set[Future[Any]] = set()

    @property
    def is_idle(self) -> bool:
        """Tell whether nothing runs or waits to run."""
        return not self._open

    async def run(self, work: Callable[[], Result], *, writes: bool) -> Result:
        """Return what the work returns. Cancelled, work that has not begun never does; what has begun goes on."""
        future = (self._writer if writes else self._readers).submit(work)
        self._open.add(future)
        future.add_done_callback(self._open.discard)
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Take no more work and drop what has not begun."""
        self._readers.shutdown(wait=False, cancel_futures=True)
        self._writer.shutdown(wait=False, cancel_futures=True)
