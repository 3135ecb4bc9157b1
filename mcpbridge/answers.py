"""Whether agents have the tool `ask` here: looked up again only when a file that decides it has changed.

Standard library only until a provider was turned on: the first answer of a process waits for it.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from brain.config import FILE

Stamp = tuple[tuple[int, int] | None, ...]


@dataclass
class Answers:
    """What one server offers: nothing without a brain, and in a consolidation that runs by itself."""

    root: Path | None = None
    _stamp: Stamp | None = field(default=None, repr=False)
    _are_on: bool = field(default=False, repr=False)

    def are_on(self) -> bool:
        """Tell whether a provider is turned on and the brain lets it be asked."""
        if self.root is None:
            return False
        from llm import folders

        place = folders.place()
        if not place.is_own:
            return False
        deciding = (place.folder / folders.SETTINGS, place.folder / folders.CONSENT, self.root / FILE)
        stamp = tuple(_of_file(file) for file in deciding)
        if stamp != self._stamp:
            self._stamp = stamp
            self._are_on = stamp[0] is not None and _is_offered(self.root)
        return self._are_on


def _of_file(file: Path) -> tuple[int, int] | None:
    try:
        found = os.stat(file)  # noqa: PTH116 (no Path is made for a look every other second)
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _is_offered(root: Path) -> bool:
    from brain.services.asking import permission

    return permission.is_offered(root)
