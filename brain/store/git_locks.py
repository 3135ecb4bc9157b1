"""Lock files that Git leaves behind: waited for while somebody works, taken away only when nobody does.

A lock is never judged by its age. It goes only when no Git process works in that repository, and the recovery is said.
"""

from __future__ import annotations

import contextlib
import logging
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from brain.store.git import Ran

if TYPE_CHECKING:
    from brain.store.repository import Repository

logger = logging.getLogger(__name__)

WAIT_SECONDS: Final = 10.0
_PAUSE_SECONDS: Final = 0.05
_LOCK: Final = re.compile(r"(?:Unable to create|cannot lock ref|Unable to write).*?'(?P<file>[^']+\.lock)'")


def named_in(said: str) -> Path | None:
    """Return the lock file that Git's words name."""
    found = _LOCK.search(said)
    return Path(found["file"]) if found else None


def retrying(repository: Repository, attempt: Callable[[], Ran]) -> Ran:
    """Run a Git command until no lock file stands in its way, the wait is over, or the lock is found dead."""
    ends = time.monotonic() + WAIT_SECONDS
    while True:
        ran = attempt()
        lock = named_in(ran.err) if ran.code != 0 else None
        if lock is None or time.monotonic() > ends:
            return ran
        if _is_dead(repository, lock):
            _take_away(repository, lock)
        else:
            time.sleep(_PAUSE_SECONDS)


def sweep(repository: Repository) -> None:
    """Take away the lock files of Git that a process left when it died, where none works there now."""
    places = (repository.git_folder / "index.lock", repository.git_folder / "HEAD.lock")
    heads = (repository.common_folder / "refs" / "heads").rglob("*.lock")
    for lock in [*places, *heads]:
        if _is_dead(repository, lock):
            _take_away(repository, lock)


def _is_dead(repository: Repository, lock: Path) -> bool:
    inside = any(lock.is_relative_to(folder) for folder in (repository.git_folder, repository.common_folder))
    return inside and lock.exists() and not worked_on(repository.root)


def worked_on(root: Path) -> bool:
    """Tell whether a Git process works in a folder; one that cannot be looked at counts as working there."""
    import psutil

    for process in psutil.process_iter(["name"]):
        if not (process.info["name"] or "").startswith("git"):
            continue
        try:
            here = Path(process.cwd()).is_relative_to(root.resolve())
            if here and "cat-file" not in process.cmdline():
                return True
        except psutil.NoSuchProcess:
            continue
        except (psutil.AccessDenied, OSError):
            return True
    return False


def _take_away(repository: Repository, lock: Path) -> None:
    with contextlib.suppress(OSError):
        lock.unlink()
    logger.warning("a lock file that no process held was taken away: %s", lock.name)
    repository.recovered.append(lock.name)
