"""What a person has staged of a file, read from Git's index itself: a command of Git's would cost more than the read.

An index that is not of the plain kind (split, or with names cut short) is left to `git ls-files`.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.store import git

_SIGNATURE: Final = b"DIRC"
_SHA1: Final = 20  # bytes of its digest
_PLAIN: Final = (2, 3)
_FIRST: Final = 12  # bytes before the first entry
_STAT: Final = 40  # bytes of an entry before the object's name
_STAGE: Final = 0x3000
_IS_LONGER: Final = 0x4000
_LENGTH: Final = 0x0FFF
_SPLIT: Final = b"link\0"  # the extension that names a shared index
_FILE_KINDS: Final = (0o100000, 0o120000)


@dataclass(frozen=True)
class Staged:
    """What the index holds of a path: the object's name, and whether a merge is still to be decided."""

    oid: str
    is_unmerged: bool


def entries(root: Path, git_folder: Path, paths: Sequence[str], *, size: int = 20) -> dict[str, Staged]:
    """Return what the index holds of some paths, `size` the bytes of an object's name; those it lacks are left out."""
    try:
        index = (git_folder / "index").read_bytes()
    except FileNotFoundError:
        return {}
    except OSError:
        return _asked(root, paths)
    if not _is_whole(index, size):
        raise git.damaged_index(git_folder / "index")
    if not _is_plain(index):
        return _asked(root, paths)
    found = {path: _entry(index, path.encode(), size) for path in paths}
    return {path: entry for path, entry in found.items() if entry is not None}


def require_whole(git_folder: Path, *, size: int = 20) -> None:
    """Raise GitFailed where the index is damaged; Git itself finds out only where it cannot go on at all."""
    try:
        index = (git_folder / "index").read_bytes()
    except OSError:
        return
    if not _is_whole(index, size):
        raise git.damaged_index(git_folder / "index")


def _is_whole(index: bytes, size: int) -> bool:
    """Tell whether an index ends with the digest of itself, or says with zeros that it has none."""
    if len(index) < _FIRST + size or index[:4] != _SIGNATURE:
        return False
    end = index[-size:]
    digest = hashlib.sha1 if size == _SHA1 else hashlib.sha256
    return not any(end) or digest(memoryview(index)[:-size], usedforsecurity=False).digest() == end


def _is_plain(index: bytes) -> bool:
    if _SPLIT in index:
        return False
    return struct.unpack(">I", index[4:8])[0] in _PLAIN


def _entry(index: bytes, name: bytes, size: int) -> Staged | None:
    """Return the entry of a name; it stands right before the name, and entries begin at multiples of eight."""
    place = index.find(name + b"\0", _FIRST)
    while place >= 0:
        for more in (0, 2):  # two more bytes of flags in some entries of version 3
            start = place - more - 2 - size - _STAT
            if start >= _FIRST and (start - _FIRST) % 8 == 0:
                entry = _taken_apart(index[start:place], name, size, has_more=more > 0)
                if entry is not None:
                    return entry
        place = index.find(name + b"\0", place + 1)
    return None


def _taken_apart(head: bytes, name: bytes, size: int, *, has_more: bool) -> Staged | None:
    mode = struct.unpack(">I", head[24:28])[0]
    flags = struct.unpack(">H", head[_STAT + size : _STAT + size + 2])[0]
    if mode & 0o170000 not in _FILE_KINDS or flags & _LENGTH != min(len(name), _LENGTH):
        return None
    if bool(flags & _IS_LONGER) != has_more:
        return None
    return Staged(head[_STAT : _STAT + size].hex(), bool(flags & _STAGE))


def _asked(root: Path, paths: Sequence[str]) -> dict[str, Staged]:
    arguments = ("ls-files", "--stage", "-z", "--", *paths)
    ran = git.run(root, *arguments, env={"GIT_LITERAL_PATHSPECS": "1"})
    found: dict[str, Staged] = {}
    for line in ran.out.decode("utf-8", errors="surrogateescape").split("\0"):
        about, tab, path = line.partition("\t")
        if tab:
            _mode, oid, stage = about.split()
            found[path] = Staged(oid, stage != "0" or path in found)
    return found
