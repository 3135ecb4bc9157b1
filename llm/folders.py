"""Where the settings of answers lie: the user's own folder, as the system account says, whatever the environment says.

A folder that the environment names instead counts for the person at a terminal alone. For an agent, which controls the
environment of what it runs, answers are off there and nothing is read.
"""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

SETTINGS: Final = "llm.json"
CONSENT: Final = "llm-consent.key"
_NAME: Final = "cabecao"
_OTHERS_MAY_WRITE: Final = 0o022


class UnsafeFolder(Exception):
    """Other users of the machine could change the folder; carries the part that they can."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self.folder = folder


@dataclass(frozen=True)
class Place:
    """A folder of settings, and whether it is the user's own."""

    folder: Path
    is_own: bool


def own_home() -> Path:
    """Return the user's folder from the system account."""
    if sys.platform == "win32":
        return _windows_folder(40)  # CSIDL_PROFILE
    import pwd

    try:
        return Path(pwd.getpwuid(os.getuid()).pw_dir)
    except KeyError:  # a user without an account, as in a container, has no folder of their own
        return Path("/nonexistent")


def own() -> Path:
    """Return the user's own folder of settings."""
    if sys.platform == "win32":
        return _windows_folder(26) / _NAME  # CSIDL_APPDATA
    return own_home() / ".config" / _NAME


def in_environment(environ: Mapping[str, str]) -> Path:
    """Return the folder that the environment names."""
    if named := environ.get("CABECAO_CONFIG_DIR"):
        return Path(named)
    base = environ.get("APPDATA") if sys.platform == "win32" else environ.get("XDG_CONFIG_HOME")
    if base and Path(base).is_absolute():
        return Path(base) / _NAME
    home = environ.get("USERPROFILE" if sys.platform == "win32" else "HOME")
    if not home:
        return own()
    return Path(home) / ("AppData/Roaming" if sys.platform == "win32" else ".config") / _NAME


def place(environ: Mapping[str, str] | None = None) -> Place:
    """Return the folder that the environment names, and whether it is the user's own."""
    named, mine = in_environment(os.environ if environ is None else environ), own()
    is_own = _real(named) == _real(mine)
    return Place(mine if is_own else named, is_own)  # a link to the user's own could lead elsewhere later


def _real(folder: Path) -> str:
    return os.path.realpath(folder)


def check(folder: Path) -> None:
    """Raise UnsafeFolder where other users of the machine could change the folder or put another in its place."""
    if os.name != "posix":
        return
    real, mine = Path(_real(folder)), os.getuid()
    for part in (real, *real.parents):
        try:
            found = part.stat()
        except (FileNotFoundError, NotADirectoryError):
            continue
        is_sticky = bool(found.st_mode & stat.S_ISVTX) and part != real
        is_theirs = part == real and found.st_uid not in {0, mine}
        if is_theirs or (found.st_mode & _OTHERS_MAY_WRITE and not is_sticky):
            raise UnsafeFolder(part)
        if found.st_uid != mine and part != real:
            return  # what lies above belongs to the system


def make(folder: Path) -> None:
    """Make the folder, closed to others, where it is not there; UnsafeFolder where others could change it."""
    for part in (*reversed(folder.parents), folder):  # whatever the mask is, for nobody else to change
        part.mkdir(mode=0o700 if part == folder else 0o755, exist_ok=True)
    check(folder)


def _windows_folder(number: int) -> Path:
    import ctypes

    buffer = ctypes.create_unicode_buffer(260)
    shell = getattr(ctypes, "windll").shell32  # noqa: B009 (unknown to the types of other systems)
    if shell.SHGetFolderPathW(None, number, None, 0, buffer) != 0:
        raise OSError("SHGetFolderPathW")
    return Path(buffer.value)
