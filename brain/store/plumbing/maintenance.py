"""Upkeep of the repository, in the background and never in a write."""

from __future__ import annotations

from pathlib import Path

from brain.store import git


def gc(root: Path) -> None:
    """Pack loose objects once there are many of them, as Git itself judges."""
    git.run(
        root, "-c", "gc.auto=2000", "-c", "gc.autoDetach=false", "gc", "--auto", "--quiet", check=False, seconds=600
    )
