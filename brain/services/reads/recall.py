"""recall: the briefing at the start of a task."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from brain import clock
from brain.caller import Caller
from brain.contracts.reads import RecallInput, RecallOutput
from brain.contracts.shared import DATA_NOTICE, NoteItem
from brain.index import fulltext, notes, refresh
from brain.index.fulltext import Query
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.note import document, tokens
from brain.note.validity import Validity
from brain.services import shown, views, vouching, workplace
from brain.store import files, journal

PRIORITY: Final = ("rules", "handoff", "preferences", "gotchas", "memories")
RULES_FOLDER: Final = "memory/rules/"
MOST_GOTCHAS: Final = 12
MOST_MEMORIES: Final = 12
LONGEST_EXCERPT: Final = 1_600
_REMEMBERED: Final = ("decision", "fact", "procedure", "entity", "concept", "synthesis", "source", "episode")
_WEAKEST: Final = 0.3  # of the best hit's score: what is further away is not about the task


@dataclass
class _Budget:
    """How much the briefing may still hold; what does not fit is counted."""

    left: int
    used: int = 0
    omitted: int = 0
    closed: bool = field(default=False)

    def take(self, item: NoteItem) -> bool:
        cost = tokens.count(item.content)
        if self.closed or cost > self.left:
            self.closed = True  # what comes later in the order does not overtake what was left out
            self.omitted += 1
            return False
        self.left -= cost
        self.used += cost
        return True


def run(caller: Caller, given: RecallInput) -> RecallOutput:
    """Return rules, handoff, preferences, gotchas and memories for a task; rules are never cut."""
    freshness = refresh.catch_up()
    budget = _Budget(given.budget_tokens)
    rules = _rules(given.scope)
    budget.used += sum(tokens.count(rule.content) for rule in rules)
    budget.left -= min(budget.left, budget.used)
    handoffs = [item for item in _handoff(given.scope) if budget.take(item)]
    preferences = _taken(budget, _of_type("preference", given.scope))
    gotchas = _taken(budget, _gotchas(given))
    memories = _taken(budget, _memories(given))
    for item in [*rules, *handoffs, *preferences, *gotchas, *memories]:
        shown.glimpse(caller, item.path, journal.digest(files.read(workplace.root(), item.path)) or "")
    return RecallOutput(
        data_notice=_(DATA_NOTICE),
        session_handle=clock.new_id(),
        task=given.task,
        scope=given.scope,
        rules=rules,
        handoff=handoffs[0] if handoffs else None,
        handoff_seen=None,
        preferences=preferences,
        gotchas=gotchas,
        memories=memories,
        priority=list(PRIORITY),
        budget_tokens=given.budget_tokens,
        used_tokens=budget.used,
        truncated=budget.omitted > 0,
        omitted=budget.omitted,
        warnings=views.notices(freshness),
        next_step=_next_step(budget),
    )


def _taken(budget: _Budget, rows: Iterable[NoteRow]) -> list[NoteItem]:
    items = (_item(row) for row in rows)
    return [item for item in items if item is not None and budget.take(item)]


def _rules(scope: str | None) -> list[NoteItem]:
    """Return the rules in force: in the rules' folder, current, and in the very words the person vouched for."""
    rows = [row for row in _of_type("rule", scope) if row.path.startswith(RULES_FOLDER)]
    contents = {row.id or row.path: files.read(workplace.root(), row.path) or b"" for row in rows}
    vouched = vouching.vouched(contents.items())
    items = (_item(row, whole=True) for row in rows if (row.id or row.path) in vouched)
    return [item for item in items if item is not None]


def _handoff(scope: str | None) -> list[NoteItem]:
    """Return the latest current handoff: the project's own before a global one."""
    wanted = [scope, "global"] if scope else ["global", None]
    for one in dict.fromkeys(wanted):
        row = next(iter(_current(notes.of_type("handoff", scope=one))), None)
        item = _item(row) if row else None
        if item:
            return [item]
    return []


def _gotchas(given: RecallInput) -> list[NoteRow]:
    """Return the gotchas for the task, those that speak of it first."""
    every = _of_type("gotcha", given.scope)
    about = {path: place for place, path in enumerate(_found(given, ("gotcha",), limit=MOST_GOTCHAS))}
    ordered = sorted(every, key=lambda row: about.get(row.path, len(about)))
    return ordered[:MOST_GOTCHAS]


def _memories(given: RecallInput) -> list[NoteRow]:
    rows = (notes.by_path(path) for path in _found(given, _REMEMBERED, limit=MOST_MEMORIES))
    return _current(row for row in rows if row is not None)


def _found(given: RecallInput, types: tuple[str, ...], *, limit: int) -> list[str]:
    answer = fulltext.search(Query(given.task, scope=given.scope, types=types, limit=limit, any_term=True))
    best = max((one.score for one in answer.found), default=0.0)
    return [one.path for one in answer.found if one.score >= best * _WEAKEST]


def _of_type(kind: str, scope: str | None) -> list[NoteRow]:
    return [row for row in _current(notes.of_type(kind)) if in_scope(row.scope, scope)]


def in_scope(written: str, wanted: str | None) -> bool:
    """Tell whether a note belongs to a scope: a project brings the global notes too."""
    return wanted is None or written in {wanted, "global"}


def _current(rows: Iterable[NoteRow]) -> list[NoteRow]:
    today = clock.today()
    return [row for row in rows if row.validity(today) is Validity.CURRENT and not row.superseded and not row.archived]


def _item(row: NoteRow, *, whole: bool = False) -> NoteItem | None:
    """Return a note with its text, or the start of a long one; None where the file is gone meanwhile."""
    raw = files.read(workplace.root(), row.path)
    if raw is None:
        return None
    text = document.parse(raw).body.strip("\r\n")
    cut = not whole and len(text) > LONGEST_EXCERPT
    content = text[:LONGEST_EXCERPT].rsplit(" ", 1)[0] + " …" if cut else text
    return views.of_row(row, content, kind="excerpt" if cut else "full", on=clock.today())


def _next_step(budget: _Budget) -> str:
    if budget.omitted:
        return _("%(count)d items were left out for want of room; search finds them, or ask with a larger budget.") % {
            "count": budget.omitted
        }
    return _("Pass session_handle to every write of this task; search before you state anything about the past.")
