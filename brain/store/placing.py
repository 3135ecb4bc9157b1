"""The files of one write: written aside, moved into their places together, and taken back while it is not committed.

The old files keep their content under a second name meanwhile, so that the way back needs no room on the disk.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path

from brain.errors import BrainError, Conflict
from brain.language import gettext as _
from brain.store import files
from brain.store.plumbing import flushing


class Placement:
    """What each path is to hold (None: nothing), and what it held when that was decided."""

    def __init__(self, root: Path, contents: Mapping[str, bytes | None], before: Mapping[str, bytes | None]) -> None:
        self._root = root
        self._contents = contents
        self._before = before
        self._staging: dict[str, Future[Path]] = {}
        self._kept: dict[str, Path | None] = {}

    def stage(self) -> None:
        """Begin to write the contents aside, flushed: once `place` goes on, no room is needed any more."""
        for path, content in self._contents.items():
            if content is not None:
                self._staging[path] = flushing.begin(files.stage, self._root, content)

    def place(self) -> None:
        """Move the files into their places; Conflict where one is no longer what the change was made from."""
        staged = {path: waited.result() for path, waited in self._staging.items()}
        for path in self._contents:
            kept = files.keep_aside(self._root, path)
            self._kept[path] = kept
            if _content(kept) != self._before[path]:
                raise Conflict(_("The note changed while it was being written. Nothing was changed."))
            if path in staged:
                files.place(self._root, path, staged[path], flushed=False)
            else:
                files.remove(self._root, path, flushed=False)
        one_of_each = {path.rpartition("/")[0]: path for path in self._contents}
        flushing.together(files.flush_folder_of, ((self._root, path) for path in one_of_each.values()))

    def take_back(self) -> None:
        """Give each path its old file back where it still holds what was put there; what fails is left to recovery."""
        for path, kept in self._kept.items():
            with contextlib.suppress(BrainError, OSError):
                if files.read(self._root, path) != self._contents[path]:
                    continue  # it never got there, or somebody has changed it since
                if kept is None:
                    files.remove(self._root, path)
                else:
                    files.place(self._root, path, kept)

    def discard(self) -> None:
        """Take away what lies aside."""
        staged = [waited.result() for waited in self._staging.values() if waited.exception() is None]
        for aside in [*staged, *self._kept.values()]:
            with contextlib.suppress(OSError):
                if aside is not None:
                    aside.unlink(missing_ok=True)


def _content(aside: Path | None) -> bytes | None:
    """Return what a file kept aside holds; nothing that a change is made from where it is no regular file."""
    if aside is None:
        return None
    if not stat.S_ISREG(os.lstat(aside).st_mode):
        raise Conflict(_("The note changed while it was being written. Nothing was changed."))
    return aside.read_bytes()
