"""Home: what an agent would be told now, and what was done last."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from brain import clock
from brain import operations as catalogue
from brain.caller import Caller
from brain.contracts.reads import RecallOutput
from brain.contracts.shared import NoteItem
from brain.index import notes
from brain.index import operations as operation_rows
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from brain.note import structure
from brain.services import recorded
from brain.web.viewmodels import addresses, marking, moments, operations, people
from brain.web.viewmodels.listing import Choice
from brain.web.viewmodels.note import text
from brain.web.viewmodels.note.text import Rendered
from brain.web.viewmodels.note.wikilinks import resolver
from brain.web.viewmodels.operations import OperationItem

LAST: Final = 8
_EXCERPT: Final = 320
# Parts of the briefing in the order in which the budget is spent.
_PARTS: Final = {
    "rules": N_("Rules"),
    "handoff": N_("Handoff"),
    "preferences": N_("Preferences"),
    "gotchas": N_("Gotchas"),
    "memories": N_("Memories about the task"),
}


@dataclass(frozen=True)
class BriefItem:
    """A note of the briefing, with its text as an agent gets it."""

    title: str
    href: str
    text: str
    excerpt: str
    approval: str


@dataclass(frozen=True)
class BriefPart:
    """One part of the briefing."""

    title: str
    items: tuple[BriefItem, ...]


@dataclass(frozen=True)
class Meter:
    """How much of the budget is used, as the meter part draws it."""

    label: str
    value: int
    max: int
    high: int
    note: str


@dataclass(frozen=True)
class Briefing:
    """What `recall` would answer now."""

    task: str
    scope: str
    rules: tuple[BriefItem, ...]
    handoff: BriefItem | None
    handoff_text: Rendered
    handoff_at: datetime | None
    parts: tuple[BriefPart, ...]
    meter: Meter
    omitted: str
    warnings: tuple[str, ...]
    suspended: int


@dataclass(frozen=True)
class HomePage:
    """The page; `is_new` where the brain has no notes of its own yet."""

    scopes: tuple[Choice, ...]
    briefing: Briefing
    operations: tuple[OperationItem, ...]
    is_new: bool


def page(caller: Caller, *, scope: str, task: str) -> HomePage:
    """Return the page for a scope; an empty one is every scope."""
    briefing = _briefing(caller, scope, task)
    return HomePage(
        scopes=_scopes(scope, task),
        briefing=briefing,
        operations=last_operations(),
        is_new=not notes.recent(1),
    )


def last_operations() -> tuple[OperationItem, ...]:
    """Return the last operations, those of other processes included."""
    recorded.catch_up()
    return operations.items(operation_rows.page(limit=LAST))


def _briefing(caller: Caller, scope: str, task: str) -> Briefing:
    given = {"task": task or _("Start of a session"), **({"scope": scope} if scope else {})}
    found = cast("RecallOutput", catalogue.dispatch("recall", caller, given))
    handoff = notes.by_path(found.handoff.path) if found.handoff else None
    return Briefing(
        task=task,
        scope=scope,
        rules=_items(found.rules),
        handoff=_item(found.handoff) if found.handoff else None,
        handoff_text=_handoff_text(found.handoff) if found.handoff else text.NOTHING,
        handoff_at=moments.moment(handoff.updated or handoff.created) if handoff else None,
        parts=tuple(part for part in (_part(found, name) for name in found.priority) if part.items),
        meter=_meter(found),
        omitted=_omitted(found),
        warnings=tuple(one.message for one in found.warnings),
        suspended=_suspended(found, scope),
    )


def _part(found: RecallOutput, name: str) -> BriefPart:
    given: NoteItem | list[NoteItem] | None = getattr(found, name)
    several = given if isinstance(given, list) else [given] if given else []
    return BriefPart(_(_PARTS.get(name, name)), _items(several))


def _handoff_text(one: NoteItem) -> Rendered:
    resolve = resolver(one.path, structure.scan(one.content).links)
    return text.render(one.content, resolve=resolve, top=3)


def _items(found: Iterable[NoteItem]) -> tuple[BriefItem, ...]:
    return tuple(_item(one) for one in found)


def _item(one: NoteItem) -> BriefItem:
    row = notes.by_path(one.path) if one.type in ("rule", "preference") else None
    plain = " ".join(marking.plain(one.content).split())
    return BriefItem(
        title=one.title,
        href=addresses.of_note(one.id, one.path),
        text=one.content,
        excerpt=plain if len(plain) <= _EXCERPT else plain[:_EXCERPT].rsplit(" ", 1)[0] + " …",
        approval=_approval(one.origin, row.approved_by if row else None, row.approved_at if row else None),
    )


def _approval(origin: str, approved_by: str | None, approved_at: str | None) -> str:
    if approved_by:
        moment = moments.moment(approved_at)
        day = _(" on %(day)s") % {"day": moments.day(moment.astimezone().date())} if moment else ""
        by_whom = _("you") if approved_by in ("user", "human") else approved_by
        return _("approved by %(who)s%(day)s") % {"who": by_whom, "day": day}
    author = people.of_origin(origin)
    return _("written by you") if author and not author.is_agent else ""


def _meter(found: RecallOutput) -> Meter:
    note = _("%(used)d of %(budget)d tokens") % {"used": found.used_tokens, "budget": found.budget_tokens}
    most = max(found.budget_tokens, found.used_tokens, 1)
    return Meter(_("Size of the briefing"), found.used_tokens, most, int(found.budget_tokens * 0.9), note)


def _omitted(found: RecallOutput) -> str:
    if not found.omitted:
        return ""
    said = ngettext(
        "%(count)d note did not fit and is left out.", "%(count)d notes did not fit and are left out.", found.omitted
    )
    return said % {"count": found.omitted}


def _suspended(found: RecallOutput, scope: str) -> int:
    """Return how many rules hold by their dates and are not in force, as nobody vouched for their text here."""
    there = {one.path for one in found.rules}
    today = clock.today()
    return sum(
        1
        for row in notes.of_type("rule")
        if row.path not in there
        and not row.is_replaced(today)
        and row.validity(today).value == "current"
        and (not scope or row.scope in (scope, "global"))
    )


def _scopes(chosen: str, task: str) -> tuple[Choice, ...]:
    every = Choice(_("Every scope"), addresses.with_query("/", {"task": task}), not chosen)
    named = (
        Choice(
            _("Global") if one == "global" else one,
            addresses.with_query("/", {"scope": one, "task": task}),
            one == chosen,
        )
        for one in dict.fromkeys([*notes.scopes(), *([chosen] if chosen else [])])
    )
    return (every, *named)
