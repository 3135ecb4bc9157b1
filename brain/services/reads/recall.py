"""recall: the briefing at the start of a task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from brain import clock, config
from brain.caller import Caller
from brain.contracts.reads import HandoffSeen, RecallInput, RecallOutput
from brain.contracts.shared import DATA_NOTICE, NoteItem
from brain.index import fulltext, in_force, refresh
from brain.index.fulltext import Query
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import document, tokens
from brain.note.validity import Validity
from brain.services import delivered, shown, views, vouching
from brain.services.reads import known_scopes
from brain.store import files

PRIORITY: Final = ("rules", "handoff", "preferences", "gotchas", "memories")
RULES_FOLDER: Final = "memory/rules/"
MOST_GOTCHAS: Final = 12
MOST_MEMORIES: Final = 12
LONGEST_EXCERPT: Final = 450  # approximate tokens of one note
LONGEST_HANDOFF: Final = 1_200
_SHORTEST_EXCERPT: Final = 40
_LEAST_ROOM: Final = 10  # what a note takes of the budget however short it is: what stands around it has a size too
_APART: Final = frozenset({"rule", "handoff", "focus", "preference", "gotcha"})  # what is not among the memories
_WEAKEST: Final = 0.3  # of the best hit's score: what is further away is not about the task


@dataclass
class _Briefing:
    """What the briefing holds so far and may still hold; what does not fit is counted."""

    caller: Caller
    given: RecallInput
    left: int
    used: int = 0
    omitted: int = 0
    closed: bool = False

    def give(self, rows: Iterable[NoteRow], *, total: int, longest: int = LONGEST_EXCERPT) -> list[NoteItem]:
        """Return notes in their order until one does not fit; what comes later never overtakes what was left out."""
        items: list[NoteItem] = []
        seen = 0
        for row in () if self.closed else rows:
            seen += 1
            item = _item(self.caller, row, longest=min(longest, max(self.left, _SHORTEST_EXCERPT)))
            if item is None:
                continue
            cost = tokens.count(item.content)
            room = max(cost, _LEAST_ROOM)
            if room > self.left or (item.content_kind == "excerpt" and self.left < min(longest, LONGEST_EXCERPT)):
                self.closed = True
                self.omitted += 1
                break
            self.left -= room
            self.used += cost
            items.append(item)
        self.omitted += max(total - seen, 0)
        return items


def run(caller: Caller, given: RecallInput) -> RecallOutput:
    """Return rules, handoff, preferences, gotchas and memories for a task; rules are never cut."""
    freshness = refresh.catch_up()
    rules = _rules(caller, given.scope)
    spent = sum(tokens.count(rule.content) for rule in rules)
    briefing = _Briefing(caller, given, left=max(given.budget_tokens - spent, 0), used=spent)
    handoff = _handoff(given.scope)
    handoffs = briefing.give(handoff, total=len(handoff), longest=LONGEST_HANDOFF)
    preferences = _preferences(briefing)
    gotchas = _gotchas(given)
    memories = _memories(given)
    session = clock.new_id()
    return RecallOutput(
        data_notice=_(DATA_NOTICE),
        session_handle=session,
        task=given.task,
        scope=given.scope,
        rules=rules,
        handoff=handoffs[0] if handoffs else None,
        handoff_seen=_seen(caller, handoffs[0], session) if handoffs else None,
        preferences=preferences,
        gotchas=briefing.give(gotchas, total=len(gotchas)),
        memories=briefing.give(memories, total=len(memories)),
        priority=list(PRIORITY),
        budget_tokens=given.budget_tokens,
        used_tokens=briefing.used,
        truncated=briefing.omitted > 0,
        omitted=briefing.omitted,
        warnings=views.notices(freshness, known_scopes.notice(given.scope)),
        next_step=_next_step(briefing.omitted),
    )


def _rules(caller: Caller, scope: str | None) -> list[NoteItem]:
    """Return the rules in force: in the rules' folder, current, and in the very words the person vouched for."""
    vouched = vouching.vouched()
    rows = [
        row
        for row in _current(in_force.known_as(vouched, kind="rule"))
        if row.path.startswith(RULES_FOLDER) and in_scope(row.scope, scope)
    ]
    items = (_item(caller, row, digest=vouched[row.id or row.path]) for row in rows)
    return [item for item in items if item is not None]


