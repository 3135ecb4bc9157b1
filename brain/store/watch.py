"""Watching the tree: which way is the best that this system and this folder have, and why.

Where the kernel tells of every change, draining its queue at the start of a read sees every earlier one. Where it does
not, each drain asks for a walk, and whoever lives long looks at the folder now and then. In a folder that another
program copies, both are done: what is written here is heard at once, and what that program brings is never missed.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final, Protocol

from brain.store import places
from brain.store.changes import Changes
from brain.store.kernel_watch import InotifyWatch

CHOICE: Final = "CABECAO_WATCH"  # scan: as if the kernel told nothing


class Way(StrEnum):
    """How changes come to be known: told by the kernel, looked for, or both."""

    EVENTS = "events"
    BOTH = "both"
    POLL = "poll"


class Reason(StrEnum):
    """Why it is this way."""

    LOCAL = "local"
    REMOTE = "remote"
    SYNCED = "synced"
    LIMIT = "limit"
    SYSTEM = "system"
    ASKED = "asked"


@dataclass(frozen=True)
class Manner:
    """How a folder is watched, why, and what is behind the reason: a file system, a program."""

    way: Way
    reason: Reason
    detail: str = ""


class Watch(Protocol):
    """Tells what changed in a folder since the last drain."""

    @property
    def manner(self) -> Manner:
        """Return how it learns of changes."""
        ...

    def drain(self) -> Changes:
        """Return what changed; never waits."""
        ...

    def wait(self, seconds: float) -> bool:
        """Wait for a change; tell whether there may be one."""
        ...

    def wake(self) -> None:
        """End a wait, now and ever after."""
        ...

    def close(self) -> None:
        """Give the kernel's resources back."""
        ...


class ScanWatch:
    """A watch that knows nothing and asks for a walk each time."""

    def __init__(self, manner: Manner) -> None:
        self.manner = manner
        self._over = threading.Event()

    def drain(self) -> Changes:
        """Return that anything may have changed."""
        return Changes(overflow=True)

    def wait(self, seconds: float) -> bool:
        """Wait; nothing is ever heard of."""
        self._over.wait(seconds)
        return False

    def wake(self) -> None:
        """End a wait, now and ever after."""
        self._over.set()

    def close(self) -> None:
        """Do nothing."""


class KernelWatch(InotifyWatch):
    """Linux's own watch; where it cannot know all, or the kernel has no more of them, the tree is looked at too."""

    def __init__(self, root: Path, manner: Manner) -> None:
        super().__init__(root)
        self._manner = manner

    @property
    def manner(self) -> Manner:
        """Return how it learns of changes by now."""
        return Manner(Way.BOTH, Reason.LIMIT, os.strerror(errno.ENOSPC)) if self.lost else self._manner


def start(root: Path) -> Watch:
    """Return the best watch that this system has for a folder."""
    wanted = expected(root)
    if wanted.way is Way.POLL:
        return ScanWatch(wanted)
    try:
        return KernelWatch(root, wanted)
    except ImportError:
        return ScanWatch(Manner(Way.POLL, Reason.SYSTEM, sys.platform))
    except OSError as error:
        return ScanWatch(Manner(Way.POLL, Reason.LIMIT, error.strerror or ""))


def expected(root: Path) -> Manner:
    """Return how a folder is to be watched by where it lies; what the kernel refuses shows at the start alone."""
    if os.environ.get(CHOICE) == "scan":
        return Manner(Way.POLL, Reason.ASKED)
    place = places.of(root)
    if place.remote:
        return Manner(Way.POLL, Reason.REMOTE, place.remote)
    if not sys.platform.startswith("linux"):
        return Manner(Way.POLL, Reason.SYSTEM, sys.platform)
    if place.synced:
        return Manner(Way.BOTH, Reason.SYNCED, place.synced)
    return Manner(Way.EVENTS, Reason.LOCAL)


def found(root: Path) -> Manner:
    """Return how a folder is watched on this machine as it is now, by trying it."""
    watch = start(root)
    try:
        return watch.manner
    finally:
        watch.close()
