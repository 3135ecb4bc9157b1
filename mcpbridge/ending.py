"""How a server process ends: with its client, whatever still runs in it.

Standard library only. The client is gone when its pipe closes, when it asks to terminate, or when its process is no
longer this one's parent. From then on a running write has a few seconds; after them the process ends in any case.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from queue import SimpleQueue
from typing import Final

PATIENCE: Final = 3.6  # seconds that what runs may take to finish
CHILDREN: Final = 0.6  # seconds between asking a child to end and making it
_LOOK_AT_PARENT: Final = 1.0
TERMINATED: Final = 128 + 15


class Ending:
    """The end of this process: whether it has begun, and what happens then."""

    def __init__(self) -> None:
        self.gone = threading.Event()
        self.code = 0
        self._lock = threading.Lock()
        self._steps: list[Callable[[], None]] = []

    def begin(self, code: int = 0) -> None:
        """Begin the end, once; from any thread."""
        with self._lock:
            if self.gone.is_set():
                return
            self.gone.set()
            self.code = code
            steps = list(self._steps)
        threading.Thread(target=self._insist, name="ending", daemon=True).start()
        for step in steps:
            step()

    def then(self, step: Callable[[], None]) -> None:
        """Do something when the end begins, at once where it has."""
        with self._lock:
            self._steps.append(step)
            begun = self.gone.is_set()
        if begun:
            step()

    def watch(self) -> None:
        """Begin the end at SIGTERM and when the parent process is another."""
        # A signal interrupts the main thread anywhere, also where it holds a lock, so its handler may take none.
        told: SimpleQueue[None] = SimpleQueue()
        threading.Thread(target=self._end_when, args=(told,), name="terminated", daemon=True).start()
        signal.signal(signal.SIGTERM, lambda *_: told.put(None))
        if sys.platform != "win32":
            threading.Thread(target=self._watch_parent, args=(os.getppid(),), name="parent", daemon=True).start()

    def _end_when(self, told: SimpleQueue[None]) -> None:
        told.get()
        self.begin(TERMINATED)

    def _watch_parent(self, parent: int) -> None:
        while not self.gone.wait(_LOOK_AT_PARENT):
            if os.getppid() != parent:
                self.begin()

    def _insist(self) -> None:
        time.sleep(PATIENCE)
        self.leave()

    def leave(self) -> None:
        """End the process now, and its children before it."""
        with contextlib.suppress(Exception):
            end_children()
        with contextlib.suppress(Exception):
            sys.stderr.flush()
        os._exit(self.code)


def end_children() -> None:
    """End every process that this one started: asked first, so that each can put its own things away."""
    import psutil

    children = psutil.Process().children(recursive=True)
    for child in children:
        with contextlib.suppress(psutil.Error):
            child.terminate()
    for child in psutil.wait_procs(children, timeout=CHILDREN)[1]:
        with contextlib.suppress(psutil.Error):
            child.kill()
