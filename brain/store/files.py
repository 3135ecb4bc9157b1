"""The working tree, touched safely: no symbolic link is followed, and a file is replaced whole or not at all.

On POSIX each folder of a path is opened relative to the one above it without following links, so that nothing can be
swapped between a check and a write. A new content is written aside, in the machine's folder, flushed and renamed.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import stat
import sys
import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from brain.config import MACHINE_FOLDER
from brain.errors import DiskFull, GitFailed, InvalidPath, UnsafePath, of_machine, reason_of
from brain.language import gettext as _
from brain.store.plumbing.flushing import flush, flush_folder
from brain.store.plumbing.objects import IN_THE_MAKING

_RELATIVE: Final = os.open in os.supports_dir_fd and os.rename in os.supports_dir_fd
_FOLDER_FLAGS: Final = os.O_RDONLY | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_NOFOLLOW", 0)


def read(root: Path, path: str, *, most: int = -1) -> bytes | None:
    """Return a file's bytes, at most so many; None where there is none; UnsafePath where a link stands in the way."""
    try:
        with _parent(root, path, create=False) as (folder, name):
            flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
            descriptor = os.open(name, flags | getattr(os, "O_BINARY", 0), dir_fd=folder)
        if stat.S_ISREG(os.fstat(descriptor).st_mode):
            with os.fdopen(descriptor, "rb") as stream:
                return stream.read(most)
        os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise refusal(error, path) from error
    raise UnsafePath(_("%(path)s is not a regular file.") % {"path": path})


def exists(root: Path, path: str) -> bool:
    """Tell whether something stands at a path, a link included."""
    return os.path.lexists(root / path)


def write(root: Path, path: str, content: bytes) -> None:
    """Put a content at a path, flushed to the disk, by a rename; the file's mode is kept."""
    staged = stage(root, content)
    try:
        place(root, path, staged)
    finally:
        with contextlib.suppress(OSError):
            staged.unlink(missing_ok=True)


def stage(root: Path, content: bytes) -> Path:
    """Write a content aside, flushed, and return where; `place` puts it at its path."""
    try:
        aside = _aside(root)
        with aside.open("xb") as stream:
            try:
                stream.write(content)
                stream.flush()
                flush(stream.fileno())
            except BaseException:
                with contextlib.suppress(OSError):
                    aside.unlink()
                raise
    except OSError as error:
        raise refusal(error, MACHINE_FOLDER) from error
    return aside


def place(root: Path, path: str, staged: Path, *, flushed: bool = True) -> None:
    """Move a content written aside to its path, by a rename; the mode of the old file is kept.

    Who has several to move may flush their folders afterwards, with `flush_folder_of`.
    """
    try:
        with _parent(root, path, create=True) as (folder, name):
            mode = _mode(folder, name)
            if mode is not None:
                os.chmod(staged, mode)  # noqa: PTH101
            os.replace(staged, name, dst_dir_fd=folder)
            if folder is not None and flushed:
                flush(folder)
    except OSError as error:
        raise refusal(error, path) from error


def keep_aside(root: Path, path: str) -> Path | None:
    """Keep the file that stands at a path under a second name, and return where; it takes no room. None: no file."""
    try:
        aside = _aside(root)
        with _parent(root, path, create=False) as (folder, name):
            os.link(name, aside, src_dir_fd=folder, follow_symlinks=False)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError:  # a file system without hard links: the content is copied
        content = read(root, path)
        return None if content is None else stage(root, content)
    return aside


def flush_folder_of(root: Path, path: str) -> None:
    """Make what happened to a name durable; no error where its folder is gone."""
    try:
        with _parent(root, path, create=False) as (folder, _name):
            if folder is not None:
                flush(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise refusal(error, path) from error


def remove(root: Path, path: str, *, flushed: bool = True) -> None:
    """Take a file away; folders that are empty then stay. No error where it is gone already."""
    try:
        with _parent(root, path, create=False) as (folder, name):
            os.unlink(name, dir_fd=folder)
            if folder is not None and flushed:
                flush(folder)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as error:
        raise refusal(error, path) from error


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


def spelled(root: Path, path: str) -> str:
    """Return a path with the folders and the file that exist as they are spelled on the disk."""
    parts = path.split("/")
    for count in range(len(parts), 0, -1):
        found = actual(root, "/".join(parts[:count]))
        if found is not None:
            return "/".join([found, *parts[count:]])
    return path


def leftovers(root: Path) -> list[Path]:
    """Return what was written aside and is there now."""
    return list((root / MACHINE_FOLDER / "tmp").glob("write-*"))


def tidy(root: Path) -> None:
    """Take away what a process that died wrote aside; only under the write lock."""
    for leftover in leftovers(root):
        with contextlib.suppress(OSError):
            if leftover.is_dir() and not leftover.is_symlink():
                shutil.rmtree(leftover, ignore_errors=True)
            else:
                leftover.unlink()


def folded(text: str) -> str:
    """Return a name as file systems that ignore case and Unicode form compare it."""
    if text.isascii():
        return text.lower()
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())


def _is_spelled_so(place: Path) -> bool:
    """Tell whether a name that exists is spelled just so; only where file systems fold names one has to look."""
    return sys.platform.startswith("linux") or place.name in {one.name for one in place.parent.iterdir()}


def _twin(folder: Path, name: str) -> str | None:
    wanted = folded(name)
    try:
        names = os.listdir(folder)  # noqa: PTH208 (names are all that is needed)
    except OSError:
        return None
    if "".join(names).isascii() and wanted not in map(str.lower, names):
        return None  # the usual answer, without folding each name
    return next((one for one in names if folded(one) == wanted), None)


def _mode(folder: int | None, name: str) -> int | None:
    """Return the mode of the file at a place, None where there is none: a new one keeps the mode it was made with."""
    try:
        return stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
    except OSError:
        return None


def _aside(root: Path) -> Path:
    folder = root / MACHINE_FOLDER / "tmp"
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
    return folder / f"write-{secrets.token_hex(8)}"


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
    except NotADirectoryError:
        if stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
            raise OSError(errno.ELOOP, os.strerror(errno.ELOOP)) from None  # what a link to a folder is told as
        raise
    with contextlib.suppress(FileExistsError):
        os.mkdir(name, dir_fd=folder)
        flush(folder)
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


def refusal(error: OSError, path: str | None = None) -> UnsafePath | InvalidPath | DiskFull | GitFailed:
    """Return the error of the table for what the system refused."""
    name = path or Path(str(error.filename or MACHINE_FOLDER)).name
    if name.startswith(IN_THE_MAKING):  # the name of a moment, which tells nobody anything
        name = ".git/objects"
    if error.errno in (errno.ELOOP, errno.EMLINK):
        return UnsafePath(_("%(path)s goes through a symbolic link.") % {"path": name})
    if error.errno in (errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG):
        return InvalidPath(
            _("%(path)s cannot be a file: its name is too long, or a file stands in its way.") % {"path": name}
        )
    if (full := of_machine(error)) is not None:
        return full
    return GitFailed(
        _("%(path)s could not be written or read: %(reason)s. Nothing was changed.")
        % {"path": name, "reason": reason_of(error)},
        next_step=_("Check the permissions of the folder and try again."),
    )
