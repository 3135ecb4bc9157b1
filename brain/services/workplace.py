"""The open repository of this process's brain, and what a process that died left half done in it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.db import DatabaseError

from brain import config
from brain.audit import chain
from brain.caller import Caller
from brain.errors import BrainError
from brain.index import refresh
from brain.language import gettext as _
from brain.store import files, journal
from brain.store.lock import WAIT_SECONDS, write_lock
from brain.store.plumbing import git_locks
from brain.store.repository import Head, Repository, identity

logger = logging.getLogger(__name__)

_START_WAITS = 2.0
_open: dict[Path, Repository] = {}
_opening = threading.Lock()


def repository() -> Repository:
    """Return the brain's repository, opened once in this process, and again where another took its place."""
    root = config.here().root
    with _opening:
        known = _open.get(root)
        if known is None or known.identity != identity(known.git_folder):
            _open.pop(root, None)
            if known is not None:
                known.close()
            _open[root] = known = Repository.open(root)
        return known


def close() -> None:
    """End what the open repositories hold."""
    with _opening:
        for one in _open.values():
            one.close()
        _open.clear()


@contextmanager
def held(caller: Caller | None = None, *, seconds: float = WAIT_SECONDS) -> Iterator[tuple[Repository, Head]]:
    """Hold the write lock with the repository sound and ready: what a dead process left is settled first."""
    repo, gone = repository(), caller.gone if caller is not None else None
    with write_lock(repo.root, gone=gone, seconds=seconds), repo.settings.steady():
        # Whoever holds Git's index is about to commit: what is built on the head of now would be built on the old one.
        git_locks.wait_for_index(repo, gone=gone)
        head = repo.require_ready()
        if settle(repo):
            head = repo.head()
        yield repo, head


def recover() -> None:
    """Settle at a process's start what a dead one left half done; a brain that is being written to settles itself."""
    try:
        git_folder = root() / ".git"
        if not (journal.pending(root()) or files.leftovers(root()) or git_locks.left(git_folder, git_folder)):
            return
        repo = repository()
        with write_lock(repo.root, seconds=_START_WAITS):
            repo.require_ready()
            settle(repo)
            files.tidy(repo.root)
            repo.objects.tidy()
            git_locks.sweep(repo)
    except (BrainError, OSError) as error:
        logger.warning("an interrupted write waits to be settled: %s", type(error).__name__)


def settle(repo: Repository) -> int:
    """Finish or put back the writes that did not come to their end, and return how many; under the write lock."""
    entries = journal.pending(repo.root)
    if not entries:
        return 0
    git_locks.sweep(repo)
    for entry in entries:
        commit = journal.committed(repo, entry)
        if commit is None and entry.audit:
            kept = journal.put_back(repo, entry)
            logger.warning("operation %s was put back after a crash; left as the person has them: %s", entry.op, kept)
        if not _catch_up(repo, entry, commit):
            break  # the rest waits for the same thing
        journal.close(repo.root, entry.op)
    files.tidy(repo.root)
    repo.objects.tidy()
    return len(entries)


def _catch_up(repo: Repository, entry: journal.Entry, commit: str | None) -> bool:
    """Bring what follows a commit up to it; False where some of it has to wait, and the entry with it."""
    try:
        if not repo.mend_index(entry.paths, since=entry.parent):
            return False
        if commit is not None and entry.audit and not chain.has(entry.op):
            chain.append(**entry.audit)
            logger.warning("operation %s was finished after it had been interrupted", entry.op)
    except (BrainError, DatabaseError) as error:
        logger.warning("operation %s still waits for what follows it (%s)", entry.op, type(error).__name__)
        return False
    try:
        refresh.apply(entry.paths)
    except (BrainError, DatabaseError) as error:
        logger.warning("the search index is behind (%s)", type(error).__name__)  # it catches up by itself
    return True


def recoveries(repo: Repository) -> list[str]:
    """Return what was mended on the way, as sentences, and forget it."""
    names, repo.recovered[:] = list(repo.recovered), []
    return [_("The lock file %(name)s, which no process held, was taken away.") % {"name": name} for name in names]


def root() -> Path:
    """Return the brain's folder."""
    return config.here().root
