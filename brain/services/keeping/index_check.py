"""The index compared with the notes, byte by byte: what no size and no time of a file would ever tell."""

from __future__ import annotations

from typing import Final

from brain import config
from brain.errors import IndexFailed
from brain.guard.paths import is_note
from brain.index import database, refresh, schema
from brain.index.intake import scanning
from brain.jobs.progress import Progress
from brain.language import gettext as _
from brain.language import ngettext
from brain.store import tree

_CHUNK: Final = 200
_PATIENCE_SECONDS: Final = 3600.0


def work(report: Progress) -> None:
    """Read the index's file to its last page, take in what changed, and compare every note with what is kept of it."""
    report.advance(0, 1, _("Reading the index"))
    is_sound = schema.check()
    if not is_sound:
        report.say(_("The index was damaged; it is built again from the notes."))
    title = _("Taking in what changed")
    behind = refresh.catch_up(
        seconds=_PATIENCE_SECONDS, progress=lambda done, total: report.advance(done, 2 * total, title)
    )
    if behind.warning:
        raise IndexFailed(behind.warning)
    differing = _compared(report)
    for path in differing:
        report.say(path)
    if differing or not is_sound:
        said = ngettext(
            "The index was behind in %(count)d note; it is right again.",
            "The index was behind in %(count)d notes; it is right again.",
            len(differing),
        )
        report.conclude(said % {"count": len(differing)} if is_sound else _("The index was damaged and is new."))
    else:
        report.conclude(_("The index says what the notes say."))


def _compared(report: Progress) -> list[str]:
    """Return the notes of which the index knew another text or none, or that are gone; it knows better now."""
    root = config.here().root
    known = {str(path): str(digest) for path, digest in database.query("SELECT path, digest FROM note")}
    found = tree.walk(root)
    paths = [one.path for one in found.files if is_note(one.path)]
    differing = [path for path in known.keys() - set(paths) if found.knows(path)]
    title = _("Comparing the notes")
    for first in range(0, len(paths), _CHUNK):
        report.advance(len(paths) + first, 2 * len(paths), title)
        differing += [path for path in paths[first : first + _CHUNK] if _differs(path, known)]
    for first in range(0, len(differing), _CHUNK):
        report.check()
        refresh.apply(differing[first : first + _CHUNK])
    return sorted(differing)


def _differs(path: str, known: dict[str, str]) -> bool:
    """Tell whether a file holds another text than the index knows; one that cannot be opened is left as it is known."""
    try:
        content = tree.read(config.here().root, path, most=scanning.MOST_BYTES, keep=scanning.KEPT_BYTES)
    except OSError:
        return False
    return content is not None and content.digest != known.get(path)
