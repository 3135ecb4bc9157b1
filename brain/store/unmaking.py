"""What a folder was before it became a brain, so that a brain that could not be made leaves nothing of itself."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.config import MACHINE_FOLDER
from brain.store import git

_GIT: Final = ".git"


@dataclass(frozen=True)
class Before:
    """The folders and files that were there; `ground` is the nearest folder that existed."""

    root: Path
    ground: Path
    had_git: bool
    had_machine_folder: bool
    missing: frozenset[str]
    exclude: Path | None
    exclude_size: int | None

    def put_back(self, contents: Mapping[str, bytes]) -> None:
        """Take away what was made since, with files that hold what was to be written; nothing of the person's goes."""
        for path, content in contents.items():
            if path in self.missing:
                self._take_away(path, content)
        if not self.had_machine_folder:
            shutil.rmtree(self.root / MACHINE_FOLDER, ignore_errors=True)
        if not self.had_git:
            shutil.rmtree(self.root / _GIT, ignore_errors=True)
        elif self.exclude is not None:
            self._cut_exclude(self.exclude)
        self._remove_empty(self.root)

    def _take_away(self, path: str, content: bytes) -> None:
        file = self.root / path
        with contextlib.suppress(OSError):
            if content.startswith(file.read_bytes()):  # whole, or as far as there was room for it
                file.unlink()
        folder = file.parent
        while folder != self.root:
            with contextlib.suppress(OSError):
                folder.rmdir()
            folder = folder.parent

    def _cut_exclude(self, file: Path) -> None:
        with contextlib.suppress(OSError):
            if self.exclude_size is None:
                file.unlink(missing_ok=True)
                file.parent.rmdir()
            elif file.stat().st_size > self.exclude_size:
                os.truncate(file, self.exclude_size)

    def _remove_empty(self, folder: Path) -> None:
        while folder != self.ground and self.ground in folder.parents:
            with contextlib.suppress(OSError):
                folder.rmdir()
            folder = folder.parent


def before(root: Path, paths: Mapping[str, bytes]) -> Before:
    """Return what a folder is now; `paths` are those that may be written."""
    ground = next(one for one in (root, *root.parents) if one.is_dir())
    had_git = os.path.lexists(root / _GIT)
    exclude = _exclude(root) if had_git else None
    return Before(
        root=root,
        ground=ground,
        had_git=had_git,
        had_machine_folder=os.path.lexists(root / MACHINE_FOLDER),
        missing=frozenset(path for path in paths if not os.path.lexists(root / path)),
        exclude=exclude,
        exclude_size=exclude.stat().st_size if exclude is not None and exclude.is_file() else None,
    )


def _exclude(root: Path) -> Path | None:
    ran = git.run(root, "rev-parse", "--git-common-dir", check=False)
    return (root / ran.text.strip()) / "info" / "exclude" if ran.code == 0 else None
