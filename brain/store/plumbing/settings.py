"""What Git's configuration says about a repository, read with one process and kept for a short while."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from brain.store import git

KEPT_SECONDS: Final = 20.0
_FILTER_WORDS: Final = (b"text", b"eol", b"filter", b"ident", b"working-tree-encoding", b"crlf")
_SYSTEM_ATTRIBUTES: Final = Path("/etc/gitattributes")
COMMIT_HOOKS: Final = ("pre-commit", "prepare-commit-msg", "commit-msg", "post-commit", "reference-transaction")


@dataclass(frozen=True)
class Identity:
    """Who a commit names."""

    name: str
    email: str

    def line(self, moment: int, zone: str) -> str:
        """Return it as a commit object writes it."""
        return f"{_plain(self.name) or 'unknown'} <{_plain(self.email)}> {moment} {zone}"


FALLBACK: Final = Identity("Cabeção", "cabecao@localhost")


def agent_identity(client: str) -> Identity:
    """Return the author of what an agent writes."""
    return Identity(client, f"{client}@agents.cabecao.invalid")


@dataclass
class Settings:
    """The values of one repository, read again where a file of Git's configuration has changed."""

    root: Path
    git_folder: Path
    common_folder: Path
    _values: dict[str, str] = field(default_factory=dict)
    _remotes: tuple[str, ...] = ()
    _stamp: tuple[float, tuple[object, ...]] = (0.0, ())
    _filtered: dict[str, bool] | None = None

    @contextmanager
    def steady(self) -> Iterator[None]:
        """Look at the files once, now, and take what they say to hold until the end."""
        self._refresh()
        self._filtered = {}
        try:
            yield
        finally:
            self._filtered = None

    @property
    def version(self) -> object:
        """What is another one once a file of Git's configuration has changed."""
        return self._stamp[1]

    def get(self, key: str) -> str | None:
        """Return the value in force of a key such as `user.name`."""
        if self._filtered is None:
            self._refresh()
        return self._values.get(key.lower())

    def remotes(self) -> tuple[str, ...]:
        """Return the names of the remotes."""
        if self._filtered is None:
            self._refresh()
        return self._remotes

    def flag(self, key: str) -> bool:
        """Return a value as yes or no."""
        value = self.get(key)
        return value is not None and value.lower() in ("", "true", "yes", "on", "1")

    def person(self) -> Identity:
        """Return the person's identity, the product's own where Git knows none."""
        name = os.environ.get("GIT_AUTHOR_NAME") or self.get("user.name")
        email = os.environ.get("GIT_AUTHOR_EMAIL") or self.get("user.email")
        return Identity(name, email or FALLBACK.email) if name else FALLBACK

    def is_named(self) -> bool:
        """Tell whether Git knows the person's name and address."""
        named = (("GIT_AUTHOR_NAME", "user.name"), ("GIT_AUTHOR_EMAIL", "user.email"))
        return all(os.environ.get(variable) or self.get(key) for variable, key in named)

    def hooks(self) -> bool:
        """Tell whether the repository has a hook that a commit would run."""
        named = self.get("core.hookspath")
        folder = self.root / Path(named).expanduser() if named else self.common_folder / "hooks"
        return any(os.access(folder / hook, os.X_OK) and (folder / hook).is_file() for hook in COMMIT_HOOKS)

    def exclude_files(self) -> list[Path]:
        """Return where patterns for ignored files may stand outside the working tree."""
        named = self.get("core.excludesfile")
        own = Path(named).expanduser() if named else _config_home() / "git" / "ignore"
        return [self.common_folder / "info" / "exclude", own]

    def filters(self, path: str) -> bool:
        """Tell whether Git would change a file's bytes on their way in: line ends, filters, encodings."""
        known, folder = self._filtered, path.rpartition("/")[0]
        if known is None:
            return self._looks_filtered(folder)
        if folder not in known:
            known[folder] = self._looks_filtered(folder)
        return known[folder]

    def _looks_filtered(self, folder: str) -> bool:
        if (self.get("core.autocrlf") or "false").lower() in ("true", "input", "yes", "on", "1"):
            return True
        places = [self.root, *(self.root / parent for parent in Path(folder, "_").parents)]
        files = [*(place / ".gitattributes" for place in places), self.common_folder / "info" / "attributes"]
        named = self.get("core.attributesfile")
        files.append(Path(named).expanduser() if named else _config_home() / "git" / "attributes")
        return any(_mentions_filters(file) for file in dict.fromkeys([*files, _SYSTEM_ATTRIBUTES]))

    def _refresh(self) -> None:
        read_at, stamp = self._stamp
        now_stamp = tuple(_stamp_of(file) for file in self._files())
        if self._values and stamp == now_stamp and time.monotonic() - read_at < KEPT_SECONDS:
            return
        listed = git.run(self.root, "config", "--null", "--list").out.decode("utf-8", errors="replace")
        pairs = (one.partition("\n") for one in listed.split("\0") if one)
        given = {key: value for key, _, value in pairs}
        self._values = {key.lower(): value for key, value in given.items()}
        named = (key.split(".", 1)[1].rpartition(".")[0] for key in given if key.startswith("remote."))
        self._remotes = tuple(dict.fromkeys(filter(None, named)))
        self._stamp = (time.monotonic(), now_stamp)

    def _files(self) -> list[Path]:
        named = os.environ.get("GIT_CONFIG_GLOBAL")
        personal = [Path(named)] if named else [Path.home() / ".gitconfig", _config_home() / "git" / "config"]
        return [self.common_folder / "config", self.git_folder / "config.worktree", *personal]


def _plain(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable() and sign not in "<>").strip()


def _config_home() -> Path:
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")


def _stamp_of(file: Path) -> tuple[int, int] | None:
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _mentions_filters(file: Path) -> bool:
    try:
        content = file.read_bytes()
    except OSError:
        return False
    words = content.replace(b"=", b" ").replace(b"-", b" ").split()
    return any(word in words for word in _FILTER_WORDS)