def _handoff(scope: str | None) -> list[NoteRow]:
    """Return the latest current handoff: the project's own before a global one; without a scope, any comes last."""
    wanted = [(scope,), ("global",)] if scope else [("global",), None]
    for scopes in wanted:
        if found := list(in_force.newest("handoff", on=clock.today(), scopes=scopes, limit=1)):
            return found
    return []


def _seen(caller: Caller, handoff: NoteItem, session: str) -> HandoffSeen | None:
    """Return the other session that got this very handoff before, and remember that this one has it now."""
    earlier = delivered.record(caller, handoff.id or handoff.path, session)
    return HandoffSeen(session_handle=earlier[0], seen_at=earlier[1]) if earlier else None


def _preferences(briefing: _Briefing) -> list[NoteItem]:
    rows = in_force.newest("preference", on=clock.today(), scopes=_scopes(briefing.given.scope))
    return briefing.give(rows, total=len(rows))


def _gotchas(given: RecallInput) -> list[NoteRow]:
    """Return the gotchas for the task, those that speak of it first."""
    about = {row.path: row for row in _found(given, types=("gotcha",), limit=MOST_GOTCHAS)}
    if len(about) == MOST_GOTCHAS:
        return list(about.values())
    newest = in_force.newest("gotcha", on=clock.today(), scopes=_scopes(given.scope))
    others = islice((row for row in newest if row.path not in about), MOST_GOTCHAS - len(about))
    return [*about.values(), *others]


def _memories(given: RecallInput) -> list[NoteRow]:
    """Return what speaks of the task; a note without a type is a memory too."""
    found = _found(given, types=None, limit=2 * MOST_MEMORIES)
    return [row for row in found if row.type not in _APART][:MOST_MEMORIES]


def _found(given: RecallInput, *, types: tuple[str, ...] | None, limit: int) -> list[NoteRow]:
    query = Query(given.task, scope=given.scope, types=types, limit=limit, any_term=True, passages=False)
    answer = fulltext.search(query)
    best = max((one.score for one in answer.found), default=0.0)
    return _current(one.note for one in answer.found if one.score >= best * _WEAKEST)


def _scopes(scope: str | None) -> tuple[str, ...] | None:
    return tuple(dict.fromkeys((scope, "global"))) if scope else None


def in_scope(written: str, wanted: str | None) -> bool:
    """Tell whether a note belongs to a scope: a project brings the global notes too."""
    return wanted is None or written in {wanted, "global"}


def _current(rows: Iterable[NoteRow]) -> list[NoteRow]:
    today = clock.today()
    return [
        row
        for row in rows
        if row.validity(today) is Validity.CURRENT and not row.is_replaced(today) and not row.archived
    ]


def _item(caller: Caller, row: NoteRow, *, longest: int | None = None, digest: str | None = None) -> NoteItem | None:
    """Return a note with its text, or the start of a long one.

    None where the file is gone meanwhile, or where it is not the one of the digest that is asked for.
    """
    raw = files.read(config.here().root, row.path)
    version = shown.digest(raw) if raw is not None else None
    if raw is None or version is None or (digest is not None and version != digest):
        return None
    shown.glimpse(caller, row.path, version)
    text = views.text_of(document.parse(raw))
    content = text if longest is None else _start(text, longest)
    return views.of_row(row, content, kind="full" if content == text else "excerpt", on=clock.today())


def _start(text: str, most: int) -> str:
    """Return the whole text, or its first words with an ellipsis, in so many approximate tokens at most."""
    if tokens.count(text) <= most:
        return text
    room = most * len(text) // max(tokens.count(text), 1)
    while tokens.count(text[:room]) > most - 1:
        room = room * 9 // 10
    return f"{text[:room].rsplit(maxsplit=1)[0]} …" if room else "…"


def _next_step(omitted: int) -> str:
    if not omitted:
        return _("Pass session_handle to every write of this task; search before you state anything about the past.")
    return ngettext(
        "%(count)d item was left out for want of room; search finds it, or ask with a larger budget.",
        "%(count)d items were left out for want of room; search finds them, or ask with a larger budget.",
        omitted,
    ) % {"count": omitted}
