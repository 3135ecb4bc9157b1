"""Which hits of a search contradict each other, as a language model on this machine judges it.

Where no provider was ever turned on, a search pays for a look at one file and loads nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from brain import config
from brain.caller import Caller, Surface
from brain.contracts.reads import Contradiction, ContradictionCheck, Hit
from brain.contracts.shared import Notice
from brain.index.fulltext import Found
from brain.index.refresh import Freshness
from brain.language import gettext as _
from brain.note.validity import Validity

if TYPE_CHECKING:
    from brain.services.asking.comparing import Comparison

_CODE = "contradictions_unchecked"


@dataclass(frozen=True)
class Told:
    """How the check went, which hits contradict each other, and the caveat where it did not run to its end."""

    check: ContradictionCheck
    found: list[Contradiction] = field(default_factory=list)
    notice: Notice | None = None


@dataclass(frozen=True)
class Check:
    """A check on its way, beside the search, or why there is none."""

    running: Comparison | None = None
    else_told: Told = field(default_factory=lambda: Told("off"))

    def end(self, caller: Caller) -> Told:
        """Return what the model said, waiting no longer than the time that is left; never an error."""
        if self.running is None:
            return self.else_told
        pairs = self.running.pairs(caller)
        if pairs is not None:
            return Told("done", [_of(one, other) for one, other in pairs])
        if not self.running.is_over_time:
            return _unfinished(_("Which hits contradict each other is not known: the local model gave no answer."))
        said = _("Which hits contradict each other is not known: the local model did not say so within %(budget)d ms.")
        return _unfinished(said % {"budget": config.here().config().contradiction_budget_ms})


def begin(caller: Caller, found: Sequence[Found], freshness: Freshness, day: date) -> Check:
    """Begin to ask whether hits of different rings contradict each other, where a model on this machine may be asked.

    The page of search asks at every pause in typing, so there nothing is checked.
    """
    if caller.surface is Surface.WEB or not _may_be_on():
        return Check()
    holding = [one for one in found if one.citation and _holds(one, day)]
    if len({one.note.ring for one in holding}) < 2:
        return Check(else_told=Told("not_needed"))
    from brain.services.asking import comparing

    on = comparing.local(caller)
    if on is None:
        return Check()
    if freshness.warning:  # a name or a mark that the index does not know of yet could be sent
        return Check(else_told=_unfinished(_("Which hits contradict each other is not known: the index is behind.")))
    running = comparing.begin(on, holding, day)
    return Check(running) if running else Check(else_told=Told("not_needed"))


def among(hits: Iterable[Hit], found: Iterable[Contradiction]) -> list[Contradiction]:
    """Return the contradictions of which both sides are among hits."""
    shown = {hit.citation for hit in hits}
    return [one for one in found if shown.issuperset(one.citations)]


def _may_be_on() -> bool:
    from llm import folders

    return (folders.place().folder / folders.SETTINGS).exists()


def _holds(one: Found, day: date) -> bool:
    """Tell whether a note is in force: what no longer holds contradicts nothing."""
    return one.note.validity(day) is Validity.CURRENT and not one.note.is_replaced(day)


def _of(one: Found, other: Found) -> Contradiction:
    first, second = sorted((one, other), key=lambda side: side.note.ring)
    prevails = first.citation if first.note.ring < second.note.ring else None
    return Contradiction(citations=[str(first.citation), str(second.citation)], prevails=prevails)


def _unfinished(said: str) -> Told:
    return Told("unfinished", notice=Notice(code=_CODE, message=said))
