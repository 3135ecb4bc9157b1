"""The worker that belongs to a server: started beside it, started again when it dies, ended with it."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import BinaryIO, Final

from brain.config import Brain

MOST_STARTS: Final = 3  # within WINDOW_SECONDS
WINDOW_SECONDS: Final = 60.0
GRACE_SECONDS: Final = 10.0
_LOG_BYTES: Final = 1_000_000
_log = logging.getLogger(__name__)


def python(*arguments: str) -> list[str]:
    """Return the command of this Python that takes no module from the working directory."""
    return [sys.executable, "-P", *arguments]


def environment() -> dict[str, str]:
    """Return this process's environment, with the folder that this very package was imported from."""
    here = str(Path(__file__).resolve().parents[1])
    paths = [here, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(dict.fromkeys(paths))}


def worker_command(brain: Brain) -> list[str]:
    """Return the command of a worker that ends when this process does, however it ends."""
    return python("-m", "cabecao_site.worker", "--brain", str(brain.root), "--parent", str(os.getpid()))


class Supervisor:
    """Keeps one child running until it is stopped."""

    def __init__(self, command: Sequence[str], log: Path) -> None:
        self._command = list(command)
        self._log_file = log
        self._stopping = threading.Event()
        self._starts: deque[float] = deque(maxlen=MOST_STARTS)
        self._process: subprocess.Popen[bytes] | None = None
        self._thread = threading.Thread(target=self._keep, name="supervisor", daemon=True)

    @property
    def pid(self) -> int | None:
        """The child's process number, None while none runs."""
        process = self._process
        return process.pid if process and process.poll() is None else None

    def start(self) -> None:
        """Start the child and the thread that looks after it."""
        self._thread.start()

    def stop(self) -> None:
        """End the child: ask it to, and kill it when it does not."""
        self._stopping.set()
        process = self._process
        if process and process.poll() is None:
            process.terminate()
            try:
                process.wait(GRACE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if self._thread.ident is not None:
            self._thread.join(GRACE_SECONDS)

    def _keep(self) -> None:
        while not self._stopping.wait(self._pause()):
            self._starts.append(monotonic())
            with self._open_log() as log:
                self._process = process = subprocess.Popen(
                    self._command,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    env=environment(),
                    start_new_session=True,
                )
            if self._stopping.is_set():
                process.terminate()
            code = process.wait()
            if not self._stopping.is_set():
                _log.warning("the worker ended with %s; it is started again", code)

    def _pause(self) -> float:
        """Return how long to wait before the next start, so that a child that always fails doesn't spin."""
        if len(self._starts) < MOST_STARTS:
            return 0.0
        return max(0.0, self._starts[0] + WINDOW_SECONDS - monotonic())

    def _open_log(self) -> BinaryIO:
        self._log_file.parent.mkdir(parents=True, exist_ok=True)
        with suppress(OSError):
            if self._log_file.stat().st_size > _LOG_BYTES:
                self._log_file.replace(self._log_file.with_suffix(".log.1"))
        return self._log_file.open("ab")
