"""Texts that the person typed and has not saved yet: kept on this machine, so that no crash takes them.

A file for each, in the machine's own folder, readable by its user alone. What is private, and what looks as if it held
a secret, is not kept.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, Final

from brain import clock, config
from brain.guard import secrets
from brain.note import document, fields

FOLDER: Final = "drafts"
LIFETIME: Final = timedelta(days=30)
MOST: Final = 100


@dataclass(frozen=True)
class Kept:
    """A text, the digest of the version that it was typed over, and since when it waits."""

    text: str
    base: str
    at: datetime


def keep(name: str, text: str, base: str) -> bool:
    """Keep what was typed for a note, by its id or path, and tell whether it was kept."""
    note = document.parse(text.encode(errors="replace"))
    if fields.is_private(note) or secrets.scan(text, human=True):
        drop(name)
        return False
    place = _place(name)
    new = place.with_name(f"{place.name}.{os.getpid()}")
    row = {"text": text, "base": base, "at": clock.timestamp()}
    try:
        place.parent.mkdir(mode=0o700, exist_ok=True)
        descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as stream:
            json.dump(row, stream)
        new.replace(place)
        _tidy(place.parent)
    except (OSError, UnicodeError):
        return False
    return True


def kept(name: str) -> Kept | None:
    """Return what waits for a note, None where nothing does."""
    try:
        row: Any = json.loads(_place(name).read_text(encoding="utf-8"))
        return Kept(str(row["text"]), str(row["base"]), datetime.fromisoformat(row["at"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None


def drop(name: str) -> None:
    """Forget what waits for a note: it is saved, or no longer wanted."""
    with contextlib.suppress(OSError):
        _place(name).unlink(missing_ok=True)


def _place(name: str) -> Path:
    digest = hashlib.sha256(name.encode(errors="replace")).hexdigest()[:32]
    return config.here().machine / FOLDER / f"{digest}.json"


def _tidy(folder: Path) -> None:
    """Take away what waits for too long, and the oldest of too many."""
    found = sorted(folder.glob("*.json"), key=lambda file: file.stat().st_mtime, reverse=True)
    oldest = (clock.now() - LIFETIME).timestamp()
    for number, file in enumerate(found):
        if number >= MOST or file.stat().st_mtime < oldest:
            file.unlink(missing_ok=True)
