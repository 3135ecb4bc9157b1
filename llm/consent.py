"""llm.json: the providers that the person turned on, each signed with a secret of this machine.

A signature covers where the question goes, the model, where the key comes from, the program and the place in the order;
also the machine, the user and the folder. What was written by hand, copied from another machine or changed afterwards
turns nothing on. Turning off makes a new secret, so that no older file turns anything on again.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import json
import os
import re
import secrets
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from llm import addresses, folders, limits
from llm.known import PROVIDERS, Known, Need, runs_elsewhere
from llm.limits import Limits

FILE: Final = folders.SETTINGS
KEY_OF_CONSENT: Final = folders.CONSENT
VERSION: Final = 1
_LOCK_SECONDS: Final = 10
BYTES: Final = 32
_LARGEST: Final = 64 * 1024
_ONLY_ITS_USER: Final = 0o600
_OTHERS_MAY_WRITE: Final = 0o022
_MODEL: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]{0,199}")
_VARIABLE: Final = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}")
_KEYS: Final = frozenset({"provider", "model", "address", "key", "program", "node", "order", "consent"})

NO_KEY: Final = "none"
KEYRING: Final = "keyring"
KEY_FILE: Final = "file"
VARIABLE: Final = "variable:"


class InvalidSettings(Exception):
    """llm.json cannot be taken as it is; carries the name of what is wrong in it, never its value."""


@dataclass(frozen=True)
class Entry:
    """One provider as configured; `key` is `none`, `keyring`, `file` or `variable:NAME`.

    `program` is that of Claude Code, `node` the Node that it runs on.
    """

    provider: str
    model: str
    address: str = ""
    key: str = NO_KEY
    program: str = ""
    node: str = ""
    order: int = 0
    consent: str = field(default="", repr=False)

    @property
    def known(self) -> Known:
        """Its row in the table of providers."""
        return PROVIDERS[self.provider]

    @property
    def variable(self) -> str:
        """The variable that its key comes from, empty where it comes from elsewhere."""
        return self.key.removeprefix(VARIABLE) if self.key.startswith(VARIABLE) else ""

    @property
    def is_local(self) -> bool:
        """Tell whether a question to it stays on this machine."""
        if self.known.is_installed_agent or runs_elsewhere(self.known, self.model):
            return False
        return addresses.parse(self.address).is_local


@dataclass(frozen=True)
class Settings:
    """What llm.json holds."""

    entries: tuple[Entry, ...] = ()
    limits: Limits = field(default_factory=Limits)
    raw_limits: dict[str, int] = field(default_factory=dict)


def read(folder: Path) -> Settings | None:
    """Return the settings, None where there are none; InvalidSettings where they cannot be taken."""
    text = _closed_text(folder / FILE)
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        raise InvalidSettings(FILE) from None
    if not isinstance(value, dict) or set(value) - {"version", "providers", "limits"}:
        raise InvalidSettings(FILE)
    if value.get("version") != VERSION or not isinstance(value.get("providers"), list):
        raise InvalidSettings("version")
    raw = value.get("limits", {})
    try:
        checked = limits.parse(raw)
    except limits.InvalidLimits as error:
        raise InvalidSettings(str(error)) from None
    entries = tuple(sorted((_entry(one) for one in value["providers"]), key=lambda one: one.order))
    if len({one.provider for one in entries}) != len(entries):
        raise InvalidSettings("providers")
    return Settings(entries, checked, raw)


def _closed_text(file: Path) -> bytes | None:
    """Return a file's bytes, None where it is not there; InvalidSettings where others may change it."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
    except FileNotFoundError:
        return None
    except OSError:
        raise InvalidSettings(file.name) from None
    with os.fdopen(descriptor, "rb") as opened:
        found = os.fstat(opened.fileno())
        is_open = os.name == "posix" and (found.st_uid not in {0, os.getuid()} or found.st_mode & _OTHERS_MAY_WRITE)
        if is_open:
            raise InvalidSettings("permissions")
        if not stat.S_ISREG(found.st_mode) or found.st_size > _LARGEST:
            raise InvalidSettings(file.name)
        return opened.read(_LARGEST + 1)


def _entry(value: Any) -> Entry:
    if not isinstance(value, dict) or set(value) - _KEYS:
        raise InvalidSettings("providers")
    texts = {name: value.get(name, "") for name in _KEYS - {"order"}}
    order = value.get("order", 0)
    if not all(isinstance(text, str) for text in texts.values()) or type(order) is not int:
        raise InvalidSettings("providers")
    if texts["provider"] not in PROVIDERS:
        raise InvalidSettings("provider")
    entry = Entry(order=order, **{**texts, "key": texts["key"] or NO_KEY})
    check(entry)
    return entry


