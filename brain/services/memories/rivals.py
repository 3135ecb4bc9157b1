"""What a new fact is to those of the same subject and predicate: the same, another one, or what takes its place."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from brain import clock, config
from brain.contracts.writes import RememberInput
from brain.index import notes
from brain.index.graph import facts
from brain.index.graph.facts import FactRow
from brain.index.notes import NoteRow
from brain.language import gettext_noop as N_
from brain.note import links
from brain.services.memories import finding, saying
from brain.services.memories.comparing import Comparison, Verdict
from brain.services.memories.finding import Found

OTHER_WORDS: Final = N_("the same fact, in other words")
OTHER_OBJECT: Final = N_("another object for the same subject and predicate")
OTHER_START: Final = N_("another object for the same subject and predicate, and the two periods cross")
_MOST: Final = 50


@dataclass(frozen=True)
class Rivals:
    """The facts of the same subject and predicate that bear on a new one.

    `alike` have the same object; `replaced` are those whose place the new one takes, `crossing` those of which nobody
    can tell.
    """

    alike: tuple[Found, ...] = ()
    replaced: tuple[Found, ...] = ()
    crossing: tuple[Found, ...] = ()


@dataclass(frozen=True)
class _Period:
    """From the first day to the first day on which it no longer holds; None is no bound."""

    start: date | None
    end: date | None

    def meets(self, other: _Period) -> bool:
        """Tell whether the two have a day in common."""
        return _is_before(self.start, other.end) and _is_before(other.start, self.end)


def of(given: RememberInput) -> Rivals:
    """Return the rivals of a fact in its scope; of a predicate that may hold several values none is replaced."""
    if not (given.subject and given.predicate and given.object):
        return Rivals()
    asked = facts.find(subject=given.subject, predicate=given.predicate, limit=_MOST, on=clock.today())
    rows = [one for one in asked.facts if one.note.scope == given.scope]
    same = [one for one in rows if _is_object(one, given.object)]
    alike = tuple(one for row in same for one in _alike(given, row.note))
    if facts.predicate_key(given.predicate) in {facts.predicate_key(one) for one in _many_valued()}:
        return Rivals(alike)
    others = [row.note for row in rows if row not in same and finding.holds(row.note) and _meets(given, row.note)]
    crossing = [row for row in others if _crosses(given, row)]
    return Rivals(
        alike,
        tuple(_rival(row, OTHER_OBJECT) for row in others if row not in crossing),
        tuple(_rival(row, OTHER_START) for row in crossing),
    )


def last_day(given: RememberInput, row: NoteRow) -> date:
    """Return the day from which a replaced memory no longer holds: the new one's first, never later than it said.

    What is no fact is replaced from today on, or from a later day where the new one begins then.
    """
    start = date.fromisoformat(given.valid_from) if given.valid_from else clock.today()
    if not given.subject:
        start = max(start, clock.today())
    return min(start, row.valid_until) if row.valid_until else start


def _many_valued() -> frozenset[str]:
    return config.here().config().many_valued_predicates


def _alike(given: RememberInput, row: NoteRow) -> list[Found]:
    """Compare with a fact of the same object; one of another period is another fact."""
    body = notes.body(row.note)
    plain = given.model_copy(update={"subject": None, "title": None})
    found = finding.judged(plain, saying.said(given.content), row, body)
    if found.verdict in {Verdict.SAME, Verdict.COMPLEMENTS} or found.compared.reason == finding.NO_LONGER:
        return [found]
    if not finding.holds(row) or not _meets(given, row):
        return []
    reason = found.compared.reason or OTHER_WORDS
    return [Found(row, body, Comparison(Verdict.AMBIGUOUS, found.compared.similarity, reason))]


def _rival(row: NoteRow, reason: str) -> Found:
    return Found(row, notes.body(row.note), Comparison(Verdict.AMBIGUOUS, 0.0, reason))


def _meets(given: RememberInput, row: NoteRow) -> bool:
    """Tell whether a fact holds on a day on which the new one does; what ended before today replaces nothing."""
    new = _period_of(given)
    if new.end is not None and new.end <= clock.today():
        return False
    return new.meets(_period(row))


def _crosses(given: RememberInput, row: NoteRow) -> bool:
    """Tell whether the fact that is there begins after the new one, so that it cannot end where that one begins."""
    start = _period_of(given).start
    return row.valid_from is not None and start is not None and row.valid_from > start


def _period_of(given: RememberInput) -> _Period:
    """Return the period of a new fact; without a first day it is said of today on."""
    start, until, last = (
        date.fromisoformat(day) if day else None for day in (given.valid_from, given.valid_until, given.expires_at)
    )
    return _Period(start or clock.today(), _end(until, last))


def _period(row: NoteRow) -> _Period:
    return _Period(row.valid_from, _end(row.valid_until, row.expires_at))


def _end(until: date | None, last: date | None) -> date | None:
    ends = [until, last + timedelta(days=1) if last else None]
    return min((day for day in ends if day), default=None)


def _is_before(start: date | None, end: date | None) -> bool:
    return start is None or end is None or start < end


def _is_object(row: FactRow, text: str) -> bool:
    """Tell whether a fact's object is the note that a text means, or that very text."""
    meant = facts.meant(text)
    if meant is not None or row.object.path is not None:
        return meant == row.object.path
    return links.fold(facts.bare(text)) == links.fold(facts.bare(row.object.text))
