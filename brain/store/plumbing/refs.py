"""Moving a branch: by one `git update-ref` that lives as long as the repository is open, one transaction a move.

It ends by itself when this process dies, and then takes its locks away and changes nothing that was not committed.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import subprocess
import time
from pathlib import Path
from typing import Final

from brain.store import git
from brain.store.git import Ran

MARK: Final = "cabecao"  # the reflog's message, by which the command is also known among the processes
_MOVE: Final = (
    "-c", "core.fsync=objects,reference", "-c", "core.fsyncMethod=fsync",
    "update-ref", "--create-reflog", "-m", MARK, "-z", "--stdin",
)  # fmt: skip


class Branches:
    """The branches of one repository, for one writer at a time."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._process: subprocess.Popen[bytes] | None = None
        self._about: object = None
        self._asked = False

    def get_ready(self, about: object) -> None:
        """See that the command runs, and anew where what it was started with has changed."""
        if self._process is not None and (self._about != about or self._process.poll() is not None):
            self.close()
        if self._process is None:
            self._process, self._about = git.start(self._root, *_MOVE, heard=False), about

    def prepare(self, name: str, *, to: str, old: str | None) -> None:
        """Ask for a move, if the branch stands at `old`; Git locks it and has all ready, while others go on."""
        self._asked = self._give(f"start\0{_update(name, to=to, old=old)}prepare\0")

    def commit(self) -> bool:
        """Move the branch as it was asked for; False where that is not sure to have happened."""
        asked, self._asked = self._asked, False
        if asked and self._give("commit\0") and self._hears(b"start: ok\nprepare: ok\ncommit: ok\n"):
            return True
        self.close()
        return False

    def give_up(self) -> None:
        """Take back what was asked for and not committed."""
        if self._asked:
            self._asked = False
            self.close()

    def move(self, name: str, *, to: str, old: str | None) -> Ran:
        """Move a branch at once, with a command of its own, and return how it ended."""
        return git.run(self._root, *_MOVE, stdin=_update(name, to=to, old=old).encode(), check=False)

    def close(self) -> None:
        """End the command; it changes nothing any more."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(OSError, ValueError):
                git.finish(process, seconds=git.GRACE)

    def _give(self, text: str) -> bool:
        process = self._process
        if process is None or process.stdin is None:
            return False
        try:
            process.stdin.write(text.encode())
            process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def _hears(self, wanted: bytes) -> bool:
        """Tell whether the command says just this, before it ends and before the time is over."""
        process, said = self._process, b""
        if process is None or process.stdout is None:
            return False
        ends = time.monotonic() + git.SECONDS
        while wanted.startswith(said) and said != wanted and _has_more(process.stdout.fileno(), ends):
            piece = os.read(process.stdout.fileno(), len(wanted))
            if not piece:
                return False
            said += piece
        return said == wanted


def _update(name: str, *, to: str, old: str | None) -> str:
    return f"update refs/heads/{name}\0{to}\0{old or '0' * len(to)}\0"


def _has_more(descriptor: int, ends: float) -> bool:
    """Wait until a pipe has something to read; False once the time is over, which Windows cannot tell."""
    if os.name == "nt":
        return True
    with selectors.DefaultSelector() as waiting:
        waiting.register(descriptor, selectors.EVENT_READ)
        return bool(waiting.select(max(0.0, ends - time.monotonic())))
