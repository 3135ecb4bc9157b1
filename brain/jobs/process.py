"""What tells one process from every other: host, number and start.

A process number alone is used again after a while, and a clock can be set back; the start is the kernel's own count of
ticks since boot where there is one (Linux), and the operating system's start time elsewhere.
"""

from __future__ import annotations

import os
import platform
from functools import cache
from pathlib import Path
from typing import Final

import psutil


def identity() -> str:
    """Return this process's identity, `host/pid/start`."""
    return _identity(os.getpid())


@cache
def _identity(pid: int) -> str:
    return of(pid) or f"{host()}/{pid}/0"


def of(pid: int) -> str | None:
    """Return a process's identity, None where there is no such process (or only its remains)."""
    start = _start(pid)
    return start and f"{host()}/{pid}/{start}"


@cache
def host() -> str:
    """Return this machine's name."""
    return platform.node().replace("/", "-") or "localhost"


def is_here(owner: str) -> bool:
    """Tell whether a process is (or was) one of this machine."""
    return owner.partition("/")[0] == host()


def known_dead(owner: str) -> bool:
    """Tell whether a process of this machine has ended; False for another machine's, which can't be looked at."""
    machine, _, rest = owner.partition("/")
    number = rest.partition("/")[0]
    return machine == host() and number.isdecimal() and of(int(number)) != owner


_HAS_PROC: Final = Path("/proc/self/stat").exists()


def _start(pid: int) -> str | None:
    if _HAS_PROC:
        return _start_in_ticks(pid)
    try:
        process = psutil.Process(pid)
        return None if process.status() == psutil.STATUS_ZOMBIE else f"{process.create_time():.2f}"
    except psutil.AccessDenied:
        return "0"
    except psutil.Error:
        return None


def _start_in_ticks(pid: int) -> str | None:
    try:
        fields = Path(f"/proc/{pid}/stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return None
    return None if fields[0] in "ZX" else f"{_boot()}-{fields[19]}"


@cache
def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii")[:8]
    except OSError:
        return "boot"
