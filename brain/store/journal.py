"""What a write is about to do, flushed before it does it, so that a process that dies leaves no half of it.

Recovery looks at Git: where the operation's commit is on the branch, the rest is finished; where it is not, exactly the
paths of the entry are put back, and only where they still hold what the write had put there.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from brain.config import MACHINE_FOLDER
from brain.store import files, history, messages
from brain.store.plumbing.flushing import flush, flush_folder
from brain.store.repository import Repository

FOLDER: Final = "journal"


@dataclass(frozen=True)
class Entry:
    """One write: its operation, the commit it stood on, and digests of what each path is to hold (None: nothing).

    `commit` is set once it is made and only what follows it is still to do. An entry without a row for the audit log
    stands for the person's own edits on their way into a commit: their files are never put back.
    """

    op: str
    parent: str | None
    branch: str
    after: Mapping[str, str | None]
    audit: Mapping[str, Any]
    commit: str | None = None

    @property
    def paths(self) -> list[str]:
        """The paths that the write touches."""
        return list(self.after)


def digest(content: bytes | None) -> str | None:
    """Return the digest by which a content is recognised, None for no content."""
    return None if content is None else hashlib.sha256(content).hexdigest()


def begin(root: Path, entry: Entry) -> None:
    """Write an entry down, flushed to the disk; DiskFull or GitFailed where that is not possible."""
    folder = root / MACHINE_FOLDER / FOLDER
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True, exist_ok=True)
        with (folder / f"{entry.op}.json").open("w", encoding="ascii") as stream:
            stream.write(json.dumps(asdict(entry)))
            stream.flush()
            flush(stream.fileno())
        flush_folder(folder)
    except OSError as error:
        raise files.refusal(error) from error


def keep(root: Path, entry: Entry, commit: str) -> None:
    """Note that an entry's commit is made, and that something which follows it is still to do."""
    with contextlib.suppress(OSError):
        file = root / MACHINE_FOLDER / FOLDER / f"{entry.op}.json"
        fresh = root / MACHINE_FOLDER / "tmp" / f"write-{entry.op}"
        fresh.write_text(json.dumps(asdict(replace(entry, commit=commit))), encoding="ascii")
        fresh.replace(file)


def close(root: Path, op: str) -> bool:
    """Forget an entry: its write is whole, or put back; False where it cannot be forgotten yet."""
    try:
        (root / MACHINE_FOLDER / FOLDER / f"{op}.json").unlink(missing_ok=True)
    except OSError:
        return False
    return True


def pending(root: Path) -> list[Entry]:
    """Return the entries of writes that did not come to their end, oldest first; a torn entry touched nothing yet."""
    found: list[Entry] = []
    for file in sorted((root / MACHINE_FOLDER / FOLDER).glob("*.json")):
        try:
            found.append(Entry(**json.loads(file.read_text(encoding="utf-8"))))
        except (ValueError, TypeError):
            close(root, file.stem)
        except OSError as error:
            raise files.refusal(error) from error
    return found


def committed(repository: Repository, entry: Entry) -> str | None:
    """Return the entry's commit where a branch has it, None where the write never got that far."""
    if entry.commit is not None:
        return entry.commit
    head = repository.head().commit
    if head == entry.parent:
        return None
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
