"""Three texts made one, line by line, by Git's own merge of files."""

from __future__ import annotations

import tempfile
from pathlib import Path

from brain.config import MACHINE_FOLDER
from brain.store import git


def merged(root: Path, *, ours: bytes, base: bytes, theirs: bytes, union: bool = False) -> bytes | None:
    """Return the text with the changes of both sides, None where they conflict; a `union` keeps the lines of both."""
    scratch = root / MACHINE_FOLDER / "tmp"
    scratch.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="write-merge-", dir=scratch) as folder:
        names = [Path(folder) / name for name in ("ours", "base", "theirs")]
        for file, text in zip(names, (ours, base, theirs), strict=True):
            file.write_bytes(text)
        how = ("--union",) if union else ()
        ran = git.run(root, "merge-file", "-p", "-q", *how, *map(str, names), check=False)
    return ran.out if ran.code == 0 else None
