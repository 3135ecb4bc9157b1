"""Where keys lie: the system's store of keys where there is a real one, else a file that only its user can read.

A key is bound to provider and address: its account is `<provider>@<address>`, so that another address never gets it.
Only the backends listed here count, and neither the environment nor a file of settings chooses one.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import stat
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol, TypeVar

from llm import consent
from llm.consent import KEY_FILE, KEYRING, Entry
from llm.failure import Code, Failure

SERVICE: Final = "cabecao"
FILE: Final = "credentials.json"
SECONDS: Final = 10.0
_SHOWN: Final = 4
_SHORT: Final = 12
_LONGEST: Final = 4096
_LARGEST: Final = 256 * 1024
# Platform -> module and class of the one backend that counts there.
BACKENDS: Final[Mapping[str, tuple[str, str]]] = {
    "darwin": ("keyring.backends.macOS", "Keyring"),
    "win32": ("keyring.backends.Windows", "WinVaultKeyring"),
    "linux": ("keyring.backends.SecretService", "Keyring"),
}
T = TypeVar("T")


class KeyStoreFailed(Exception):
    """The system's store of keys refused, is not there, or did not answer in time."""

    def __init__(self, *, waited: bool = False) -> None:
        super().__init__("waited" if waited else "refused")
        self.waited = waited


class UnfitKey(Exception):
    """A text cannot be a key: empty, too long, or with characters that no header may carry."""


class Key:
    """A key that shows nothing of itself; `text` is for the one header that carries it."""

    __slots__ = ("text",)

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return f"Key({self.masked})"

    __str__ = __repr__

    @property
    def masked(self) -> str:
        """The last four characters behind dots; none of a short one."""
        return "••••" + (self.text[-_SHOWN:] if len(self.text) >= _SHORT else "")


def fit(text: str) -> Key:
    """Return what was typed or pasted as a key; UnfitKey where it cannot be one."""
    plain = text.strip()
    if not plain or len(plain) > _LONGEST or not plain.isascii() or not plain.isprintable() or " " in plain:
        raise UnfitKey
    return Key(plain)


def account(entry: Entry) -> str:
    """Return the name under which the key of a provider at an address is kept."""
    return f"{entry.provider}@{entry.address}"


class Backend(Protocol):
    """The three calls of a store of keys."""

    def get_password(self, service: str, username: str) -> str | None:
        """Return a key, None where there is none."""

    def set_password(self, service: str, username: str, password: str) -> None:
        """Keep a key."""

    def delete_password(self, service: str, username: str) -> None:
        """Forget a key."""


def system_backend() -> Backend | None:
    """Return this system's store of keys, None where there is none; KeyStoreFailed where it does not answer."""
    named = BACKENDS.get("linux" if sys.platform.startswith(("linux", "freebsd")) else sys.platform)
    return None if named is None else _in_time(lambda: _made(*named))


def _made(module: str, name: str) -> Backend | None:
    kind = getattr(importlib.import_module(module), name)
    try:
        is_there = float(kind.priority) > 0  # on Linux this asks the session bus
    except Exception:  # noqa: BLE001 (each backend says in its own way that it is not there)
        return None
    made: Backend = kind()
    return made if is_there else None


def _in_time(ask: Callable[[], T], seconds: float | None = None) -> T:
    """Return what a call gives; KeyStoreFailed where it raises, or is not back in time, which a locked store may be."""
    answers: list[T] = []
    failures: list[BaseException] = []

    def run() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # noqa: BLE001 (what a store raises may repeat what it was given)
            failures.append(error)

    thread = threading.Thread(target=run, name="keys", daemon=True)
    thread.start()
    thread.join(SECONDS if seconds is None else seconds)
    if answers:
        return answers[0]
    raise KeyStoreFailed(waited=not failures)


