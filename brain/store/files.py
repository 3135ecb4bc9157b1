"""The working tree, touched safely: no symbolic link is followed, and a file is replaced whole or not at all.

On POSIX each folder of a path is opened relative to the one above it without following links, so that nothing can be
swapped between a check and a write. A new content is written aside, in the machine's folder, flushed and renamed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import stat
import sys
import tempfile
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from brain.config import MACHINE_FOLDER
from brain.errors import DiskFull, GitFailed, UnsafePath
from brain.language import gettext as _
from brain.store.objects import flush_folder

_RELATIVE: Final = os.open in os.supports_dir_fd and os.rename in os.supports_dir_fd
_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def read(root: Path, path: str) -> bytes | None:
    """Return a file's bytes, None where there is none; UnsafePath where a link stands in the way."""
    try:
        with _parent(root, path, create=False) as (folder, name):
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            descriptor = os.open(name, flags, dir_fd=folder)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
        return None
    except OSError as error:
        raise _refused(path, error) from error
    with os.fdopen(descriptor, "rb") as stream:
        if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
            raise UnsafePath(_("%(path)s is not a regular file.") % {"path": path})
        return stream.read()


def exists(root: Path, path: str) -> bool:
    """Tell whether something stands at a path, a link included."""
    return os.path.lexists(root / path)


def write(root: Path, path: str, content: bytes) -> None:
    """Put a content at a path, flushed to the disk, by a rename; the file's mode is kept."""
    staged = stage(root, content)
    try:
        place(root, path, staged)
    finally:
        staged.unlink(missing_ok=True)


def stage(root: Path, content: bytes) -> Path:
    """Write a content aside, flushed, and return where; `place` puts it at its path."""
    folder = root / MACHINE_FOLDER / "tmp"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix="write-", dir=folder)
    except OSError as error:
        raise _refused(MACHINE_FOLDER, error) from error
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
    except OSError as error:
        Path(name).unlink(missing_ok=True)
        raise _refused(MACHINE_FOLDER, error) from error
    return Path(name)


def place(root: Path, path: str, staged: Path) -> None:
    """Move a content written aside to its path, by a rename that is flushed; the mode of the old file is kept."""
    try:
        with _parent(root, path, create=True) as (folder, name):
            os.chmod(staged, _mode(folder, name))  # noqa: PTH101
            os.replace(staged, name, dst_dir_fd=folder)
            if folder is not None:
                os.fsync(folder)
    except OSError as error:
        raise _refused(path, error) from error


def keep_aside(root: Path, path: str) -> Path | None:
    """Keep the file that stands at a path under a second name, and return where; it takes no room. None: no file."""
    aside = root / MACHINE_FOLDER / "tmp" / f"write-{secrets.token_hex(8)}"
    try:
        with _parent(root, path, create=False) as (folder, name):
            os.link(name, aside, src_dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:  # a file system without hard links: the content is copied
        content = read(root, path)
        return None if content is None else stage(root, content)
    return aside


def remove(root: Path, path: str) -> None:
    """Take a file away; folders that are empty then stay. No error where it is gone already."""
    try:
        with _parent(root, path, create=False) as (folder, name):
            os.unlink(name, dir_fd=folder)
            if folder is not None:
                os.fsync(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise _refused(path, error) from error


def actual(root: Path, path: str) -> str | None:
    """Return the existing path that equals this one but for case and Unicode form, the exact one first."""
    found: list[str] = []
    for part in path.split("/"):
        place = root.joinpath(*found, part)
        twin = part if os.path.lexists(place) and _is_spelled_so(place) else _twin(root.joinpath(*found), part)
        if twin is None:
            return None
        found.append(twin)
    return "/".join(found)


def tidy(root: Path) -> None:
    """Take away what a process that died wrote aside; only under the write lock."""
    for leftover in (root / MACHINE_FOLDER / "tmp").glob("write-*"):
        with contextlib.suppress(OSError):
            leftover.unlink()


def folded(text: str) -> str:
    """Return a name as file systems that ignore case and Unicode form compare it."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _is_spelled_so(place: Path) -> bool:
    """Tell whether a name that exists is spelled just so; only where file systems fold names one has to look."""
    return sys.platform.startswith("linux") or place.name in {one.name for one in place.parent.iterdir()}


def _twin(folder: Path, name: str) -> str | None:
    wanted = folded(name)
    try:
        with os.scandir(folder) as entries:
            return next((entry.name for entry in entries if folded(entry.name) == wanted), None)
    except OSError:
        return None


def _mode(folder: int | None, name: str) -> int:
    with contextlib.suppress(OSError):
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask


@contextmanager
def _parent(root: Path, path: str, *, create: bool) -> Iterator[tuple[int | None, str]]:
    """Yield the folder that holds a path, as a descriptor where the system has relative calls, and the last name."""
    if not _RELATIVE:
        yield None, str(_checked(root, path, create=create))
        return
    parts = path.split("/")
    folder = os.open(root, os.O_RDONLY | getattr(os, "O_DIRECTORY", 0))
    try:
        for part in parts[:-1]:
            inner = _enter(folder, part, create=create)
            os.close(folder)
            folder = inner
        yield folder, parts[-1]
    finally:
        os.close(folder)


def _enter(folder: int, name: str, *, create: bool) -> int:
    try:
        return os.open(name, _FOLDER_FLAGS, dir_fd=folder)
    except FileNotFoundError:
        if not create:
            raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
        os.fsync(folder)
    return os.open(name, _FOLDER_FLAGS, dir_fd=folder)


def _checked(root: Path, path: str, *, create: bool) -> Path:
    """Return the place of a path where the system has no relative calls; UnsafePath where a link is on the way."""
    place = root
    for part in path.split("/"):
        place = place / part
        if place.is_symlink():
            raise UnsafePath(_("%(path)s goes through a symbolic link.") % {"path": path})
    if create:
        place.parent.mkdir(parents=True, exist_ok=True)
        flush_folder(place.parent)
    return place


def _refused(path: str, error: OSError) -> UnsafePath | DiskFull | GitFailed:
    if error.errno in (errno.ELOOP, errno.EMLINK) or (error.errno == errno.ENOTDIR):
        return UnsafePath(_("%(path)s goes through a symbolic link.") % {"path": path})
    return no_room(error) or GitFailed(
        _("%(path)s could not be written or read: %(reason)s. Nothing was changed.")
        % {"path": path, "reason": error.strerror or type(error).__name__},
        next_step=_("Check the permissions of the folder and try again."),
    )


def no_room(error: BaseException) -> DiskFull | None:
    """Return the error for a full disk or quota where that is what happened."""
    if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        return DiskFull(_("There is no room left on the disk. Nothing was changed."))
    return None
