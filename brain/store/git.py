"""Git's own commands, run without a shell, a prompt, a hook's stdin or a leftover of the caller's environment."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.errors import DiskFull, GitFailed, reason_of
from brain.language import gettext as _

SECONDS: Final = 30.0
GRACE: Final = 2.0
_NO_ROOM: Final = ("No space left on device", "Disk quota exceeded")
_DAMAGED_INDEX: Final = re.compile(
    r"index file (?:corrupt|smaller)|bad (?:signature|index)|unordered stage|cache entry"
)
_NEXT_TO_NOTHING: Final = 64 * 1024
# What would point Git at another repository, index or editor than the one meant.
_DROPPED: Final = ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
                   "GIT_NAMESPACE", "GIT_PREFIX", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_PAGER")  # fmt: skip
_FIXED: Final = {"GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C", "GIT_ASKPASS": "", "SSH_ASKPASS": "", "GIT_EDITOR": "true",
                 "GIT_PAGER": "cat"}  # fmt: skip
_waiting: set[int] = set()


@dataclass(frozen=True)
class Ran:
    """How a Git command ended."""

    code: int
    out: bytes
    err: str
    cut_short: bool = False  # by its deadline

    @property
    def text(self) -> str:
        """Its standard output as text."""
        return self.out.decode("utf-8", errors="replace")

    def lines(self) -> list[str]:
        """Its standard output, split at NUL where it has any, else at line ends."""
        return [one for one in self.text.split("\0" if "\0" in self.text else "\n") if one]

    def names(self) -> list[str]:
        """Its standard output as file names, split at NUL; what is no UTF-8 stays, as `os.fsencode` wants it."""
        return [one for one in self.out.decode("utf-8", errors="surrogateescape").split("\0") if one]


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
    out, err, cut_short = _wait(process, stdin, seconds, gone)
    ran = ended(process, out, err, cut_short=cut_short)
    if check and ran.code != 0:
        raise failure(root, arguments, ran)
    return ran


def start(root: Path, *arguments: str, heard: bool = True) -> subprocess.Popen[bytes]:
    """Start `git` in a folder, for one who will give it its input later; it ends by itself when its starter dies.

    It gets a session of its own: the signal that a terminal sends at Ctrl+C is not for it. What one that lives long
    says on stderr is not `heard`: nobody would empty the pipe.
    """
    process = _start(root, arguments, stdin=subprocess.PIPE, env=None, apart=True, heard=heard)
    _waiting.add(process.pid)
    return process


def waits_for_us(pid: int) -> bool:
    """Tell whether a process is a command that was started here and not finished yet."""
    return pid in _waiting


def finish(process: subprocess.Popen[bytes], last: bytes | None = None, *, seconds: float = SECONDS) -> Ran:
    """Give a started command its last input and return how it ended; past `seconds` it is ended."""
    out, err, cut_short = _wait(process, last, seconds, None)
    return ended(process, out, err, cut_short=cut_short)


def ended(process: subprocess.Popen[bytes], out: bytes | None, err: bytes | None, *, cut_short: bool = False) -> Ran:
    """Return how a process ended."""
    _waiting.discard(process.pid)
    return Ran(process.returncode, out or b"", (err or b"").decode("utf-8", errors="replace").strip(), cut_short)


def _start(
    root: Path,
    arguments: Sequence[str],
    *,
    stdin: int,
    env: Mapping[str, str] | None,
    apart: bool,
    heard: bool = True,
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            ["git", *arguments],
            cwd=root,
            env=environment(GIT_OPTIONAL_LOCKS="0", **(env or {})),
            stdin=stdin,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE if heard else subprocess.DEVNULL,
            start_new_session=apart,
        )
    except FileNotFoundError:
        if not root.is_dir():
            raise GitFailed(_("The folder %(root)s is gone.") % {"root": root}) from None
        raise GitFailed(_("Git is not installed, or not on the PATH."), next_step=_("Install Git.")) from None
    except OSError as error:
        raise GitFailed(
            _("Git could not be started: %(reason)s. Nothing was changed.") % {"reason": reason_of(error)}
        ) from error


def failure(root: Path, arguments: Sequence[str], ran: Ran) -> GitFailed | DiskFull:
    """Return the error for a command that failed in a folder, with what Git said, shortened."""
    if any(words in ran.err for words in _NO_ROOM) or ("write" in ran.err and _is_full(root)):
        return DiskFull(_("There is no room left on the disk. Nothing was changed."))
    if _DAMAGED_INDEX.search(ran.err):
        return damaged_index(Path(".git") / "index")
    name = next((one for one in arguments if not one.startswith("-") and "=" not in one), "git")
    if ran.cut_short:
        return GitFailed(
            _("git %(command)s did not end in time and was stopped. Nothing was changed.") % {"command": name},
            next_step=_("See what keeps Git busy in this folder, then try again."),
        )
    said = " ".join(ran.err.split())[-400:] or _("it said nothing")
    return GitFailed(_("git %(command)s failed: %(said)s. Nothing was changed.") % {"command": name, "said": said})


def damaged_index(file: Path) -> GitFailed:
    """Return the error for an index of Git's that cannot be trusted."""
    return GitFailed(
        _("Git's own index, %(file)s, is damaged. No note and no commit is lost. Nothing was changed.")
        % {"file": file},
        next_step=_(
            "In the brain's folder delete that file and run `git reset`: Git makes it anew. What you had staged with "
            "`git add` is to be staged again."
        ),
    )


def _is_full(root: Path) -> bool:
    """Tell whether a disk has next to no room left: Git does not always say why it could not write."""
    try:
        return shutil.disk_usage(root).free < _NEXT_TO_NOTHING
    except OSError:
        return False


def _wait(
    process: subprocess.Popen[bytes], stdin: bytes | None, seconds: float, gone: threading.Event | None
) -> tuple[bytes, bytes, bool]:
    """Return what a child said, and whether its deadline ended it."""
    deadline = time.monotonic() + seconds
    step = seconds if gone is None else 0.1
    given = stdin
    while True:
        try:
            out, err = process.communicate(given, timeout=max(0.01, min(step, deadline - time.monotonic())))
        except subprocess.TimeoutExpired:
            given = None
            if time.monotonic() >= deadline or (gone is not None and gone.is_set()):
                return *_end(process, whole_group=gone is not None), time.monotonic() >= deadline
        else:
            return out, err, False


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
