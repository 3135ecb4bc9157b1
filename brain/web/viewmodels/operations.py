"""Operations as rows: who did what to which note and when, and whether it can be undone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import groupby
from typing import Final

from brain import clock
from brain.index import listing
from brain.index.listing import Nameplate
from brain.index.operations import OperationRow
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.services import log_book
from brain.web.viewmodels import addresses, moments, people
from brain.web.viewmodels.people import Who

_MOST_NOTES: Final = 4
# First word of a commit's subject -> what was done.
_VERBS: Final = {
    "add": N_("wrote"),
    "update": N_("changed"),
    "supersede": N_("replaced"),
    "undo": N_("undid"),
    "redo": N_("did again"),
    "archive": N_("archived"),
    "move": N_("moved"),
    "restore": N_("restored"),
}


@dataclass(frozen=True)
class NoteLink:
    """A note that an operation touched; without an address where it is gone."""

    title: str
    href: str | None


@dataclass(frozen=True)
class OperationItem:
    """One row of the activity."""

    op: str
    who: Who
    verb: str
    text: str
    notes: tuple[NoteLink, ...]
    more: int
    at: datetime
    is_undone: bool
    details: str

    @property
    def can_undo(self) -> bool:
        """Tell whether the row offers to undo it."""
        return not self.is_undone


@dataclass(frozen=True)
class Day:
    """The operations of one day of the person's."""

    title: str
    operations: tuple[OperationItem, ...]


def items(rows: Sequence[OperationRow]) -> tuple[OperationItem, ...]:
    """Return rows to show; the notes of all of them are looked up at once."""
    known = listing.nameplates(path for row in rows for path in note_paths(row))
    return tuple(_item(row, known) for row in rows)


def days(found: Iterable[OperationItem]) -> tuple[Day, ...]:
    """Return operations, the newest first, under the days they were made on."""
    groups = groupby(found, key=lambda one: one.at.astimezone().date())
    return tuple(Day(_day_title(when), tuple(group)) for when, group in groups)


def note_paths(row: OperationRow) -> Iterator[str]:
    """Yield the files that an operation was about: those that are not the log's."""
    return (path for path in row.paths if not log_book.is_log(path))


def said(subject: str) -> tuple[str, str]:
    """Return what a commit's subject says was done, and to what."""
    word, _sign, text = subject.partition(":")
    verb = _VERBS.get(word.split(" ")[0], N_("changed"))
    return _(verb), text.strip() or subject


def _item(row: OperationRow, known: dict[str, Nameplate]) -> OperationItem:
    verb, text = said(row.subject)
    paths = list(note_paths(row))
    named = _named(row) if len(paths) == 1 else ""
    return OperationItem(
        op=row.op,
        who=people.of_client(row.client, row.kind),
        verb=verb,
        text=text,
        notes=tuple(_link(path, known.get(path), named) for path in paths[:_MOST_NOTES]),
        more=max(0, len(paths) - _MOST_NOTES),
        at=row.at,
        is_undone=row.undone_by is not None,
        details=f"/activity/{row.op}",
    )


def _named(row: OperationRow) -> str:
    """Return the title in a commit's subject, such as `undo: add gotcha: Title`."""
    return row.subject.split(": ", 2 if row.undoes else 1)[-1]


def _link(path: str, known: Nameplate | None, named: str) -> NoteLink:
    if known is None:
        return NoteLink(named or path.rpartition("/")[2].removesuffix(".md"), None)
    return NoteLink(known.title, addresses.of_note(known.id, known.path))


def _day_title(when: date) -> str:
    passed = (clock.today() - when).days
    return {0: _("Today"), 1: _("Yesterday")}.get(passed) or moments.long_day(when)
