"""What changed in the tree since one last asked."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class Changes:
    """Files that were touched, folders to walk again, and whether more happened than the queue could hold."""

    paths: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    overflow: bool = False

    def __bool__(self) -> bool:
        return self.overflow or bool(self.paths) or bool(self.folders)

    def add(self, other: Changes) -> None:
        """Take in what another drain found."""
        self.paths |= other.paths
        self.folders |= other.folders
        self.overflow = self.overflow or other.overflow
