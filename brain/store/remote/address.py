"""Which remote and which of its branches the brain's branch belongs to, and whether its address may be used."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from brain.store import git
from brain.store.repository import Repository

# Git's own list of the ways that run no program which the address names.
PROTOCOLS: Final = "file:git:http:https:ssh"
_CREDENTIALS: Final = re.compile(r"//[^/@\s]+@")
_PROGRAM: Final = re.compile(r"[A-Za-z0-9+.-]+::")
_NAME: Final = re.compile(r"[A-Za-z0-9_][\w./-]*")


@dataclass(frozen=True)
class Upstream:
    """A remote's branch: `known` is the commit that this machine saw there last, `is_set` what Git itself follows.

    With `has_own_ssh` the person's own settings say how SSH is called.
    """

    remote: str
    url: str
    branch: str
    local: str
    known: str | None
    is_set: bool
    has_own_ssh: bool = False

    @property
    def tracking(self) -> str:
        """The ref under which Git remembers the remote's branch."""
        return f"refs/remotes/{self.remote}/{self.branch}"

    @property
    def shown(self) -> str:
        """The address without a name or a password."""
        return without_credentials(self.url)

    @property
    def is_safe(self) -> bool:
        """Tell whether neither the name nor the address is an option or a program in disguise."""
        own = self.url.partition("://")[2] or self.url
        return bool(_NAME.fullmatch(self.remote)) and not own.startswith("-") and not _PROGRAM.match(self.url)


def without_credentials(text: str) -> str:
    """Return a text whose addresses show no name and no password."""
    return _CREDENTIALS.sub("//", text)


def find(repository: Repository, branch: str) -> Upstream | None:
    """Return where a branch goes: what Git follows, else `origin`, else the only remote; None where there is none."""
    settings = repository.settings
    names = settings.remotes()
    named = settings.get(f"branch.{branch}.remote")
    followed = settings.get(f"branch.{branch}.merge")
    is_set = named in names and followed is not None
    remote = named if is_set and named else _usual(names)
    if remote is None:
        return None
    theirs = followed.removeprefix("refs/heads/") if is_set and followed else branch
    url = settings.get(f"remote.{remote}.url") or ""
    known = repository.resolve(f"refs/remotes/{remote}/{theirs}")
    return Upstream(remote, url, theirs, branch, known, is_set, settings.get("core.sshcommand") is not None)


@dataclass(frozen=True)
class Standing:
    """Where a branch stands against its remote, as far as this machine knows; counts are None where it cannot."""

    branch: str | None
    url: str | None
    ahead: int | None = None
    behind: int | None = None


def standing(repository: Repository) -> Standing:
    """Return where the branch stands without asking the remote; an address never shows a name or a password."""
    branch = git.run(repository.root, "symbolic-ref", "--quiet", "--short", "HEAD", check=False).text.strip()
    upstream = find(repository, branch) if branch else None
    if upstream is None:
        return Standing(branch or None, None)
    if upstream.known is None:
        return Standing(branch, upstream.shown)
    range_ = f"HEAD...{upstream.known}"
    counted = git.run(repository.root, "rev-list", "--left-right", "--count", range_, check=False)
    numbers = counted.text.split() if counted.code == 0 else []
    ahead, behind = (int(one) for one in numbers) if len(numbers) == 2 else (None, None)
    return Standing(branch, upstream.shown, ahead, behind)


def _usual(names: Sequence[str]) -> str | None:
    if "origin" in names:
        return "origin"
    return names[0] if len(names) == 1 else None
