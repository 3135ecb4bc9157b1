"""The open repository of this process's brain, and what a process that died left half done in it."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from brain import config
from brain.audit import chain
from brain.caller import Caller
from brain.errors import BrainError
from brain.index import refresh
from brain.language import gettext as _
from brain.store import files, git_locks, journal
from brain.store.lock import write_lock
from brain.store.repository import Head, Repository

logger = logging.getLogger(__name__)

_START_WAITS = 2.0
_open: dict[Path, Repository] = {}
_opening = threading.Lock()


def repository() -> Repository:
    """Return the brain's repository, opened once in this process."""
    root = config.here().root
    with _opening:
        if root not in _open:
            _open[root] = Repository.open(root)
        return _open[root]


def close() -> None:
    """End what the open repositories hold."""
    with _opening:
        for one in _open.values():
            one.close()
        _open.clear()


@contextmanager
def held(caller: Caller) -> Iterator[tuple[Repository, Head]]:
    """Hold the write lock with the repository sound and ready: what a dead process left is settled first."""
    repo = repository()
    with write_lock(repo.root, gone=caller.gone):
        head = repo.require_ready()
        if settle(repo):
            head = repo.head()
        yield repo, head


def recover() -> None:
    """Settle at a process's start what a dead one left half done; a brain that is being written to settles itself."""
    if not journal.pending(root()):
        return
    try:
        repo = repository()
        with write_lock(repo.root, seconds=_START_WAITS):
            repo.require_ready()
            settle(repo)
    except BrainError as error:
        logger.warning("an interrupted write waits to be settled: %s", error.code)


def settle(repo: Repository) -> int:
    """Finish or put back the writes that did not come to their end, and return how many; under the write lock."""
    entries = journal.pending(repo.root)
    if entries:
        git_locks.sweep(repo)
    for entry in entries:
        commit = journal.committed(repo, entry)
        if commit is None:
            kept = journal.put_back(repo, entry)
            logger.warning("operation %s was put back after a crash; kept as the person left them: %s", entry.op, kept)
        else:
            if not chain.has(entry.op):
                chain.append(**entry.audit)
            logger.warning("operation %s was finished after a crash", entry.op)
        repo.refresh_index(entry.paths)
        refresh.apply(entry.paths)
        journal.close(repo.root, entry.op)
    if entries:
        files.tidy(repo.root)
    return len(entries)


def recoveries(repo: Repository) -> list[str]:
    """Return what was mended on the way, as sentences, and forget it."""
    names, repo.recovered[:] = list(repo.recovered), []
    return [_("The lock file %(name)s, which no process held, was taken away.") % {"name": name} for name in names]


def root() -> Path:
    """Return the brain's folder."""
    return config.here().root
