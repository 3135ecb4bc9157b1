"""The notes that lie in the working tree: found by one walk that follows no link, and read in bounded pieces.

What cannot be read is told apart from what is gone: only the second may ever be taken for a deletion.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

_READ_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
_CHUNK: Final = 1 << 20
_READINGS: Final = 3
_READ_AGAIN_SECONDS: Final = 0.01


@dataclass(frozen=True, slots=True)
class Entry:
    """A Markdown file of the tree, as the file system describes it."""

    path: str
    size: int
    mtime_ns: int


@dataclass(slots=True)
class Tree:
    """What a walk found: files, and the folders whose files are unknown because they could not be listed."""

    files: list[Entry] = field(default_factory=list)
    unlisted: list[str] = field(default_factory=list)

    def knows(self, path: str) -> bool:
        """Tell whether the walk would have found a file of this path."""
        return not any(folder == "" or path.startswith(f"{folder}/") for folder in self.unlisted)


@dataclass(slots=True)
class Survey:
    """What in the tree cannot be had: folders that cannot be listed, notes that cannot be opened, names of no text."""

    unlisted: list[str] = field(default_factory=list)
    unopened: list[str] = field(default_factory=list)
    unnameable: list[str] = field(default_factory=list)


_Found = TypeVar("_Found", Tree, Survey)


@dataclass(frozen=True, slots=True)
class Content:
    """A file's first bytes or all, with the digest and size of all; `read_ns` is the moment before it was opened."""

    raw: bytes
    digest: str
    size: int
    mtime_ns: int
    read_ns: int
    cut: bool


def is_visible(name: str) -> bool:
    """Tell whether a name is neither hidden nor unfit to be stored as text."""
    return not name.startswith(".") and (name.isascii() or not _has_raw_bytes(name))


def is_markdown(name: str) -> bool:
    """Tell whether a file's name may be that of a note."""
    return name[-3:].lower() == ".md" and is_visible(name)


def walk(root: Path, under: str = "") -> Tree:
    """Return the Markdown files of the tree, or of a folder in it; hidden names and symbolic links are passed over."""
    found = Tree()
    folders = [under]
    while folders:
        _list_folder(root, folders.pop(), found, folders, _take)
    return found


def survey(root: Path) -> Survey:
    """Return what of the tree a walk cannot see or a read cannot open, by path; links and hidden names passed over."""
    found = Survey()
    folders = [""]
    while folders:
        _list_folder(root, folders.pop(), found, folders, _look_at)
    return Survey(*(sorted(some) for some in (found.unlisted, found.unopened, found.unnameable)))


def shown(path: str) -> str:
    """Return a path as it can be shown and stored: bytes that are no UTF-8 are written out, as in `caf\\xe9.md`."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def folders(root: Path, under: str = "") -> Iterator[str]:
    """Yield the folders that a walk enters, the first of them `under` itself."""
    waiting = [under]
    while waiting:
        folder = waiting.pop()
        yield folder
        waiting.extend(_inner_folders(root, folder))


def entry(root: Path, path: str) -> Entry | None:
    """Return a file by its path, None where it is gone, is no regular file or lies behind a link; OSError otherwise."""
    try:
        if any(stat.S_ISLNK(os.lstat(folder).st_mode) for folder in _parents(root, path)):
            return None
        found = os.lstat(root / path)
    except (FileNotFoundError, NotADirectoryError):
        return None
    return Entry(path, found.st_size, found.st_mtime_ns) if stat.S_ISREG(found.st_mode) else None


def read(root: Path, path: str, *, most: int, keep: int) -> Content | None:
    """Return a file's content, of one over `most` bytes the first `keep`; None where it is gone, OSError otherwise.

    One that is being written meanwhile is read again, a few times; the last reading then counts.
    """
    began = time.time_ns()
    for last in range(_READINGS):
        try:
            descriptor = os.open(root / path, _READ_FLAGS)
        except (FileNotFoundError, NotADirectoryError):
            return None
        with os.fdopen(descriptor, "rb", buffering=0) as stream:
            found = _content(stream, began, most=most, keep=keep)
            if found is None or last == _READINGS - 1 or _is_as_it_was(descriptor, found):
                return found
        time.sleep(_READ_AGAIN_SECONDS)
    return None


def _content(stream: io.RawIOBase, began: int, *, most: int, keep: int) -> Content | None:
    about = os.fstat(stream.fileno())
    if not stat.S_ISREG(about.st_mode):
        return None
    raw = (stream.readall() or b"")[: most + 1] if about.st_size <= most else _first(stream, keep)
    cut = about.st_size > most
    digest = hashlib.sha256(raw)
    while cut and (piece := stream.read(_CHUNK)):
        digest.update(piece)
    return Content(raw, digest.hexdigest(), about.st_size, about.st_mtime_ns, began, cut)


def _is_as_it_was(descriptor: int, found: Content) -> bool:
    now = os.fstat(descriptor)
    return (now.st_size, now.st_mtime_ns) == (found.size, found.mtime_ns)


def _first(stream: io.RawIOBase, keep: int) -> bytes:
    pieces = bytearray()
    while len(pieces) < keep and (piece := stream.read(keep - len(pieces))):
        pieces += piece
    return bytes(pieces)


def _parents(root: Path, path: str) -> Iterator[str]:
    place = str(root)
    for name in path.split("/")[:-1]:
        place = f"{place}/{name}"
        yield place


def _list_folder(
    root: Path,
    folder: str,
    found: _Found,
    waiting: list[str],
    take: Callable[[os.DirEntry[str], str, _Found, list[str]], None],
) -> None:
    prefix = f"{folder}/" if folder else ""
    try:
        with os.scandir(root / folder) as entries:
            for one in entries:
                take(one, prefix + one.name, found, waiting)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError:
        found.unlisted.append(folder)


def _look_at(one: os.DirEntry[str], path: str, found: Survey, waiting: list[str]) -> None:
    if one.name.startswith("."):
        return
    is_note = one.name[-3:].lower() == ".md"
    if one.is_dir(follow_symlinks=False):
        if is_visible(one.name):
            waiting.append(path)
        else:
            found.unnameable.append(f"{path}/")
    elif is_note and one.is_file(follow_symlinks=False):
        if not is_visible(one.name):
            found.unnameable.append(path)
        elif not os.access(one.path, os.R_OK):
            found.unopened.append(path)


def _take(one: os.DirEntry[str], path: str, found: Tree, waiting: list[str]) -> None:
    if not is_visible(one.name):
        return
    try:
        if one.is_dir(follow_symlinks=False):
            waiting.append(path)
        elif is_markdown(one.name) and one.is_file(follow_symlinks=False):
            about = one.stat(follow_symlinks=False)
            found.files.append(Entry(path, about.st_size, about.st_mtime_ns))
    except FileNotFoundError:
        return


def _inner_folders(root: Path, folder: str) -> list[str]:
    prefix = f"{folder}/" if folder else ""
    try:
        with os.scandir(root / folder) as entries:
            return [prefix + one.name for one in entries if is_visible(one.name) and one.is_dir(follow_symlinks=False)]
    except OSError:
        return []


def _has_raw_bytes(name: str) -> bool:
    return any("\ud800" <= sign <= "\udfff" for sign in name)
