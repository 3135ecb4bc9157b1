"""The index's tables: made where they are missing, damaged or of another version, and built anew on request."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from brain.errors import IndexFailed, reason_of
from brain.index import database, sqlite_file
from brain.language import gettext as _

VERSION: Final = "5"
CHECKED_AT_START: Final = 16 << 20  # bytes; a greater index is checked in the background, by `check`

FULL_TEXT: Final = """
CREATE VIRTUAL TABLE fulltext USING fts5(
    title, names, body, pieces, stems, tokenize = "unicode61 remove_diacritics 2"
)
"""
VOCABULARY: Final = "CREATE VIRTUAL TABLE word USING fts5vocab(fulltext, row)"

Progress = Callable[[int, int], object]
_found_sound: set[tuple[str, sqlite_file.Identity | None]] = set()


def ensure() -> None:
    """Make the index where there is none that can be used; it is empty then, and the next catching-up fills it."""
    file = database.file()
    if _is_usable(file):
        return
    with database.lock(seconds=30.0) as held:
        if not held:
            raise IndexFailed(_("Another process has been working on the index for too long."))
        if not _is_usable(file):
            _install_empty(file)


def start_over() -> None:
    """Replace a damaged index by an empty one; another process may have done so already."""
    _found_sound.clear()
    with database.lock(seconds=30.0):
        file = database.file()
        if sqlite_file.value(file, "version") != VERSION or not sqlite_file.is_sound(file):
            _install_empty(file)


def check() -> bool:
    """Read the whole file and start over where it is damaged; tell whether it was not."""
    file = database.file()
    if not file.exists() or sqlite_file.is_sound(file):
        return True
    start_over()
    return False


def rebuild(progress: Progress | None = None) -> None:
    """Build the index from the notes, beside the one in use, and let it take that one's place when it is complete."""
    from brain.index.intake.building import build

    ensure()
    build(progress)


def create(wrapper: Any) -> None:
    """Make the tables in a new database file."""
    from django.apps import apps

    with wrapper.schema_editor(atomic=False) as editor:
        for model in apps.get_app_config("index").get_models():
            editor.create_model(model)
    with wrapper.cursor() as cursor:
        cursor.execute(FULL_TEXT)
        cursor.execute(VOCABULARY)
        cursor.execute("INSERT INTO meta (key, value) VALUES ('version', %s)", (VERSION,))


def _is_usable(file: Path) -> bool:
    if sqlite_file.value(file, "version") != VERSION:
        return False
    mark = (str(file), sqlite_file.identity(file))
    if mark not in _found_sound:
        if file.stat().st_size <= CHECKED_AT_START and not sqlite_file.is_sound(file):
            return False
        _found_sound.add(mark)
    return True


def _install_empty(file: Path) -> None:
    new = file.with_name(f"{file.name}.empty")
    file.parent.mkdir(exist_ok=True)
    try:
        with sqlite_file.private(new) as wrapper:
            create(wrapper)
        if not sqlite_file.is_sound(file):
            sqlite_file.discard(file)
        sqlite_file.install(new, file)
    except OSError as error:
        raise IndexFailed(_("The index could not be made: %(reason)s.") % {"reason": reason_of(error)}) from error
