"""What a rule is, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from brain.services.linting.mending import Mend
from brain.services.linting.snapshot import Snapshot

Severity = Literal["error", "warning", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "info")


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing to look at; without a line it is about the whole note."""

    path: str
    message: str
    fix: str
    line: int | None = None
    related: tuple[str, ...] = ()
    mend: Mend | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A named question to the snapshot; its findings all have one severity."""

    name: str
    severity: Severity
    find: Callable[[Snapshot], Iterator[Finding]]
