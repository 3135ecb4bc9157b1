"""Git's talk with the remote: never a prompt, never longer than its deadline, and its words told apart.

Nothing here moves a branch of this machine or a ref that Git itself follows, but for what a push has been granted.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Final

from brain.store import git
from brain.store.remote.address import PROTOCOLS, Upstream, without_credentials
from brain.store.repository import FLUSH

LOOK_SECONDS: Final = 9.0
CARRY_SECONDS: Final = 600.0
_SSH: Final = "ssh -oBatchMode=yes -oConnectTimeout=8 -oServerAliveInterval=5 -oServerAliveCountMax=3"
_QUIET: Final = ("-c", "credential.interactive=false", "-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=8",
                 "-c", "protocol.ext.allow=never", "-c", "gc.auto=0", "-c", "maintenance.auto=false")  # fmt: skip


class Trouble(StrEnum):
    """Why the remote could not be talked to, or did not take what it was sent."""

    OFFLINE = "offline"
    AUTH = "auth"
    MISSING = "remote_missing"
    BEHIND = "behind"
    REJECTED = "rejected"
    OTHER = "git"


# Git's words (LC_ALL=C) -> what they mean; the first that fits counts.
_WORDS: Final[Mapping[Trouble, tuple[str, ...]]] = {
    Trouble.BEHIND: (r"\(fetch first\)", r"\(non-fast-forward\)", "cannot lock ref", "reference already exists"),
    Trouble.REJECTED: (r"\[remote rejected\]", "pre-receive hook declined", "protected branch", "shallow update"),
    Trouble.AUTH: (
        "authentication failed",
        "could not read (username|password)",
        "terminal prompts disabled",
        "permission denied",
        "host key verification failed",
        "returned error: 40[13]",
        "access denied",
        "dubious ownership",
    ),
    Trouble.OFFLINE: (
        "could(n't| not) (resolve|connect)",
        "failed to connect",
        "connection (refused|reset|closed|timed out)",
        "timed out",
        "(network is unreachable|no route to host|not responding)",
        "(name or service not known|temporary failure in name resolution)",
        "operation too slow",
        r"returned error: 5\d\d",
        "(broken pipe|unexpectedly closed|hung up)",
    ),
    Trouble.MISSING: (
        "not appear to be a git repository",
        "not a git repository",
        "not found",
        "no such file",
        "returned error: 404",
    ),
}
_MEANINGS: Final = tuple((trouble, re.compile("|".join(words), re.IGNORECASE)) for trouble, words in _WORDS.items())


@dataclass(frozen=True)
class Failed(Exception):
    """The remote did not do its part; `said` are Git's own words, without a name or a password."""

    trouble: Trouble
    said: str


@dataclass(frozen=True)
class Seen:
    """What the remote has: its branch's commit, and whether it has any branch at all."""

    commit: str | None
    is_empty: bool


def look(root: Path, upstream: Upstream, *, gone: threading.Event) -> Seen:
    """Ask the remote where its branch stands; Failed where it does not answer in time."""
    ran = _run(root, upstream, "ls-remote", "--", upstream.remote, seconds=LOOK_SECONDS, gone=gone)
    lines = (line.partition("\t") for line in ran.text.splitlines())
    refs = {name: commit for commit, tab, name in lines if tab}
    heads = [name for name in refs if name.startswith("refs/heads/")]
    return Seen(refs.get(f"refs/heads/{upstream.branch}"), is_empty=not heads)


def fetch(root: Path, upstream: Upstream, *, gone: threading.Event) -> None:
    """Bring the objects of the remote's branch here, under a ref of our own: nothing that Git follows moves."""
    wanted = f"+refs/heads/{upstream.branch}:{holding(upstream)}"
    _run(root, upstream, *FLUSH, "fetch", "--quiet", "--no-tags", "--no-recurse-submodules", "--refmap=",
         "--no-write-fetch-head", "--", upstream.remote, wanted, seconds=CARRY_SECONDS, gone=gone)  # fmt: skip


def push(root: Path, upstream: Upstream, commit: str, *, gone: threading.Event) -> None:
    """Send a commit and all below it; the remote's branch moves only forward. Failed where it does not."""
    target = f"{commit}:refs/heads/{upstream.branch}"
    _run(root, upstream, "push", "--porcelain", "--no-follow-tags", "--recurse-submodules=no", "--", upstream.remote,
         target, seconds=CARRY_SECONDS, gone=gone)  # fmt: skip


def follow(root: Path, upstream: Upstream, commit: str) -> None:
    """Let Git's own view of the remote's branch stand at a commit, and the branch follow it where it followed none."""
    if commit != upstream.known:
        git.run(root, "update-ref", "-m", "cabecao sync", upstream.tracking, commit, check=False)
    if not upstream.is_set:
        git.run(root, "config", f"branch.{upstream.local}.remote", upstream.remote, check=False)
        git.run(root, "config", f"branch.{upstream.local}.merge", f"refs/heads/{upstream.branch}", check=False)


def holding(upstream: Upstream) -> str:
    """Return the ref that keeps what was fetched until it is part of the branch."""
    return f"refs/cabecao/{upstream.remote}/{upstream.branch}"


def _run(root: Path, upstream: Upstream, *arguments: str, seconds: float, gone: threading.Event) -> git.Ran:
    env = {"GIT_ALLOW_PROTOCOL": PROTOCOLS, "GCM_INTERACTIVE": "never"}
    if not any(os.environ.get(name) for name in ("GIT_SSH_COMMAND", "GIT_SSH")) and not upstream.has_own_ssh:
        env["GIT_SSH_COMMAND"] = _SSH
    ran = git.run(root, *_QUIET, *arguments, check=False, seconds=seconds, env=env, gone=gone)
    if ran.code != 0:
        said = without_credentials(" ".join(f"{ran.err} {ran.text if 'push' in arguments else ''}".split()))[-400:]
        raise Failed(Trouble.OFFLINE if ran.cut_short else _meaning(said), said)
    return ran


def _meaning(said: str) -> Trouble:
    return next((trouble for trouble, words in _MEANINGS if words.search(said)), Trouble.OTHER)
