"""Lock files that Git leaves behind: waited for while somebody works, taken away only when nobody does.

A lock is never judged by its age. It goes only when no Git process works in that repository, and the recovery is said.
"""

from __future__ import annotations

import contextlib
import logging
import os
import re
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from brain.errors import Locked
from brain.language import gettext as _
from brain.store import git
from brain.store.git import Ran
from brain.store.plumbing import refs

if TYPE_CHECKING:
    from psutil import Process

    from brain.store.repository import Repository

logger = logging.getLogger(__name__)

WAIT_SECONDS: Final = 10.0
_PAUSE_SECONDS: Final = 0.05
# Only one that is there already: where Git may not write, nobody holds anything.
_LOCK: Final = re.compile(r"Unable to (?:create|write)[^']*'(?P<file>.+?\.lock)'(?!: (?:Permission denied|Read-only))")


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
        if not _take_away_dead(repository, lock):
            time.sleep(_PAUSE_SECONDS)


def wait_for_index(repository: Repository, *, gone: threading.Event | None = None) -> None:
    """Return once nobody holds Git's index; Locked where another program keeps it too long, or the caller went away."""
    lock = repository.git_folder / "index.lock"
    ends = time.monotonic() + WAIT_SECONDS
    while os.path.lexists(lock):
        if _take_away_dead(repository, lock):
            continue
        if time.monotonic() > ends or (gone is not None and gone.is_set()):
            raise Locked(
                _("Another program has been working on Git's index for too long. Nothing was changed."),
                next_step=_("Let that program finish, then try again."),
            )
        time.sleep(_PAUSE_SECONDS)


def sweep(repository: Repository) -> None:
    """Take away the lock files of Git that a process left when it died, where none works there now."""
    for lock in left(repository.git_folder, repository.common_folder):
        _take_away_dead(repository, lock)


def left(git_folder: Path, common_folder: Path) -> list[Path]:
    """Return the lock files that are there now, of the index, of HEAD and of the branches."""
    places = [git_folder / "index.lock", git_folder / "HEAD.lock"]
    return [*filter(os.path.lexists, places), *(common_folder / "refs" / "heads").rglob("*.lock")]


def worked_on(root: Path) -> bool:
    """Tell whether a Git process works in a folder; one that cannot be looked at counts as working there.

    Commands that wait for this process's own input do not count: what they hold, it knows of.
    """
    import psutil

    for process in psutil.process_iter(["name"]):
        if not (process.info["name"] or "").startswith("git"):
            continue
        try:
            here = Path(process.cwd()).is_relative_to(root.resolve())
            if here and not git.waits_for_us(process.pid) and not _is_idle(process):
                return True
        except psutil.NoSuchProcess:
            continue
        except (psutil.AccessDenied, OSError):
            return True
    return False


def _is_idle(process: Process) -> bool:
    """Tell whether a process only waits: a reader of objects, or what moves branches for one who writes no more.

    Nobody but the holder of the brain's lock moves a branch, and it is the holder who asks.
    """
    command = process.cmdline()
    if "cat-file" in command:
        return True
    above = process.parent() if "update-ref" in command and refs.MARK in command else None
    return above is not None and above.name().startswith(("python", "cabecao"))


def _take_away_dead(repository: Repository, lock: Path) -> bool:
    """Take a lock file away where no process works in the repository, and return whether it is gone now."""
    if not any(lock.is_relative_to(folder) for folder in (repository.git_folder, repository.common_folder)):
        return False
    seen = _number(lock)
    if seen is None:
        return True
    if worked_on(repository.root) or _number(lock) != seen:  # another one, which somebody has just made
        return False
    with contextlib.suppress(FileNotFoundError):
        try:
            lock.unlink()
        except OSError as error:
            logger.warning("a lock file that no process holds could not be taken away: %s", type(error).__name__)
            return False
    logger.warning("a lock file that no process held was taken away: %s", lock.name)
    repository.recovered.append(lock.name)
    return True


def _number(lock: Path) -> tuple[int, int] | None:
    try:
        found = lock.lstat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns
