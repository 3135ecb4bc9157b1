"""The one lock above Git and the databases: the operating system holds it, so a dead process's lock frees itself."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout

from brain.config import MACHINE_FOLDER
from brain.errors import BrainError, Locked, of_machine, reason_of
from brain.language import gettext as _

WAIT_SECONDS: Final = 30.0
_POLL_SECONDS: Final = 0.004


@contextmanager
def write_lock(root: Path, *, gone: threading.Event | None = None, seconds: float = WAIT_SECONDS) -> Iterator[None]:
    """Hold the brain's write lock; Locked when another process keeps it too long, or the caller went away."""
    try:
        lock = _file_lock(root)
        lock.acquire(timeout=seconds, poll_interval=_POLL_SECONDS, cancel_check=gone.is_set if gone else None)
    except Timeout:
        raise Locked(
            _("Another process has been writing to this brain for over %(seconds)d seconds. Nothing was changed.")
            % {"seconds": seconds}
        ) from None
    except OSError as error:
        raise _unopened(error) from error
    try:
        yield
    finally:
        lock.release()


def is_held(root: Path) -> bool:
    """Tell whether some process writes just now."""
    lock = _file_lock(root)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def _unopened(error: OSError) -> BrainError:
    return of_machine(error) or Locked(
        _("The lock file in %(folder)s cannot be opened: %(reason)s. Nothing was changed.")
        % {"folder": MACHINE_FOLDER, "reason": reason_of(error)},
        next_step=_("Check the permissions of the folder and try again."),
    )


def _file_lock(root: Path) -> FileLock:
    folder = root / MACHINE_FOLDER
    folder.mkdir(exist_ok=True)
    return FileLock(folder / "lock", thread_local=False, fallback_to_soft=False, preserve_lock_file=True)