def check(entry: Entry) -> None:
    """Raise InvalidSettings, with the field's name, where an entry says what none may say."""
    known = entry.known
    if not is_model(entry.model):
        raise InvalidSettings("model")
    if known.is_installed_agent:
        if entry.address or not _is_path(entry.program) or (entry.node and not _is_path(entry.node)):
            raise InvalidSettings("program")
    elif entry.program or entry.node or (known.has_fixed_address and entry.address != known.address):
        raise InvalidSettings("address")
    else:
        _check_address(entry.address)
    _check_key(entry)


def is_model(name: str) -> bool:
    """Tell whether a text can be a model's name."""
    return bool(_MODEL.fullmatch(name))


def _is_path(text: str) -> bool:
    return Path(text).is_absolute() and text.isprintable()


def _check_address(text: str) -> None:
    try:
        addresses.parse(text)
    except addresses.AddressRefused:
        raise InvalidSettings("address") from None


def _check_key(entry: Entry) -> None:
    is_source = entry.key in {NO_KEY, KEYRING, KEY_FILE} or bool(_VARIABLE.fullmatch(entry.variable))
    lacks = entry.known.need is Need.REQUIRED and entry.key == NO_KEY
    if not is_source or lacks or (entry.known.need is Need.NONE and entry.key != NO_KEY):
        raise InvalidSettings("key")


def given(folder: Path, settings: Settings) -> tuple[Entry, ...]:
    """Return the entries whose consent holds on this machine, in their order."""
    secret = _secret(folder)
    if secret is None:
        return ()
    return tuple(one for one in settings.entries if _holds(one, secret, folder))


def _holds(entry: Entry, secret: bytes, folder: Path) -> bool:
    return hmac.compare_digest(entry.consent.encode(errors="replace"), _signature(entry, secret, folder).encode())


def _signature(entry: Entry, secret: bytes, folder: Path) -> str:
    said = ["cabecao-llm-1", _machine(), str(_user()), os.path.realpath(folder), entry.provider, entry.model]
    said += [entry.address, entry.key, entry.program, entry.node, str(entry.order)]
    return hmac.new(secret, json.dumps(said).encode(), hashlib.sha256).hexdigest()


def _user() -> int:
    return os.getuid() if os.name == "posix" else 0


def _machine() -> str:
    for file in ("/etc/machine-id", "/var/lib/dbus/machine-id"):
        with contextlib.suppress(OSError):
            return Path(file).read_text(encoding="ascii", errors="replace").strip()
    return ""


def _secret(folder: Path) -> bytes | None:
    try:
        found = (folder / KEY_OF_CONSENT).lstat()
        content = _closed_text(folder / KEY_OF_CONSENT)
    except (OSError, InvalidSettings):
        return None
    is_closed = os.name != "posix" or stat.S_IMODE(found.st_mode) == _ONLY_ITS_USER
    return content if is_closed and content is not None and len(content) == BYTES else None


def save(folder: Path, settings: Settings, on: Sequence[str]) -> Settings:
    """Write the settings with the providers of `on` signed with a new secret, in that order, and the rest unsigned.

    The secret comes first: whoever reads in between finds nothing turned on.
    """
    secret = secrets.token_bytes(BYTES)
    write_closed(folder / KEY_OF_CONSENT, secret)
    ranks = {name: rank for rank, name in enumerate(on)}
    ordered = sorted(settings.entries, key=lambda one: ranks.get(one.provider, len(ranks)))
    entries = []
    for rank, entry in enumerate(ordered):
        plain = replace(entry, order=rank, consent="")
        is_on = entry.provider in ranks
        entries.append(replace(plain, consent=_signature(plain, secret, folder)) if is_on else plain)
    fresh = replace(settings, entries=tuple(entries))
    value = {"version": VERSION, "providers": [_as_json(one) for one in entries], "limits": fresh.raw_limits}
    write_closed(folder / FILE, (json.dumps(value, indent=2) + "\n").encode())
    return fresh


def _as_json(entry: Entry) -> dict[str, str | int]:
    return {name: value for name, value in vars(entry).items() if value != "" or name == "order"}


def write_closed(file: Path, content: bytes) -> None:
    """Write a file that is closed to others before it gets its content, in one step."""
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_ITS_USER)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


@contextlib.contextmanager
def changing(folder: Path) -> Iterator[None]:
    """Let one process at a time change the settings; filelock's Timeout where another does not come to its end."""
    from filelock import FileLock

    with FileLock(folder / "llm.lock", timeout=_LOCK_SECONDS, mode=_ONLY_ITS_USER):
        yield
