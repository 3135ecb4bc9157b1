"""What a write is about to do, flushed before it does it, so that a process that dies leaves no half of it.

Recovery looks at Git: where the operation's commit is on the branch, the rest is finished; where it is not, exactly the
paths of the entry are put back, and only where they still hold what the write had put there.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final

from brain.config import MACHINE_FOLDER
from brain.store import files
from brain.store.objects import flush_folder
from brain.store.repository import Repository

FOLDER: Final = "journal"
_LOOK_BACK: Final = 64


@dataclass(frozen=True)
class Entry:
    """One write: its operation, the commit it stood on, and digests of what each path is to hold (None: nothing)."""

    op: str
    parent: str | None
    branch: str
    after: Mapping[str, str | None]
    audit: Mapping[str, Any]

    @property
    def paths(self) -> list[str]:
        """The paths that the write touches."""
        return list(self.after)


def digest(content: bytes | None) -> str | None:
    """Return the digest by which a content is recognised, None for no content."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def begin(root: Path, entry: Entry) -> None:
    """Write an entry down, flushed to the disk."""
    folder = root / MACHINE_FOLDER / FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{entry.op}.json"
    with file.open("w", encoding="utf-8") as stream:
        json.dump(asdict(entry), stream, ensure_ascii=False)
        stream.flush()
        os.fsync(stream.fileno())
    flush_folder(folder)


def close(root: Path, op: str) -> None:
    """Forget an entry: its write is whole, or put back."""
    (root / MACHINE_FOLDER / FOLDER / f"{op}.json").unlink(missing_ok=True)


def pending(root: Path) -> list[Entry]:
    """Return the entries of writes that did not come to their end, oldest first; a torn entry touched nothing yet."""
    found: list[Entry] = []
    for file in sorted((root / MACHINE_FOLDER / FOLDER).glob("*.json")):
        try:
            found.append(Entry(**json.loads(file.read_text(encoding="utf-8"))))
        except (ValueError, TypeError):
            file.unlink(missing_ok=True)
    return found


def committed(repository: Repository, entry: Entry) -> str | None:
    """Return the entry's commit where it is on the branch, None where the write never got that far."""
    oid = repository.head().commit
    for _step in range(_LOOK_BACK):
        if oid is None or oid == entry.parent:
            return None
        found = repository.objects.read(oid)
        if found is None or found[0] != "commit":
            return None
        if f"\nCabecao-Op: {entry.op}\n".encode() in found[1]:
            return oid
        oid = next((line[7:].decode() for line in found[1].split(b"\n") if line.startswith(b"parent ")), None)
    return None


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
