"""Taking one commit's changes out of the files as they are now, without touching anything."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.store import files, history
from brain.store.plumbing import three_way
from brain.store.repository import Repository

_STAMP: Final = re.compile(rb"(?m)^updated:[^\r\n]*")


@dataclass(frozen=True)
class Reverted:
    """What each path would hold (None: nothing), and the paths where that cannot be said."""

    contents: dict[str, bytes | None]
    conflicts: list[str]


def revert(
    repository: Repository, commit: str, paths: list[str], *, held: Mapping[str, bytes | None] | None = None
) -> Reverted:
    """Return the files without what a commit did to them; later changes elsewhere in a file are kept.

    `held` stands for the files of these paths, as where a later commit was reverted before.
    """
    before_commit = history.parent(repository, commit)
    contents: dict[str, bytes | None] = {}
    conflicts: list[str] = []
    for path in paths:
        after, before = repository.checked_out(commit, path), repository.checked_out(before_commit, path)
        now = held[path] if held is not None and path in held else files.read(repository.root, path)
        if now == after:
            contents[path] = before
        elif now == before:
            continue
        elif now is None or before is None or after is None:
            conflicts.append(path)
        else:
            merged = _merge(repository.root, now=now, base=after, other=before)
            contents[path] = merged
            conflicts += [path] if merged is None else []
    return Reverted({path: content for path, content in contents.items() if path not in conflicts}, conflicts)


def _merge(root: Path, *, now: bytes, base: bytes, other: bytes) -> bytes | None:
    """Merge three texts line by line, None where they conflict; the stamp of the last change never does."""
    stamp = _STAMP.search(now)
    texts = [now, *((_STAMP.sub(lambda _found: stamp[0], text, count=1) if stamp else text) for text in (base, other))]
    return three_way.merged(root, ours=texts[0], base=texts[1], theirs=texts[2])
