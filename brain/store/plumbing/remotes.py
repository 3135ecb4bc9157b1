"""Whether a repository has a remote at all."""

from __future__ import annotations

from pathlib import Path

from brain.store import git


def is_configured(root: Path) -> bool:
    """Tell whether the repository has a remote to sync with."""
    return bool(git.run(root, "remote", check=False).text.strip())
