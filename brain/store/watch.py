"""Watching the tree: what changed since one last asked.

On Linux the kernel queues an event in the very call that changes a file, so that draining the queue at the start of a
read sees every earlier change. Elsewhere, or where the kernel has no watches left, each drain asks for a walk.
"""

from __future__ import annotations

import contextlib
import errno
import os
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from brain.store import tree

_NO_WATCHES_LEFT: Final = (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOSYS, errno.ENOMEM)


@dataclass(slots=True)
class Changes:
    """Files that were touched, folders to walk again, and whether more happened than the queue could hold."""

    paths: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    overflow: bool = False

    def __bool__(self) -> bool:
        return self.overflow or bool(self.paths) or bool(self.folders)

    def add(self, other: Changes) -> None:
        """Take in what another drain found."""
        self.paths |= other.paths
        self.folders |= other.folders
        self.overflow = self.overflow or other.overflow


class Watch(Protocol):
    """Tells what changed in a folder since the last drain."""

    def drain(self) -> Changes:
        """Return what changed; never waits."""
        ...

    def close(self) -> None:
        """Give the kernel's resources back."""
        ...


class ScanWatch:
    """A watch that knows nothing and asks for a walk each time."""

    def drain(self) -> Changes:
        """Return that anything may have changed."""
        return Changes(overflow=True)

    def close(self) -> None:
        """Do nothing."""


class InotifyWatch:
    """Linux's own watch: one for each folder, those that come later included."""

    def __init__(self, root: Path) -> None:
        from inotify_simple import INotify, flags

        self._flags = flags
        self._mask = (
            flags.MODIFY | flags.ATTRIB | flags.CLOSE_WRITE | flags.CREATE | flags.DELETE | flags.MOVED_FROM
            | flags.MOVED_TO | flags.DELETE_SELF | flags.MOVE_SELF | flags.ONLYDIR | flags.DONT_FOLLOW
            | flags.EXCL_UNLINK
        )  # fmt: skip
        self._root = root
        self._lock = threading.Lock()
        self._folder_of: dict[int, str] = {}
        self._lost = False
        self._notify = INotify(nonblocking=True)
        try:
            self._enter("")
        except OSError:
            self._notify.close()
            raise

    def drain(self) -> Changes:
        """Return what changed since the last drain; never waits."""
        with self._lock:
            changes = Changes(overflow=self._lost)
            if not self._notify.closed:
                for event in self._notify.read(timeout=0):
                    self._take(event, changes)
            return changes

    def close(self) -> None:
        """Give the kernel's watches back."""
        with self._lock:
            self._notify.close()

    def _take(self, event: Any, changes: Changes) -> None:
        flags, mask = self._flags, event.mask
        if mask & flags.Q_OVERFLOW:
            changes.overflow = True
            return
        folder = self._folder_of.get(event.wd)
        if mask & flags.IGNORED:
            self._folder_of.pop(event.wd, None)
        if folder is None or mask & flags.IGNORED:
            return
        if mask & (flags.DELETE_SELF | flags.MOVE_SELF | flags.UNMOUNT):
            changes.overflow = changes.overflow or folder == ""
            return
        path = f"{folder}/{event.name}" if folder else event.name
        if mask & flags.ISDIR:
            self._take_folder(path, mask, changes)
        elif event.name and tree.is_markdown(event.name):
            changes.paths.add(path)

    def _take_folder(self, path: str, mask: int, changes: Changes) -> None:
        flags = self._flags
        name = path.rpartition("/")[2]
        if not name or not tree.is_visible(name):
            return
        changes.folders.add(path)
        if mask & (flags.MOVED_FROM | flags.DELETE):
            self._leave(path)
        if mask & (flags.MOVED_TO | flags.CREATE | flags.ATTRIB):
            try:
                self._enter(path)
            except OSError:
                self._lost = changes.overflow = True

    def _enter(self, under: str) -> None:
        """Watch a folder and those in it, each before it is listed, so that nothing falls between."""
        for folder in tree.folders(self._root, under):
            try:
                self._folder_of[self._notify.add_watch(self._root / folder, self._mask)] = folder
            except OSError as error:
                if error.errno in _NO_WATCHES_LEFT or folder == "":
                    raise

    def _leave(self, under: str) -> None:
        gone = [wd for wd, folder in self._folder_of.items() if folder == under or folder.startswith(f"{under}/")]
        for wd in gone:
            del self._folder_of[wd]
            with contextlib.suppress(OSError):
                self._notify.rm_watch(wd)


def start(root: Path) -> Watch:
    """Return the best watch that this system has for a folder."""
    if not sys.platform.startswith("linux") or os.environ.get("CABECAO_WATCH") == "scan":
        return ScanWatch()
    try:
        return InotifyWatch(root)
    except (OSError, ImportError):
        return ScanWatch()
