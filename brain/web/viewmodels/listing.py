"""The list of notes: what it is narrowed to, how it is sorted, and its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Final, cast, get_args

from brain import clock
from brain.index import listing
from brain.index.listing import Listed, Sort
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.services import views as service_views
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses, moments, people
from brain.web.viewmodels.people import Who

PER_PAGE: Final = 50
_PATH: Final = "/notes"
_SORTS: Final[Mapping[str, str]] = {"recent": N_("Newest first"), "title": N_("By title"), "type": N_("By type")}
_MOST_CHOICES: Final = 12


@dataclass(frozen=True)
class Choice:
    """A link that narrows or sorts a list."""

    label: str
    href: str
    is_chosen: bool
    count: int | None = None


@dataclass(frozen=True)
class NoteItem:
    """A note as a row."""

    title: str
    href: str
    path: str
    type: Badge
    scope: str
    validity: Badge | None
    trust: Badge | None
    is_private: bool
    who: Who | None
    at: datetime


@dataclass(frozen=True)
class Pages:
    """Where one is in a list, as the pagination part draws it."""

    number: int
    count: int
    previous: str
    next: str


@dataclass(frozen=True)
class NotesPage:
    """The list as it is narrowed and sorted."""

    items: tuple[NoteItem, ...]
    total: int
    types: tuple[Choice, ...]
    scopes: tuple[Choice, ...]
    sorts: tuple[Choice, ...]
    pages: Pages
    is_narrowed: bool


@dataclass(frozen=True)
class Wanted:
    """What the address asks for, checked."""

    kind: str | None
    scope: str | None
    sort: Sort
    page: int


def wanted(query: Mapping[str, str]) -> Wanted:
    """Read the address; what is not understood counts as not said."""
    sort, number = query.get("sort", ""), query.get("page", "")
    return Wanted(
        kind=query.get("type") or None,
        scope=query.get("scope") or None,
        sort=cast("Sort", sort if sort in get_args(Sort) else "recent"),
        page=int(number) if number.isascii() and number.isdigit() and 0 < len(number) < 7 and int(number) else 1,
    )


def page(asked: Wanted) -> NotesPage:
    """Return a page of the list."""
    total = listing.total(kind=asked.kind, scope=asked.scope)
    count = max(1, -(-total // PER_PAGE))
    number = min(asked.page, count)
    rows = listing.page(
        kind=asked.kind, scope=asked.scope, sort=asked.sort, first=(number - 1) * PER_PAGE, limit=PER_PAGE
    )
    today = clock.today()
    return NotesPage(
        items=tuple(_item(row, today) for row in rows),
        total=total,
        types=_types(asked),
        scopes=_scopes(asked),
        sorts=tuple(_choice(asked, "sort", name, _(label), None) for name, label in _SORTS.items()),
        pages=Pages(
            number,
            count,
            _address(asked, page=number - 1) if number > 1 else "",
            _address(asked, page=number + 1) if number < count else "",
        ),
        is_narrowed=bool(asked.kind or asked.scope),
    )


def _item(row: Listed, today: date) -> NoteItem:
    note = row.note
    state = note.validity(today).value
    return NoteItem(
        title=note.title,
        href=addresses.of_note(note.id, note.path),
        path=note.path,
        type=badges.of_type(note.type),
        scope="" if note.scope == "global" else note.scope,
        validity=badges.of_validity(state) if state != "current" else None,
        trust=badges.of_trust(service_views.trust_of(note.trust, note.path)),
        is_private=note.private,
        who=people.of_origin(note.origin),
        at=moments.moment(note.updated or note.created) or row.file_changed,
    )


def _types(asked: Wanted) -> tuple[Choice, ...]:
    groups = listing.by_type(scope=asked.scope)
    every = _choice(asked, "type", None, _("All"), sum(one.count for one in groups))
    named = (
        _choice(asked, "type", one.value or listing.UNTYPED, badges.of_type(one.value).text, one.count)
        for one in groups
    )
    return (every, *named)


def _scopes(asked: Wanted) -> tuple[Choice, ...]:
    groups = listing.by_scope(kind=asked.kind)[:_MOST_CHOICES]
    every = _choice(asked, "scope", None, _("Everywhere"), None)
    named = (_choice(asked, "scope", one.value, badges.of_scope(one.value or "").text, one.count) for one in groups)
    return (every, *named)


def _choice(asked: Wanted, name: str, value: str | None, label: str, count: int | None) -> Choice:
    present = {"type": asked.kind, "scope": asked.scope, "sort": asked.sort}[name]
    changed = {"type": asked.kind, "scope": asked.scope, "sort": asked.sort, name: value}
    return Choice(label, addresses.with_query(_PATH, _without_defaults(changed)), present == value, count)


def _address(asked: Wanted, *, page: int) -> str:
    kept = _without_defaults({"type": asked.kind, "scope": asked.scope, "sort": asked.sort})
    return addresses.with_query(_PATH, {**kept, "page": str(page) if page > 1 else None})


def _without_defaults(given: Mapping[str, str | None]) -> dict[str, str | None]:
    return {name: None if (name, value) == ("sort", "recent") else value for name, value in given.items()}
