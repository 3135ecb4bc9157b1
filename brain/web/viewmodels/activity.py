"""The operations by day, in pages that stay quick however many there are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from brain.contracts.writes import UndoOutput
from brain.index import operations as rows
from brain.language import gettext as _
from brain.language import ngettext
from brain.web.viewmodels import addresses, operations, people
from brain.web.viewmodels.listing import Choice, Pages
from brain.web.viewmodels.operations import Day

PER_PAGE = 40
_PATH = "/activity"


@dataclass(frozen=True)
class Wanted:
    """What the address asks for: one client or all, and the operations before a place."""

    client: str
    before: int | None
    number: int


@dataclass(frozen=True)
class ActivityPage:
    """A page of the operations."""

    days: tuple[Day, ...]
    clients: tuple[Choice, ...]
    pages: Pages
    href: str


def wanted(query: Mapping[str, str]) -> Wanted:
    """Read the address; what is not understood counts as not said."""
    before = _number(query.get("before", ""))
    return Wanted(query.get("client", ""), before, (_number(query.get("page", "")) or 2) if before else 1)


def page(asked: Wanted) -> ActivityPage:
    """Return a page; the next one begins after its last operation, so that new ones do not shift it."""
    found = rows.page(before=asked.before, limit=PER_PAGE + 1, client=asked.client or None)
    shown = found[:PER_PAGE]
    following = (
        _address(asked.client, before=shown[-1].position, number=asked.number + 1) if len(found) > PER_PAGE else ""
    )
    return ActivityPage(
        days=operations.days(operations.items(shown)),
        clients=_clients(asked),
        pages=Pages(asked.number, 0, _address(asked.client) if asked.before else "", following),
        href=_address(asked.client, before=asked.before, number=asked.number),
    )


def undone(done: UndoOutput) -> str:
    """Return what to say after an undo."""
    notes = len(done.changed_paths) - 1
    if notes < 2:
        return _("The operation is undone.")
    said = ngettext("Undone: %(count)d note is as before.", "Undone: %(count)d notes are as before.", notes)
    return said % {"count": notes}


def _clients(asked: Wanted) -> tuple[Choice, ...]:
    known = rows.clients()
    if len(known) < 2 and not asked.client:
        return ()
    every = Choice(_("All"), _PATH, not asked.client)
    named = (Choice(people.client_label(one), _address(one), one == asked.client) for one in known)
    return (every, *named)


def _address(client: str, *, before: int | None = None, number: int = 1) -> str:
    place = {"before": str(before), "page": str(number)} if before else {}
    return addresses.with_query(_PATH, {"client": client, **place})


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and 0 < len(text) < 16 else None
