"""Where a new note goes: its type's folder, kept under a size that Git's trees stay quick with."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from brain import clock
from brain.store.files import folded

MOST_FILES: Final = 900


def with_room(root: Path, folder: str) -> tuple[str, Callable[[str], bool]]:
    """Return a folder that has room, and whether a name is taken in it; a full one gets a subfolder for the year.

    A year's folder that is full too gets one for the month, then a numbered one.
    """
    today = clock.today()
    choices = [folder, f"{folder}/{today:%Y}", f"{folder}/{today:%Y/%m}"]
    choices += [f"{folder}/{today:%Y/%m}-{number}" for number in range(2, 1000)]
    for choice in choices:
        names = _names(root / choice)
        if len(names) < MOST_FILES:
            break
    return choice, lambda name: folded(name) in names


def _names(folder: Path) -> set[str]:
    try:
        return {folded(name) for name in os.listdir(folder)}  # noqa: PTH208 (names are all that is needed)
    except FileNotFoundError:
        return set()
