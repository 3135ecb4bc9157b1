"""Git's objects: read through one long-lived `git cat-file`, written as loose files that are flushed to the disk.

Measured against GitPython (docs/decisions/0003): as fast, no import of 130 ms, and the flush is part of the write.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import subprocess
import threading
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.errors import GitFailed
from brain.language import gettext as _
from brain.store import git
from brain.store.plumbing import flushing

TREE_MODE: Final = "40000"
FILE_MODE: Final = "100644"
IN_THE_MAKING: Final = "tmp_obj_"  # as Git names its own
_OURS: Final = re.compile(IN_THE_MAKING + "[0-9a-f]{12}")  # Git's are shorter, and its own to clean up
_MOST_TREES: Final = 32


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of a tree; `mode` is octal text as Git writes it."""

    mode: str
    name: bytes
    oid: str

    @property
    def order(self) -> bytes:
        """The key by which Git sorts: folders as if their names ended in a slash."""
        return self.name + b"/" if self.mode == TREE_MODE else self.name


class Objects:
    """The object database of one repository, for one thread at a time."""

    def __init__(self, root: Path, folder: Path, algorithm: str = "sha1") -> None:
        self._root = root
        self._folder = folder
        self._hash = algorithm
        self._size = 20 if algorithm == "sha1" else 32
        self._reader: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._waiting: dict[str, bytes] = {}
        self._spread = False
        self._trees: dict[str, dict[bytes, Entry]] = {}

    @property
    def size(self) -> int:
        """How many bytes an object's name has."""
        return self._size

    # reading

    def read(self, oid: str) -> tuple[str, bytes] | None:
        """Return the kind and content of an object by any name that Git understands, None where there is none."""
        with self._lock:
            try:
                return self._ask(oid)
            except (OSError, ValueError):
                self._stop()
            try:
                return self._ask(oid)
            except (OSError, ValueError) as error:
                self._stop()
                raise GitFailed(_("Git's object database does not answer.")) from error

    def blob(self, oid: str) -> bytes | None:
        """Return a file's content."""
        found = self.read(oid)
        return found[1] if found and found[0] == "blob" else None

    def tree(self, oid: str) -> dict[bytes, Entry]:
        """Return a tree's entries by name; GitFailed where it is not there, for that is never an empty folder."""
        known = self._trees.get(oid)
        if known is not None:
            return known
        found = self.read(oid)
        if found is None or found[0] != "tree":
            raise GitFailed(_("Git's object database is damaged: the tree %(oid)s is missing.") % {"oid": oid[:12]})
        if len(self._trees) > _MOST_TREES:
            self._trees = {}
        entries = {entry.name: entry for entry in self._entries(found[1])}
        self._trees[oid] = entries
        return entries

    def _ask(self, oid: str) -> tuple[str, bytes] | None:
        if "\n" in oid:
            return None
        process = self._start()
        assert process.stdin is not None and process.stdout is not None  # noqa: PT018, S101
        process.stdin.write(oid.encode() + b"\n")
        process.stdin.flush()
        words = process.stdout.readline().split()
        if not words:
            raise ValueError("no answer")
        if len(words) != 3:
            return None
        content = process.stdout.read(int(words[2]) + 1)
        if len(content) != int(words[2]) + 1:
            raise ValueError("cut answer")
        return words[1].decode(), content[:-1]

    def _start(self) -> subprocess.Popen[bytes]:
        if self._reader is None or self._reader.poll() is not None:
            self._reader = subprocess.Popen(
                ["git", "cat-file", "--batch"],
                cwd=self._root,
                env=git.environment(GIT_OPTIONAL_LOCKS="0"),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        return self._reader

    def _stop(self) -> None:
        if self._reader is not None:
            for stream in (self._reader.stdin, self._reader.stdout):
                if stream is not None:
                    with contextlib.suppress(OSError):
                        stream.close()
            self._reader.kill()
            self._reader.wait()
            self._reader = None

    def close(self) -> None:
        """End the reader."""
        with self._lock:
            self._stop()

    def _entries(self, content: bytes) -> Iterator[Entry]:
        place = 0
        while place < len(content):
            blank = content.index(b" ", place)
            end = content.index(b"\0", blank)
            after = end + 1 + self._size
            mode, name = content[place:blank].decode(), content[blank + 1 : end]
            yield Entry(mode, name, content[end + 1 : after].hex())
            place = after

    # writing

    def oid_of(self, kind: str, content: bytes) -> str:
        """Return the name that Git gives to a content."""
        return hashlib.new(self._hash, b"%s %d\0" % (kind.encode(), len(content)) + content).hexdigest()

    def write(self, kind: str, content: bytes) -> str:
        """Take an object in and return its name; it is there for others once `flush` has put it on the disk."""
        whole = b"%s %d\0" % (kind.encode(), len(content)) + content
        oid = hashlib.new(self._hash, whole).hexdigest()
        self._waiting.setdefault(oid, whole)
        return oid

    def write_tree(self, entries: dict[bytes, Entry]) -> str:
        """Take a tree in and return its name."""
        ordered = sorted(entries.values(), key=lambda entry: entry.order)
        content = b"".join(b"%s %s\0" % (one.mode.encode(), one.name) + bytes.fromhex(one.oid) for one in ordered)
        oid = self.write("tree", content)
        self._trees[oid] = entries
        return oid

    def flush(self) -> None:
        """Store what was taken in as loose objects: each is flushed, renamed to its name, and its folder flushed."""
        waiting, self._waiting = self._waiting, {}
        folders: set[str] = set()
        if waiting and not self._spread:
            self._make_folders(folders)
        jobs: list[tuple[object, ...]] = []
        for oid, whole in waiting.items():
            folder = f"{self._folder}/{oid[:2]}"
            if not _freshened(f"{folder}/{oid[2:]}"):
                _make_folder(folder, folders, above=str(self._folder))
                jobs.append((folder, oid[2:], zlib.compress(whole, 1)))
                folders.add(folder)
        flushing.together(_store, jobs)
        flushing.together(flushing.flush_folder, ((folder,) for folder in folders))

    def _make_folders(self, touched: set[str]) -> None:
        """Make the folders that a clean-up of Git took away, all at once: one by one they would slow many writes."""
        self._spread = True
        there = set(os.listdir(self._folder))  # noqa: PTH208 (names are all that is needed)
        for name in (f"{number:02x}" for number in range(256)):
            if name not in there:
                _make_folder(f"{self._folder}/{name}", touched, above=str(self._folder))

    def tidy(self) -> None:
        """Take away what a process that died had begun to store here; only under the write lock."""
        for leftover in self._folder.glob(f"[0-9a-f][0-9a-f]/{IN_THE_MAKING}*"):
            if _OURS.fullmatch(leftover.name):
                with contextlib.suppress(OSError):
                    leftover.unlink()

    def forget(self) -> None:
        """Drop what was taken in and not stored."""
        self._waiting = {}


def _freshened(file: str) -> bool:
    """Tell whether an object is stored loose; its time is renewed, so that no clean-up takes it for forgotten."""
    try:
        os.utime(file)
    except FileNotFoundError:
        return False
    except OSError:  # another user's, which may be read all the same
        return True
    return True


def _make_folder(folder: str, touched: set[str], *, above: str) -> None:
    try:
        os.mkdir(folder)  # noqa: PTH102 (the write path counts in microseconds)
    except FileExistsError:
        return
    touched.add(above)


def _store(folder: str, name: str, content: bytes) -> None:
    temporary = f"{folder}/{IN_THE_MAKING}{secrets.token_hex(6)}"
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o444)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
            stream.flush()
            flushing.flush(descriptor)
        os.replace(temporary, f"{folder}/{name}")  # noqa: PTH105
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary)  # noqa: PTH108
        raise
