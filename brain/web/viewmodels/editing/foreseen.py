"""What would become of a note that is being written: what is like it, and what saving would do."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from brain.caller import Caller
from brain.contracts.writes import RememberInput
from brain.language import gettext as _
from brain.services import shown
from brain.services.memories import rivals
from brain.services.memories.comparing import Verdict
from brain.services.memories.deciding import Decision, Kind
from brain.services.memories.finding import Found
from brain.services.writes import remember
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses

_LONGEST_START: Final = 300


@dataclass(frozen=True)
class Alike:
    """A memory that is like the new one; `name` is what an answer calls it, nothing where it says the same."""

    title: str
    href: str
    badge: Badge
    why: str
    start: str
    name: str


@dataclass(frozen=True)
class Foreseen:
    """What saving would do; `mark` tells whether what is saved is what was seen.

    `is_offered` says that saving goes on once this was seen, `is_there` that the memory is there already.
    """

    said: str
    hint: str
    items: tuple[Alike, ...]
    mark: str
    is_offered: bool
    is_there: bool
    is_new: bool

    def stops(self, seen: str) -> bool:
        """Tell whether the person has to look before anything is written."""
        return not self.is_new and not (self.is_offered and seen == self.mark)


def of(caller: Caller, given: RememberInput) -> Foreseen:
    """Return what would become of a memory, by remember's own table."""
    decision = remember.foresee(given)
    found = [decision.target] if decision.target else list(decision.candidates)
    for one in found:
        shown.glimpse(caller, one.row.path, one.row.digest)
    said, hint = _said(given, decision)
    marks = [decision.kind.value, *(f"{one.row.path} {one.row.digest}" for one in found)]
    return Foreseen(
        said=said,
        hint=hint,
        items=tuple(_alike(one) for one in found),
        mark=shown.digest("\n".join(marks).encode(errors="replace")),
        is_offered=decision.kind in {Kind.UPDATED, Kind.SUPERSEDED},
        is_there=decision.kind is Kind.SKIPPED,
        is_new=decision.kind is Kind.CREATED,
    )


def _said(given: RememberInput, decision: Decision) -> tuple[str, str]:
    if decision.kind is Kind.CREATED:
        return _("Nothing like it is there."), ""
    if decision.kind is Kind.SKIPPED:
        if decision.target is None:
            return decision.reason, _("Nothing was written.")
        return _("This is there already."), _(
            "Nothing was written. Open the note that says it, or write yours all the same."
        )
    if decision.kind is Kind.SUPERSEDED and decision.target is not None:
        return _("This fact takes the place of one that holds now."), _(
            "Saved, the one below stops holding on %(day)s and points to the new one. Nothing is deleted."
        ) % {"day": _day(rivals.last_day(given, decision.target.row))}
    if decision.kind is Kind.UPDATED:
        return _("Yours has all that this note says, and more."), _(
            "Saved, your text takes the place of that one in the same note."
        )
    return _("There are memories like this one."), _("Nothing was written yet. Say what yours is to them.")


def _day(day: date) -> str:
    return day.isoformat()


def _alike(found: Found) -> Alike:
    row, text = found.row, found.body.strip()
    return Alike(
        title=row.title,
        href=addresses.of_note(row.id, row.path),
        badge=badges.of_type(row.type),
        why=_(found.compared.reason) if found.compared.reason else "",
        start=text if len(text) <= _LONGEST_START else f"{text[:_LONGEST_START].rstrip()} …",
        name="" if found.verdict is Verdict.SAME else row.id or row.path,
    )
