"""Which files Git is told to leave alone: what the person keeps out of history is never written into it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from brain.config import MACHINE_FOLDER
from brain.store import git
from brain.store.repository import Repository

_OWN: Final = frozenset({MACHINE_FOLDER, "index.md"})


def ignored(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Return those of the paths that Git ignores and does not know; asks Git only where something could be ignored."""
    if not any(_has_patterns(file) for file in _files(repository, paths)):
        return []
    given = b"".join(path.encode() + b"\0" for path in paths)
    ran = git.run(repository.root, "check-ignore", "-z", "--stdin", stdin=given, check=False)
    if ran.code > 1:
        raise git.failure(repository.root, ("check-ignore",), ran)
    return [path for path in ran.out.decode("utf-8", errors="surrogateescape").split("\0") if path]


def _files(repository: Repository, paths: Sequence[str]) -> list[Path]:
    """Return where the patterns for these paths may stand."""
    folders = {parent for path in paths for parent in Path(path).parents}
    files = [repository.root / folder / ".gitignore" for folder in folders]
    return [*files, *repository.settings.exclude_files()]


def _has_patterns(file: Path) -> bool:
    """Tell whether a file names anything but what is Cabeção's own."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return False
    patterns = (line.strip() for line in lines if not line.startswith("#"))
    return any(pattern and pattern.strip("/") not in _OWN for pattern in patterns)
