"""How a process gets ready: its brain, its language, Django, and databases that exist."""

from __future__ import annotations

import os
import secrets
from pathlib import Path

from brain import config, language
from brain.config import Brain
from brain.errors import BrainError, IndexFailed, foreign
from brain.guard import machine_secret

_PAGE = 4096
STATE_VERSION = 4  # raise it with each new migration


def start(root: Path, *, lean: bool = True) -> Brain:
    """Make a folder this process's brain and set Django up; NotABrain where it is none. Opens no database."""
    brain = config.enter(root)
    language.configure(brain.config().language)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "cabecao_site.settings")
    os.environ.setdefault("CABECAO_PROCESS", "lean" if lean else "web")
    import django

    django.setup()
    point_at(brain)
    return brain


def point_at(brain: Brain) -> None:
    """Let the databases be the brain's own; connections of this thread to another brain's are closed."""
    from django.conf import settings
    from django.db import connections

    for alias, name in {"default": "state", "index": "index", "audit": "audit"}.items():
        wanted = str(brain.machine / f"{name}.db")
        if connections.settings[alias]["NAME"] != wanted:
            connections.settings[alias]["NAME"] = wanted
            connections[alias].close()
    settings.SECRET_KEY = _machine_key(brain)


def _machine_key(brain: Brain) -> str:
    """Return Django's key of this machine; a passing one where none can be kept."""
    try:
        return machine_secret.of(brain.machine, machine_secret.DJANGO).hex()
    except (OSError, BrainError):
        return secrets.token_hex(32)


def prepare_records() -> None:
    """Make state.db and audit.db, or bring them up to date, for what this process loads.

    Several processes may start at once: a file lock lets one migrate while the others wait.
    """
    from django.conf import settings
    from filelock import FileLock

    wanted = STATE_VERSION * 2 + (0 if settings.LEAN else 1)
    if not _is_any_small() and _version("audit") // 2 == STATE_VERSION and _is_enough(_version("default"), wanted):
        return
    from brain.store import setup

    brain = config.here()
    setup.make_ignored(brain.machine)
    with FileLock(brain.machine / "migrate.lock", timeout=60):
        if _is_any_small():
            _meet_emptied()
        if not _is_enough(_version("default"), wanted) or _version("audit") // 2 != STATE_VERSION:
            _migrate(wanted)


def _is_any_small() -> bool:
    """Tell whether a record has no more than one page, which is worth a closer look."""
    files = (config.here().machine / f"{name}.db" for name in ("state", "audit"))
    return any(file.exists() and file.stat().st_size <= _PAGE for file in files)


def _meet_emptied() -> None:
    """Raise IndexFailed where the state was cut off, keep what is left of an audit log aside."""
    from brain.services.health import records, renewing

    if records.is_emptied(records.STATE):
        raise records.emptied(records.STATE)
    if records.is_emptied(records.AUDIT):
        renewing.set_aside(records.file_of(records.AUDIT))


def _is_enough(version: int, wanted: int) -> bool:
    """Tell whether the state has the tables: what a process with all apps made is enough for a lean one too."""
    return version // 2 == wanted // 2 and version >= wanted


def _version(alias: str) -> int:
    from django.db import DatabaseError, connections

    if not Path(connections.settings[alias]["NAME"]).exists():
        return 0
    try:
        with connections[alias].cursor() as cursor:
            return int(cursor.execute("PRAGMA user_version").fetchone()[0])
    except DatabaseError as error:
        if not isinstance(foreign(error), IndexFailed):
            raise
        from brain.services.health import records

        raise records.refused(Path(connections.settings[alias]["NAME"]).stem, error) from error


def _migrate(version: int) -> None:
    from django.core.management import call_command
    from django.db import connections

    for alias in ("default", "audit"):
        call_command("migrate", database=alias, verbosity=0, interactive=False)
        with connections[alias].cursor() as cursor:
            cursor.execute(f"PRAGMA user_version = {version}")
