"""What a write is about to do, flushed before it does it, so that a process that dies leaves no half of it.

Recovery looks at Git: where the operation's commit is on the branch, the rest is finished; where it is not, exactly the
paths of the entry are put back, and only where they still hold what the write had put there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from brain.config import MACHINE_FOLDER
from brain.store import files, history, messages
from brain.store.plumbing.flushing import flush, flush_content, flush_folder
from brain.store.repository import Repository

FOLDER: Final = "journal"
_CURRENT: Final = "current"
_BLOCK: Final = 4096
_FORGOTTEN: Final = b"-"  # written over the digest's first sign


@dataclass(frozen=True)
class Entry:
    """One write: its operation, the commit it stood on, and digests of what each path is to hold (None: nothing).

    `commit` is set once it is made and only what follows it is still to do. `target` is set where the branch is to move
    to a commit that is there already, as after a fetch. An entry without a row for the audit log
    stands for the person's own edits on their way into a commit: their files are never put back.
    """

    op: str
    parent: str | None
    branch: str
    after: Mapping[str, str | None]
    audit: Mapping[str, Any]
    commit: str | None = None
    target: str | None = None

    @property
    def paths(self) -> list[str]:
        """The paths that the write touches."""
        return list(self.after)


def digest(content: bytes | None) -> str | None:
    """Return the digest by which a content is recognised, None for no content."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def begin(root: Path, entry: Entry) -> None:
    """Write an entry down, flushed to the disk; DiskFull or GitFailed where that is not possible.

    The entry of the day is written over the one before, in a file that keeps its size: no room and no name is needed.
    """
    try:
        folder = _folder(root)
        _set_aside(folder)
        content = _sealed(entry)
        descriptor = os.open(folder / _CURRENT, os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o644)
        with os.fdopen(descriptor, "wb", buffering=0) as stream:
            if os.fstat(descriptor).st_size == len(content):
                stream.write(content)
                flush_content(descriptor)
                return
            stream.truncate(len(content))
            stream.write(content)
            flush(descriptor)
        flush_folder(folder)
    except OSError as error:
        raise files.refusal(error) from error


def keep(root: Path, entry: Entry, commit: str) -> None:
    """Note that an entry's commit is made, and that something which follows it is still to do."""
    with contextlib.suppress(OSError):
        folder = _folder(root)
        _write_kept(folder, replace(entry, commit=commit))
        _forget_current(folder, entry.op)


def close(root: Path, op: str) -> bool:
    """Forget an entry: its write is whole, or put back; False where it cannot be forgotten yet."""
    folder = root / MACHINE_FOLDER / FOLDER
    try:
        _forget_current(folder, op)
        (folder / f"{op}.json").unlink(missing_ok=True)
    except OSError:
        return False
    return True


def pending(root: Path) -> list[Entry]:
    """Return the entries of writes that did not come to their end, oldest first; a torn entry touched nothing yet."""
    folder = root / MACHINE_FOLDER / FOLDER
    found: dict[str, Entry] = {}
    try:
        current = _current(folder)
        if current is not None:
            found[current.op] = current
        for file in folder.glob("*.json"):
            entry = _read_kept(file)
            if entry is not None:
                found[entry.op] = entry
    except OSError as error:
        raise files.refusal(error) from error
    return [found[op] for op in sorted(found)]


def count(root: Path) -> int:
    """Return how many entries there are, whole or torn, and change nothing."""
    folder = root / MACHINE_FOLDER / FOLDER
    current = _current(folder)
    return len({file.stem for file in folder.glob("*.json")} | ({current.op} if current else set()))


def is_used(root: Path) -> bool:
    """Tell whether a write was ever begun on this machine."""
    return (root / MACHINE_FOLDER / FOLDER / _CURRENT).exists()


def _folder(root: Path) -> Path:
    folder = root / MACHINE_FOLDER / FOLDER
    if not folder.is_dir():
        folder.mkdir(parents=True, exist_ok=True)
    return folder


def _sealed(entry: Entry) -> bytes:
    """Return an entry as the file of the day holds it: its digest, the entry, and blanks up to a whole block."""
    text = json.dumps(asdict(entry)).encode("ascii")
    content = hashlib.sha256(text).hexdigest().encode() + b" " + text
    return content.ljust(-(-len(content) // _BLOCK) * _BLOCK)


def _current(folder: Path) -> Entry | None:
    """Return the entry of the day; None where there is none, it was forgotten, or it was not written whole."""
    try:
        seal, _blank, text = (folder / _CURRENT).read_bytes().rstrip(b" ").partition(b" ")
    except FileNotFoundError:
        return None
    if hashlib.sha256(text).hexdigest().encode() != seal:
        return None
    try:
        return Entry(**json.loads(text))
    except (ValueError, TypeError):  # of another version
        return None


def _forget_current(folder: Path, op: str) -> None:
    entry = _current(folder)
    if entry is not None and entry.op == op:
        with (folder / _CURRENT).open("r+b", buffering=0) as stream:
            stream.write(_FORGOTTEN)


def _set_aside(folder: Path) -> None:
    """Give the entry of the day a file of its own where something of it is still to do."""
    entry = _current(folder)
    if entry is not None:
        _write_kept(folder, entry)


def _write_kept(folder: Path, entry: Entry) -> None:
    fresh = folder.parent / "tmp" / f"write-{entry.op}"
    with fresh.open("w", encoding="ascii") as stream:
        stream.write(json.dumps(asdict(entry)))
        stream.flush()
        flush(stream.fileno())
    fresh.replace(folder / f"{entry.op}.json")
    flush_folder(folder)


def _read_kept(file: Path) -> Entry | None:
    try:
        return Entry(**json.loads(file.read_text(encoding="utf-8")))
    except FileNotFoundError:
        return None
    except (ValueError, TypeError):
        file.unlink(missing_ok=True)
        return None


def committed(repository: Repository, entry: Entry) -> str | None:
    """Return the entry's commit where a branch has it, None where the write never got that far."""
    if entry.commit is not None:
        return entry.commit
    head = repository.head().commit
    if head == entry.parent or head is None:
        return None
    if entry.target is not None:
        return entry.target if history.is_ancestor(repository.root, entry.target, head) else None
    line = f"{messages.OP}: {entry.op}"
    if f"\n{line}\n".encode() in repository.commit_of(head):
        return head
    return history.commit_with(repository.root, line)


def put_back(repository: Repository, entry: Entry) -> list[str]:
    """Give the entry's paths the content of the commit it stood on; return those that a person changed since."""
    kept: list[str] = []
    for path, after in entry.after.items():
        before = repository.checked_out(entry.parent, path)
        now = files.read(repository.root, path)
        if digest(now) == digest(before):
            continue
        if digest(now) != after:
            kept.append(path)
        elif before is None:
            files.remove(repository.root, path)
        else:
            files.write(repository.root, path, before)
    return kept
