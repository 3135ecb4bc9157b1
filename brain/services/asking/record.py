"""ask.log: a line for each question that went to a provider, for the person alone; what was asked is not in it."""

from __future__ import annotations

import contextlib
import json
import os
from pathlib import Path
from typing import Final

from brain import clock, config
from brain.caller import Caller
from brain.contracts.asking import AskOutput, Diagnostics

FILE: Final = "ask.log"
_MOST_BYTES: Final = 1_000_000
_ONLY_ITS_USER: Final = 0o600


def keep(folder: Path, caller: Caller, output: AskOutput, diagnostics: Diagnostics) -> None:
    """Add a line to ask.log; a disk that is full or a folder that is gone changes no answer."""
    line = {
        "at": clock.now().isoformat(timespec="seconds"),
        "brain": str(config.here().root),
        "by": caller.origin,
        "surface": caller.surface.value,
        "status": output.status,
        **diagnostics.model_dump(),
        "omitted": output.omitted.model_dump(),
    }
    with contextlib.suppress(OSError):
        _append(folder / FILE, json.dumps(line, ensure_ascii=False) + "\n")


def _append(file: Path, line: str) -> None:
    if file.exists() and file.stat().st_size > _MOST_BYTES:
        file.replace(file.with_name(f"{FILE}.1"))
    descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, _ONLY_ITS_USER)
    try:
        os.write(descriptor, line.encode())
    finally:
        os.close(descriptor)
