"""Git's own commands, run without a shell, a prompt, a hook's stdin or a leftover of the caller's environment."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.errors import DiskFull, GitFailed
from brain.language import gettext as _

SECONDS: Final = 30.0
GRACE: Final = 2.0
# What would point Git at another repository, index or editor than the one meant.
_DROPPED: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
                   "GIT_NAMESPACE", "GIT_PREFIX", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER")  # fmt: skip
_FIXED: Final = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_EDITOR": "true",
                 "GIT_PAGER": "cat"}  # fmt: skip


@dataclass(frozen=True)
class Ran:
    """How a Git command ended."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Its standard output as text."""
        return self.out.decode("utf-8", errors="replace")

    def lines(self) -> list[str]:
        """Its standard output, split at NUL where it has any, else at line ends."""
        return [one for one in self.text.split("\0" if "\0" in self.text else "\n") if one]


def environment(**more: str) -> dict[str, str]:
    """Return the environment that a Git child gets."""
    kept = {name: value for name, value in os.environ.items() if name not in _DROPPED}
    return {**kept, **_FIXED, **more}


def run(
    root: Path,
    *arguments: str,
    stdin: bytes | None = None,
    check: bool = True,
    seconds: float = SECONDS,
    env: Mapping[str, str] | None = None,
    gone: threading.Event | None = None,
) -> Ran:
    """Run `git` in a folder and return how it ended; GitFailed where `check` is set and it failed.

    Past `seconds`, or once `gone` is set, it is asked to end, then killed; it never waits for a terminal.
    """
    where = subprocess.PIPE if stdin is not None else subprocess.DEVNULL
    process = _start(root, arguments, stdin=where, env=env, apart=gone is not None)
    ran = ended(process, *_wait(process, stdin, seconds, gone))
    if check and ran.code != 0:
        raise failure(arguments, ran)
    return ran


def start(root: Path, *arguments: str) -> subprocess.Popen[bytes]:
    """Start `git` in a folder, for one who will give it its input later; it ends by itself when its starter dies.

    It gets a session of its own: the signal that a terminal sends at Ctrl+C is not for it.
    """
    return _start(root, arguments, stdin=subprocess.PIPE, env=None, apart=True)


def finish(process: subprocess.Popen[bytes], last: bytes | None = None, *, seconds: float = SECONDS) -> Ran:
    """Give a started command its last input and return how it ended; past `seconds` it is ended."""
    return ended(process, *_wait(process, last, seconds, None))


def ended(process: subprocess.Popen[bytes], out: bytes, err: bytes) -> Ran:
    """Return how a process ended."""
    return Ran(process.returncode, out, err.decode("utf-8", errors="replace").strip())


def _start(
    root: Path, arguments: Sequence[str], *, stdin: int, env: Mapping[str, str] | None, apart: bool
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", *arguments],
            cwd=root,
            env=environment(GIT_OPTIONAL_LOCKS="0", **(env or {})),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=apart,
        )
    except FileNotFoundError:
        if not root.is_dir():
            raise GitFailed(_("The folder %(root)s is gone.") % {"root": root}) from None
        raise GitFailed(_("Git is not installed, or not on the PATH."), next_step=_("Install Git.")) from None
    except OSError as error:
        raise GitFailed(
            _("Git could not be started: %(reason)s. Nothing was changed.") % {"reason": error.strerror}
        ) from error


def failure(arguments: Sequence[str], ran: Ran) -> GitFailed | DiskFull:
    """Return the error for a command that failed, with what Git said, shortened."""
    if "No space left on device" in ran.err or "Disk quota exceeded" in ran.err:
        return DiskFull(_("There is no room left on the disk. Nothing was changed."))
    name = next((one for one in arguments if not one.startswith("-") and "=" not in one), "git")
    said = " ".join(ran.err.split())[-400:] or _("it said nothing")
    return GitFailed(_("git %(command)s failed: %(said)s. Nothing was changed.") % {"command": name, "said": said})


def _wait(
    process: subprocess.Popen[bytes], stdin: bytes | None, seconds: float, gone: threading.Event | None
) -> tuple[bytes, bytes]:
    deadline = time.monotonic() + seconds
    step = seconds if gone is None else 0.1
    given = stdin
    while True:
        try:
            return process.communicate(given, timeout=max(0.01, min(step, deadline - time.monotonic())))
        except subprocess.TimeoutExpired:
            given = None
            if time.monotonic() >= deadline or (gone is not None and gone.is_set()):
                return _end(process, whole_group=gone is not None)


def _end(process: subprocess.Popen[bytes], *, whole_group: bool) -> tuple[bytes, bytes]:
    """Ask a child to end and give it time to take its lock files away, then kill it."""
    _signal(process, signal.SIGTERM, whole_group=whole_group)
    try:
        return process.communicate(timeout=GRACE)
    except subprocess.TimeoutExpired:
        _signal(process, signal.SIGKILL, whole_group=whole_group)
        return process.communicate()


def _signal(process: subprocess.Popen[bytes], number: int, *, whole_group: bool) -> None:
    try:
        if whole_group and hasattr(os, "killpg"):
            os.killpg(process.pid, number)
        else:
            process.send_signal(number)
    except ProcessLookupError:
        pass
