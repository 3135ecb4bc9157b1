"""Linux's own watch of a tree: the kernel queues an event in the very call that changes a file."""

from __future__ import annotations

import contextlib
import errno
import os
import select
import stat
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from brain.store import tree
from brain.store.changes import Changes

NO_WATCHES_LEFT: Final = (errno.ENOSPC, errno.EMFILE, errno.ENFILE, errno.ENOSYS, errno.ENOMEM)
SETTLED_SECONDS: Final = 0.4  # a file that nobody closed and that stays as it is for so long is taken as it is
_LOOK_SECONDS: Final = 0.1


@dataclass(slots=True)
class _Growing:
    """A file that somebody still writes, as it was when it was last seen to be another one."""

    stamp: tuple[int, int] | None
    since: float


class InotifyWatch:
    """One watch for each folder, those that come later included.

    A file that is open for writing is told of once it is closed, or has not changed for a moment: half is no note.
    """

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
        self._growing: dict[str, _Growing] = {}
        self.lost = False
        self._notify = INotify(nonblocking=True)
        self._woken, self._waker = os.pipe()
        try:
            self._enter("")
        except OSError:
            self.close()
            raise

    def drain(self) -> Changes:
        """Return what changed since the last drain; never waits."""
        with self._lock:
            changes = Changes(overflow=self.lost)
            if not self._notify.closed:
                for event in self._notify.read(timeout=0):
                    self._take(event, changes)
            self._settle(changes)
            return changes

    def wait(self, seconds: float) -> bool:
        """Wait for a change, or for a file that is being written to be whole; tell whether there may be one."""
        if self._growing:
            seconds = min(seconds, _LOOK_SECONDS)
        poll = select.poll()
        for descriptor in (self._notify.fileno(), self._woken):
            poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(seconds * 1000)) or bool(self._growing)

    def wake(self) -> None:
        """End a wait, now and ever after."""
        with contextlib.suppress(OSError):
            os.write(self._waker, b"\0")

    def close(self) -> None:
        """Give the kernel's watches back."""
        with self._lock:
            if not self._notify.closed:
                self._notify.close()
                os.close(self._woken)
                os.close(self._waker)

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
            self._take_file(path, mask, changes)

    def _take_file(self, path: str, mask: int, changes: Changes) -> None:
        """Take in a file that is whole; one that is being written waits, and so does one that was just emptied."""
        flags = self._flags
        if mask & (flags.MODIFY | flags.CREATE) or (mask & flags.CLOSE_WRITE and self._is_empty(path)):
            self._growing.setdefault(path, _Growing(None, time.monotonic()))
        elif not (mask & flags.ATTRIB and path in self._growing):
            self._growing.pop(path, None)
            changes.paths.add(path)

    def _is_empty(self, path: str) -> bool:
        found = self._stat(path)
        return found is not None and found.st_size == 0

    def _settle(self, changes: Changes) -> None:
        """Take in what nobody closed and has not changed for a moment, and what is no file of its own any more."""
        now = time.monotonic()
        for path, one in list(self._growing.items()):
            found = self._stat(path)
            stamp = None if found is None else (found.st_size, found.st_mtime_ns)
            if found is not None and stamp != one.stamp and found.st_nlink == 1:
                one.stamp, one.since = stamp, now
            elif found is None or found.st_nlink > 1 or now - one.since >= SETTLED_SECONDS:
                del self._growing[path]
                changes.paths.add(path)

    def _stat(self, path: str) -> os.stat_result | None:
        try:
            found = os.lstat(self._root / path)
        except OSError:
            return None
        return found if stat.S_ISREG(found.st_mode) else None

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
                self.lost = changes.overflow = True

    def _enter(self, under: str) -> None:
        """Watch a folder and those in it, each before it is listed, so that nothing falls between."""
        for folder in tree.folders(self._root, under):
            try:
                self._folder_of[self._notify.add_watch(self._root / folder, self._mask)] = folder
            except OSError as error:
                if error.errno in NO_WATCHES_LEFT or folder == "":
                    raise

    def _leave(self, under: str) -> None:
        gone = [wd for wd, folder in self._folder_of.items() if folder == under or folder.startswith(f"{under}/")]
        for wd in gone:
            del self._folder_of[wd]
            with contextlib.suppress(OSError):
                self._notify.rm_watch(wd)