@dataclass(frozen=True)
class Keys:
    """The keys of one folder of settings, for a caller that is the person or not."""

    folder: Path
    is_person: bool
    environ: Mapping[str, str] = field(repr=False)

    def find(self, entry: Entry) -> Key | None:
        """Return the key of a provider, None where it needs none; Failure where it is not to be had.

        The provider's variable wins over a stored key, but for an agent, which sets its own environment: for it only a
        variable that the person named when turning the provider on counts.
        """
        named = entry.variable or (entry.known.variable if self.is_person else "")
        if named and self.environ.get(named) and (entry.variable or entry.key != consent.NO_KEY):
            return self._fit(self.environ[named])
        if entry.key == consent.NO_KEY:
            return None
        stored = None if entry.variable else self.stored(entry)
        if stored is None:
            raise Failure(Code.NO_KEY)
        return self._fit(stored)

    def _fit(self, text: str) -> Key:
        try:
            return fit(text)
        except UnfitKey:
            raise Failure(Code.NO_KEY) from None

    def stored(self, entry: Entry) -> str | None:
        """Return the key that Cabeção keeps for a provider."""
        if entry.key == KEY_FILE:
            return read_file(self.folder).get(account(entry))
        if entry.key != KEYRING:
            return None
        try:
            backend = system_backend()
            return None if backend is None else _in_time(lambda: backend.get_password(SERVICE, account(entry)))
        except KeyStoreFailed:
            raise Failure(Code.KEYRING) from None


def keep(folder: Path, entry: Entry, key: Key) -> None:
    """Keep a key where `entry.key` says, the system's store or the closed file; KeyStoreFailed where it refuses."""
    if entry.key == KEYRING:
        backend = system_backend()
        if backend is None:
            raise KeyStoreFailed
        _in_time(lambda: backend.set_password(SERVICE, account(entry), key.text))
        if _in_time(lambda: backend.get_password(SERVICE, account(entry))) != key.text:
            raise KeyStoreFailed
    else:
        _change_file(folder, lambda known: {**known, account(entry): key.text})


def forget(folder: Path, entry: Entry) -> None:
    """Delete the key that is kept for a provider; KeyStoreFailed where the system's store does not let it go."""
    _forget_in_file(folder, entry)
    if entry.key == KEYRING:
        _forget_in_system(entry)


def forget_former(folder: Path, former: Entry, entry: Entry) -> None:
    """Delete a provider's key from where it was kept until now, where it is kept elsewhere now."""
    is_same_account = account(former) == account(entry)
    if former.key == KEY_FILE and not (is_same_account and entry.key == KEY_FILE):
        _forget_in_file(folder, former)
    if former.key == KEYRING and not (is_same_account and entry.key == KEYRING):
        _forget_in_system(former)


def _forget_in_file(folder: Path, entry: Entry) -> None:
    _change_file(folder, lambda known: {name: text for name, text in known.items() if name != account(entry)})


def _forget_in_system(entry: Entry) -> None:
    backend = system_backend()
    if backend is None:
        raise KeyStoreFailed
    if _in_time(lambda: backend.get_password(SERVICE, account(entry))) is None:
        return
    _in_time(lambda: backend.delete_password(SERVICE, account(entry)))
    if _in_time(lambda: backend.get_password(SERVICE, account(entry))) is not None:
        raise KeyStoreFailed


def read_file(folder: Path) -> dict[str, str]:
    """Return the keys of the closed file; none where it is not there, is damaged, or others could read it."""
    try:
        descriptor = os.open(folder / FILE, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return {}
    with os.fdopen(descriptor, "rb") as opened:
        mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
        content = opened.read(_LARGEST)
    if os.name == "posix" and mode & 0o077:
        return {}
    with contextlib.suppress(ValueError, RecursionError):
        value: Any = json.loads(content)
        if isinstance(value, dict):
            return {name: text for name, text in value.items() if isinstance(text, str)}
    return {}


def _change_file(folder: Path, change: Callable[[dict[str, str]], dict[str, str]]) -> None:
    known = read_file(folder)
    fresh = change(known)
    if fresh == known:
        return
    if fresh:
        consent.write_closed(folder / FILE, json.dumps(fresh, indent=2).encode())
    else:
        (folder / FILE).unlink(missing_ok=True)
