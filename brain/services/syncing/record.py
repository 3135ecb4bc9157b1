"""When the brain was synced last on this machine, how that went, and whether a sync runs now."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

from filelock import FileLock, Timeout

from brain import clock, config
from brain.contracts.syncing import SyncOutput

_LAST: Final = "sync.json"
_LOCK: Final = "sync.lock"


@contextmanager
def only_one() -> Iterator[bool]:
    """Hold the right to sync; False where another process has it. The system frees it when a process dies."""
    lock = _lock()
    try:
        lock.acquire(timeout=0)
    except Timeout:
        yield False
        return
    try:
        yield True
    finally:
        lock.release()


def is_running() -> bool:
    """Tell whether some process syncs just now."""
    if not (config.here().machine / _LOCK).exists():
        return False
    with only_one() as free:
        return not free


def keep(output: SyncOutput, *, settings: tuple[str, str] | None = None) -> None:
    """Write down how a sync ended; `settings` are the commits between which it brought others."""
    before = last()
    told: dict[str, Any] = {
        "at": clock.timestamp(),
        "status": output.status,
        "reason": output.reason,
        "message": output.message,
    }
    told |= {"integration": output.integration, "pulled": output.pulled, "pushed": output.pushed}
    told |= {"committed": output.committed, "next_step": output.next_step, "remote_error": output.remote_error}
    told |= {"secrets": [one.model_dump() for one in output.secrets]}
    told |= {"conflicts": [one.model_dump() for one in output.conflicts]}
    told["ok_at"] = told["at"] if output.status == "ok" else before.get("ok_at")
    told["settings"] = [*settings, told["at"]] if settings else before.get("settings")
    told["residents"] = any(one.code == "unattested_resident" for one in output.warnings)
    file = config.here().machine / _LAST
    fresh = file.with_suffix(".json.new")
    fresh.write_text(json.dumps(told), encoding="utf-8")
    fresh.replace(file)


def last() -> dict[str, Any]:
    """Return what was written down, nothing where no sync ran yet."""
    try:
        found = json.loads((config.here().machine / _LAST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _lock() -> FileLock:
    folder = config.here().machine
    folder.mkdir(exist_ok=True)
    return FileLock(folder / _LOCK, thread_local=False, fallback_to_soft=False, preserve_lock_file=True)
