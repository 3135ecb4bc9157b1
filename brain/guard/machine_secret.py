"""The secrets of this machine, each in a file: made at the first use, readable by its user alone, never in Git."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path
from typing import Final

from brain.errors import UnsafePath
from brain.language import gettext as _

CONFIRM: Final = "confirm.key"
DJANGO: Final = "django.key"
_BYTES: Final = 32
_ONLY_ITS_USER: Final = 0o600


def of(machine: Path, name: str) -> bytes:
    """Return a secret in a machine folder; one that is damaged or that others could read is made anew.

    UnsafePath where the file is there and cannot be read as one, OSError where none can be made.
    """
    file = machine / name
    return _sound(file) or _made(file)


def _sound(file: Path) -> bytes | None:
    """Return what the file holds where it is a secret that no one else could have read."""
    try:
        descriptor = os.open(file, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UnsafePath(_("%(file)s of the machine's folder cannot be read.") % {"file": file.name}) from error
    with os.fdopen(descriptor, "rb") as opened:
        mode = stat.S_IMODE(os.fstat(opened.fileno()).st_mode)
        content = opened.read(_BYTES + 1)
    if len(content) != _BYTES or (os.name == "posix" and mode != _ONLY_ITS_USER):
        file.unlink(missing_ok=True)
        return None
    return content


def _made(file: Path) -> bytes:
    """Make the secret under another name and link it into place, so that of two processes one wins and both agree."""
    file.parent.mkdir(parents=True, exist_ok=True)
    draft = file.with_name(f"{file.name}.{secrets.token_hex(8)}")
    content = secrets.token_bytes(_BYTES)
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _ONLY_ITS_USER)
    try:
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
            opened.flush()
            os.fsync(opened.fileno())
        with contextlib.suppress(FileExistsError):
            os.link(draft, file)
    finally:
        draft.unlink(missing_ok=True)
    return _sound(file) or content
