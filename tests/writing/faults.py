"""Faults at will: the n-th call of the system, or the n-th run of Git, goes wrong."""

from __future__ import annotations

import errno
import io
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self

import pytest

CALLS = ("open", "fsync", "fdatasync", "replace", "unlink", "link", "mkdir", "chmod")
DEAD = 9
ERRORS = (errno.ENOSPC, errno.EIO, errno.EACCES)
DIES = 'echo "fatal: unable to write: No space left on device" >&2; exit 128'
REFUSES = 'echo "fatal: something is wrong" >&2; exit 128'
LIES = 'git "$@"; exit 1'


class Writer:
    """A file open for writing, whose writes count as calls."""

    def __init__(self, stream: Any, strike: Callable[[str], None]) -> None:
        self._stream, self._strike = stream, strike

    def write(self, content: Any) -> int:
        self._strike("write")
        return int(self._stream.write(content))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *about: object) -> None:
        self._stream.close()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


class Fault:
    """Counts the calls made inside a folder and lets the n-th one fail."""

    def __init__(self, patch: pytest.MonkeyPatch, root: Path) -> None:
        self.at = 0
        self.error = errno.EIO
        self.count = 0
        self.what = ""
        self._root = str(root)
        for name in CALLS:
            patch.setattr(os, name, self._counted(name, getattr(os, name)))
        self._open = io.open
        patch.setattr(io, "open", self._open_counted)

    @property
    def struck(self) -> bool:
        return bool(self.what)

    def arm(self, at: int, error: int) -> None:
        self.at, self.error, self.count, self.what = at, error, 0, ""

    def disarm(self) -> None:
        self.at = 0

    def strike(self, name: str) -> None:
        self.count += 1
        if self.at and self.count == self.at:
            self.what = name
            raise OSError(self.error, os.strerror(self.error))

    def _counted(self, name: str, real: Callable[..., Any]) -> Callable[..., Any]:
        def call(first: Any, *rest: Any, **named: Any) -> Any:
            if self._concerns(first):
                self.strike(name)
            return real(first, *rest, **named)

        return call

    def _open_counted(self, file: Any, mode: str = "r", *rest: Any, **named: Any) -> Any:
        writes = any(sign in mode for sign in "wxa+")
        if not isinstance(file, int) and self._concerns(file):
            self.strike("io.open")
        stream = self._open(file, mode, *rest, **named)
        return Writer(stream, self.strike) if writes and self.at else stream

    def _concerns(self, place: Any) -> bool:
        return isinstance(place, int) or not Path(place).is_absolute() or os.fspath(place).startswith(self._root)


class GitFault:
    """Lets the n-th run of Git go wrong: by not starting, or in one of the ways above."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.at = self.count = 0
        self.way: str | None = None
        self.what = ""
        fault, real = self, subprocess.Popen

        class Popen(real):  # type: ignore[misc, valid-type]
            def __init__(self, arguments: Any, *rest: Any, **named: Any) -> None:
                super().__init__(fault.changed(arguments), *rest, **named)

        patch.setattr(subprocess, "Popen", Popen)

    @property
    def struck(self) -> bool:
        return bool(self.what)

    def arm(self, at: int, way: str | None) -> None:
        self.at, self.way, self.count, self.what = at, way, 0, ""

    def disarm(self) -> None:
        self.at = 0

    def changed(self, arguments: Any) -> Any:
        if not self.at or arguments[0] != "git" or "cat-file" in arguments:
            return arguments
        self.count += 1
        if self.count != self.at:
            return arguments
        self.what = " ".join(arguments)
        if self.way is None:
            raise OSError(errno.EAGAIN, os.strerror(errno.EAGAIN))
        return ["sh", "-c", self.way, "sh", *arguments[1:]]


class Death(Fault):
    """The n-th call is the process's last."""

    def strike(self, name: str) -> None:
        self.count += 1
        if self.count == self.at:
            os._exit(DEAD)
