"""Which server serves a brain: its process and port, in a file of the machine's folder.

The process is named by number and start, so that a number used again is never taken for it.
"""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path

from brain.clock import timestamp
from brain.config import Brain
from brain.jobs import process


@dataclass(frozen=True)
class Running:
    """A server that lives."""

    pid: int
    identity: str
    port: int


def find(brain: Brain) -> Running | None:
    """Return the server of a brain, None where none lives."""
    try:
        value = json.loads(_file(brain).read_text(encoding="utf-8"))
        found = Running(int(value["pid"]), str(value["process"]), int(value["port"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return found if process.of(found.pid) == found.identity else None


def write(brain: Brain, port: int) -> None:
    """Note that this process serves the brain."""
    value = {"pid": os.getpid(), "process": process.identity(), "port": port, "started": timestamp()}
    fresh = _file(brain).with_name(f"server.json.{os.getpid()}")
    fresh.write_text(json.dumps(value) + "\n", encoding="utf-8")
    fresh.replace(_file(brain))


def remove(brain: Brain) -> None:
    """Forget this process's note; another server's stays."""
    found = find(brain)
    if found and found.pid == os.getpid():
        _file(brain).unlink(missing_ok=True)


def _file(brain: Brain) -> Path:
    return brain.machine / "server.json"
