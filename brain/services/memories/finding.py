"""Which notes a new memory has to be compared with, and what each of them is to it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from brain import clock
from brain.contracts.writes import RememberInput
from brain.index import notes
from brain.index.fulltext.nearest import nearest
from brain.index.fulltext.stop_words import STOP_WORDS
from brain.index.notes import NoteRow
from brain.language import gettext_noop as N_
from brain.note import likeness
from brain.note.validity import Validity
from brain.services.memories import comparing, saying, titles
from brain.services.memories.comparing import Comparison, Verdict
from brain.services.memories.saying import Said
from brain.services.memories.thresholds import DEDUP_THRESHOLDS as LIMITS

NO_LONGER: Final = N_("it says the same, but it no longer holds")
OTHER_DATES: Final = N_("the same text, with other dates")
OTHER_TITLE: Final = N_("alike, under another title")
OTHER_FACT: Final = N_("the same text, about another subject, predicate or object")
_ROUGHLY: Final = 0.6  # of what two texts must have in common, to be compared in earnest
_DATES: Final = ("valid_from", "valid_until", "expires_at")
_MERGES: Final = frozenset({Verdict.SAME, Verdict.COMPLEMENTS})


@dataclass(frozen=True)
class Found:
    """A note that is there, with its text, and what it is to the new memory."""

    row: NoteRow
    body: str
    compared: Comparison

    @property
    def verdict(self) -> Verdict:
        """The verdict on the two."""
        return self.compared.verdict


def found(given: RememberInput) -> list[Found]:
    """Return the notes that bear on a new memory, the most alike first; one with the same words ends the search."""
    new = saying.said(given.content)
    exact = notes.by_text(likeness.key(given.content), note_type=given.type, scope=given.scope)
    if exact is not None:
        one = judged(given, new, exact, notes.body(exact.note))
        if one.verdict is Verdict.SAME:
            return [one]
    if back := returned(given, new):
        return [back]
    words = [word for word in new.whole.words if word not in STOP_WORDS]
    near = nearest(words, note_type=given.type, scope=given.scope, limit=LIMITS.most_compared)
    rough = saying.rough_terms(given.content)
    some = [one for one in near if comparing.are_alike(rough, saying.rough_terms(one[1]), share=_ROUGHLY)]
    compared = [judged(given, new, row, body) for row, body in some]
    return sorted(
        (one for one in compared if one.verdict is not Verdict.OTHER),
        key=lambda one: (-one.compared.similarity, one.row.created or "", one.row.path),
    )


def returned(given: RememberInput, new: Said) -> Found | None:
    """Return the note whose text a tool returned, where that is what is saved; of any type and scope."""
    if not saying.has_tool_marks(given.content):
        return None
    pieces = saying.pieces(given.content)
    for row, body in nearest(new.whole.words, limit=LIMITS.most_compared):
        at_home = (row.type, row.scope) == (given.type, given.scope)
        fewest = LIMITS.fewest_terms if at_home else LIMITS.returned_words
        if comparing.returned(pieces, saying.said(body), fewest=fewest):
            return Found(row, body, Comparison(Verdict.SAME, 1.0, comparing.RETURNED))
    return None


def judged(given: RememberInput, new: Said, row: NoteRow, body: str) -> Found:
    """Compare a new memory with a note; what it says of itself beside the text counts too."""
    compared = comparing.compare(new, saying.said(body), old_title=saying.said(row.title))
    for reason in _apart(given, row, body):
        if compared.verdict in _MERGES:
            compared = replace(compared, verdict=Verdict.AMBIGUOUS, reason=reason)
    if compared.verdict is Verdict.AMBIGUOUS and compared.reason != NO_LONGER and not holds(row):
        compared = replace(compared, verdict=Verdict.OTHER)
    if _is_another_fact(given, row) and compared.reason != OTHER_FACT:
        compared = replace(compared, verdict=Verdict.OTHER)
    return Found(row, body, compared)


def _apart(given: RememberInput, row: NoteRow, body: str) -> Iterator[str]:
    """Yield why two memories are not the same although their texts are."""
    if _is_another_fact(given, row):
        yield OTHER_FACT
    if not holds(row) and not _same_dates(given, row):
        yield NO_LONGER
    if any(getattr(given, name) for name in _DATES) and not _same_dates(given, row):
        yield OTHER_DATES
    if titles.are_apart(given, row.title, body):
        yield OTHER_TITLE


def holds(row: NoteRow) -> bool:
    """Tell whether a note holds today or will; one that another took the place of does not."""
    return not row.is_replaced(clock.today()) and row.validity(clock.today()) is not Validity.EXPIRED


def _same_dates(given: RememberInput, row: NoteRow) -> bool:
    wanted = [getattr(given, name) for name in _DATES]
    there: list[date | None] = [getattr(row, name) for name in _DATES]
    return any(wanted) and wanted == [day.isoformat() if day else None for day in there]


def _is_another_fact(given: RememberInput, row: NoteRow) -> bool:
    """Tell whether a note is a fact of its own; those of the same subject and predicate are compared apart."""
    return bool(given.subject and row.subject and row.predicate and row.object)
