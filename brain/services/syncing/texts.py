"""How the two versions of a file that both sides changed become one, by what kind of file it is."""

from __future__ import annotations

import json
import platform
import re
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import Final

from brain import clock
from brain.guard import paths
from brain.note import merging
from brain.services import log_book
from brain.store.plumbing import three_way

_UNFIT: Final = re.compile(r"[^a-z0-9]+")
_LOG: Final = re.compile(r"(?:log/\d{4}-\d{2}|log)\.md")


def merged(root: Path, path: str, base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """Return one text of three, None where a person has to choose: the log keeps the lines of both sides."""
    if path == log_book.FILE or _LOG.fullmatch(path):
        return three_way.merged(root, ours=theirs, base=base, theirs=ours, union=True)
    if not base or any(b"\0" in one for one in (base, ours, theirs)):
        return None  # both made it, or it is no text
    if paths.is_conflict_copy(path):
        return None

    def lines(before: bytes, mine: bytes, other: bytes) -> bytes | None:
        return three_way.merged(root, ours=mine, base=before, theirs=other)

    if path.lower().endswith(".md"):
        return merging.merged(base, ours, theirs, lines)
    found = lines(base, ours, theirs)
    return found if found is not None and (not path.endswith(".json") or _is_json(found)) else None


def copy_name(path: str, is_taken: Callable[[str], bool]) -> str:
    """Return the name of the copy that keeps this machine's text: `note.conflict-<machine>-<date>.md`."""
    place = PurePosixPath(path)
    moment = clock.now().strftime("%Y%m%d-%H%M%S")
    name = f"{place.stem or place.name}.conflict-{machine()}-{moment}"
    suffixes = ("", *(f"-{number}" for number in range(2, 1000)))
    names = (str(place.with_name(f"{name}{suffix}{place.suffix}")) for suffix in suffixes)
    return next(one for one in names if not is_taken(one))


def machine() -> str:
    """Return this machine's name as it can stand in a file's name."""
    return _UNFIT.sub("-", platform.node().lower().partition(".")[0]).strip("-")[:40] or "machine"


def _is_json(text: bytes) -> bool:
    try:
        json.loads(text)
    except ValueError:
        return False
    return True
