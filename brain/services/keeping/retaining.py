"""Notes that were to be kept for a time which has passed: found for anyone, archived for the person, never deleted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Final

from brain import clock
from brain.caller import Caller
from brain.index import notes, refresh
from brain.jobs.progress import Progress
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import document, fields
from brain.note.fields import Fields
from brain.services import archiving, workplace, writing
from brain.services.linting import ageing
from brain.services.writing import Change, Done, FileEdit
from brain.store import files

BATCH: Final = 100
_LISTED: Final = 40
_PATIENCE_SECONDS: Final = 60.0


@dataclass(frozen=True)
class Due:
    """A note whose retention is over, and since when."""

    path: str
    id: str | None
    title: str
    type: str | None
    retention: str
    ended_on: date


@dataclass(frozen=True)
class Archived:
    """Notes that were put away in one operation, by where they lay and where they lie, and the op that undoes it."""

    op: str
    moves: tuple[tuple[str, str], ...]


class _NothingLeft(Exception):
    """Of a batch nothing is due any more."""


def due() -> list[Due]:
    """Return the notes whose retention is over, by path; archived ones and copies of a conflict are not asked."""
    today, found = clock.today(), []
    for one in notes.with_retention():
        ends = ageing.retained_until(one.retention, one.created, one.updated)
        if ends is not None and ends <= today:
            found.append(Due(one.path, one.id, one.title, one.type, one.retention, ends))
    return found


def look(report: Progress) -> None:
    """Say which notes are past their retention; nothing is changed."""
    report.advance(0, 1, _("Looking at the notes"))
    refresh.catch_up(seconds=_PATIENCE_SECONDS)
    found = due()
    _list(report, [f"{one.path} · {one.retention} · {one.ended_on.isoformat()}" for one in found])
    report.conclude(said(len(found)))


def said(count: int) -> str:
    """Say how many notes are past their retention, and what archives them."""
    if not count:
        return _("No note is past its retention.")
    text = ngettext(
        "%(count)d note is past its retention; `cabecao retention --apply` archives it.",
        "%(count)d notes are past their retention; `cabecao retention --apply` archives them.",
        count,
    )
    return text % {"count": count}


def archive(caller: Caller, report: Progress) -> None:
    """Archive every note that is past its retention, and say which."""
    done = list(archived(caller, report))
    moves = [move for one in done for move in one.moves]
    _list(report, [f"{before} → {after}" for before, after in moves])
    report.conclude(_archived_said(len(moves), [one.op for one in done]))


def archived(caller: Caller, report: Progress) -> Iterator[Archived]:
    """Archive the notes past their retention, some in each commit; yield what each did."""
    refresh.catch_up(seconds=_PATIENCE_SECONDS)
    found = due()
    for first in range(0, len(found), BATCH):
        report.advance(first, len(found), _("Archiving"))
        batch = [one.path for one in found[first : first + BATCH]]
        try:
            yield _told(writing.commit(caller, partial(_change, caller, batch)))
        except _NothingLeft:
            continue


def _archived_said(count: int, ops: list[str]) -> str:
    if not count:
        return _("No note is past its retention.")
    text = ngettext(
        "%(count)d note was archived; undo with %(ops)s brings it back.",
        "%(count)d notes were archived; undo with %(ops)s brings them back.",
        count,
    )
    return text % {"count": count, "ops": ", ".join(ops)}


def _list(report: Progress, lines: list[str]) -> None:
    for line in lines[:_LISTED]:
        report.say(line)
    if len(lines) > _LISTED:
        report.say(_("… and %(count)d more") % {"count": len(lines) - _LISTED})


def _told(done: Done) -> Archived:
    """Return what a commit moved: the edits are pairs, what goes and what comes."""
    edits = done.change.edits
    return Archived(done.op, tuple((gone.path, come.path) for gone, come in zip(edits[::2], edits[1::2], strict=True)))


def _change(caller: Caller, batch: list[str]) -> Change:
    """Return the change that puts a batch away, read from the files as they are now; _NothingLeft where none is due."""
    root, edits, lines, taken = workplace.root(), [], [], set[str]()
    for path in batch:
        raw = files.read(root, path)
        note = document.parse(raw) if raw is not None else None
        known = fields.read(note, path) if note is not None else None
        ends = _ends(known)
        if raw is None or note is None or known is None or ends is None:
            continue
        place = archiving.place_of(root, path, taken=taken)
        taken.add(place)
        after, _warnings = archiving.put_away(caller, note, ageing.ended(known.retention or "", ends))
        edits += [FileEdit(path, raw, None), FileEdit(place, None, after, moved_from=raw)]
        lines.append(f"archive {known.type or 'note'}: {known.title}")
    if not edits:
        raise _NothingLeft
    return Change("retention", tuple(edits), tuple(lines))


def _ends(known: Fields | None) -> date | None:
    """Return when a note's retention was over, None where it has none or it goes on."""
    ends = ageing.retained_until(known.retention, known.created, known.updated) if known is not None else None
    return ends if ends is not None and ends <= clock.today() else None
