"""Where the branch stands against its remote, as far as this machine knows without asking it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.store import git

_CREDENTIALS: Final = re.compile(r"//[^/@\s]+@")


@dataclass(frozen=True)
class Remote:
    """A branch's remote; counts are None where it has none."""

    branch: str | None
    url: str | None
    ahead: int | None
    behind: int | None


def is_configured(root: Path) -> bool:
    """Tell whether the repository has a remote to sync with."""
    return bool(git.run(root, "remote", check=False).text.strip())


def describe(root: Path) -> Remote:
    """Return where the branch stands; an address never shows a name or a password."""
    branch = git.run(root, "symbolic-ref", "--quiet", "--short", "HEAD", check=False).text.strip() or None
    url = git.run(root, "config", "--get", "remote.origin.url", check=False).text.strip()
    if not url:
        return Remote(branch, None, None, None)
    counted = git.run(root, "rev-list", "--left-right", "--count", "HEAD...@{upstream}", check=False)
    numbers = counted.text.split() if counted.code == 0 else []
    ahead, behind = (int(one) for one in numbers) if len(numbers) == 2 else (None, None)
    return Remote(branch, _CREDENTIALS.sub("//", url), ahead, behind)
