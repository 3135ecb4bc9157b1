"""What kind of place a folder lies in: on a file system of another machine, or in a folder that a program copies.

In such places the kernel does not tell of every change, so that they have to be looked at.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_MOUNTS: Final = Path("/proc/self/mountinfo")
_ESCAPED: Final = re.compile(r"\\([0-7]{3})")
# File systems whose files change without this machine's kernel having a hand in it.
REMOTE: Final = frozenset({
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "drvfs", "fakeowner", "fuse", "gfs2", "glusterfs", "gpfs",
    "lustre", "ncpfs", "nfs", "nfs4", "ocfs2", "orangefs", "panfs", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf",
    "virtiofs", "vmhgfs",
})  # fmt: skip
# Parts of a folder's path that a program which copies files one by one gives it.
SYNCED: Final = ("dropbox", "onedrive", "icloud", "mobile documents", "google drive", "googledrive", "nextcloud",
                 "owncloud", "syncthing", "pcloud", "megasync", "box sync")  # fmt: skip
# Files that such a program leaves in the folder that it copies -> its name.
MARKS: Final = {
    ".stfolder": "Syncthing",
    ".dropbox.cache": "Dropbox",
    ".849C9593-D756-4E56-8D6E-42412F2A707B": "OneDrive",
    ".tmp.drivedownload": "Google Drive",
    ".tmp.driveupload": "Google Drive",
    ".owncloudsync.log": "ownCloud",
    ".nextcloudsync.log": "Nextcloud",
}


@dataclass(frozen=True)
class Place:
    """Where a folder lies: its file system where that is a remote one, and who copies it where somebody does."""

    remote: str | None = None
    synced: str | None = None


def of(folder: Path) -> Place:
    """Return what kind of place a folder lies in."""
    return Place(remote=_remote(folder), synced=_synced(folder))


def _remote(folder: Path) -> str | None:
    """Return the kind of the file system where it is a remote one; not known but on Linux and for Windows shares."""
    if sys.platform == "win32" and str(folder).startswith("\\\\"):
        return "smb"
    kind = _file_system(folder)
    return kind if kind and (kind in REMOTE or kind.startswith("fuse.")) else None


def _file_system(folder: Path) -> str | None:
    """Return the kind of the file system that a folder lies on, by the deepest mount above it."""
    try:
        lines = os.fsdecode(_MOUNTS.read_bytes()).splitlines()
    except OSError:
        return None
    found: tuple[int, str] | None = None
    for line in lines:
        before, _, after = line.partition(" - ")
        fields, kind = before.split(" "), after.partition(" ")[0]
        if len(fields) < 5 or not kind:
            continue
        mounted = Path(_ESCAPED.sub(lambda sign: chr(int(sign[1], 8)), fields[4]))
        if folder.is_relative_to(mounted) and (found is None or len(mounted.parts) >= found[0]):
            found = (len(mounted.parts), kind)
    return found[1] if found else None


def _synced(folder: Path) -> str | None:
    """Return the part of the path, or the program, that says that files are copied one by one."""
    for part in folder.parts:
        plain = part.casefold()
        if any(plain == name or plain.startswith((f"{name} ", f"{name}-", f"{name}~")) for name in SYNCED):
            return part
    for place in (folder, *folder.parents):
        for mark, program in MARKS.items():
            if _is_there(place / mark):
                return program
    return None


def _is_there(file: Path) -> bool:
    try:
        return file.exists()
    except OSError:
        return False
