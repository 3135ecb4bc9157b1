"""Checking what a model said, claim by claim: a label that was never sent or words that are not there do not count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from brain.contracts.asking import MOST_MISSING, CitationItem, ClaimItem, ClaimPart
from brain.language import gettext as _
from brain.services.asking.passages import Passage
from llm import citations, escaping
from llm.answer import Cited, Claim
from llm.citations import SHOWN_BETWEEN, Span

Place = tuple[str, tuple[Span, ...]]
_TOGETHER: Final = "\n\n"


@dataclass
class Draft:
    """An answer as it comes together; `take` gives each claim that has at least one citation which was found."""

    passages: Mapping[str, Passage]
    claims: list[ClaimItem] = field(default_factory=list)
    citations: list[CitationItem] = field(default_factory=list)
    unsupported: int = 0
    removed: int = 0
    missing: str | None = None
    _numbers: dict[Place, int] = field(default_factory=dict)

    def take(self, claim: Claim) -> ClaimPart | None:
        """Check a claim and keep it where something in the notes stands behind it; None where nothing does."""
        before = len(self.citations)
        text = escaping.escape(claim.text, removed=_("(link removed)"))
        numbers = list(dict.fromkeys(number for one in claim.citations if (number := self._number(one)) is not None))
        if not numbers:
            self.unsupported += 1
            return None
        item = ClaimItem(text=text, supported=True, citations=numbers)
        self.claims.append(item)
        return ClaimPart(claim=item, citations=self.citations[before:])

    def lacks(self, missing: str) -> None:
        """Keep what the brain is said not to have: one short line."""
        line = escaping.escape(missing, removed=_("(link removed)"))
        self.missing = escaping.shortened(line, MOST_MISSING) or None

    @property
    def text(self) -> str | None:
        """The answer, each claim with the numbers of its citations."""
        return _TOGETHER.join(map(numbered, self.claims)) or None

    @property
    def is_doubtful(self) -> bool:
        """Tell whether more than half of what was said had nothing behind it."""
        return self.unsupported > len(self.claims)

    def _number(self, cited: Cited) -> int | None:
        label = cited.label.upper()
        passage = self.passages.get(label)
        spans = citations.found(cited.quote, passage.text.text, marked=passage.sent.is_outside) if passage else None
        if passage is None or spans is None:
            self.removed += 1
            return None
        place = (label, spans)
        if place not in self._numbers:
            self._numbers[place] = len(self.citations) + 1
            self.citations.append(_item(self._numbers[place], passage, spans))
        return self._numbers[place]


def numbered(claim: ClaimItem) -> str:
    """Return a claim's text with the numbers of its citations behind it."""
    return f"{claim.text} {''.join(f'[{number}]' for number in claim.citations)}"


def _item(number: int, passage: Passage, spans: Sequence[Span]) -> CitationItem:
    note = passage.note
    return CitationItem(
        n=number,
        id=note.id,
        path=passage.path,
        title=note.title,
        heading_path=list(passage.headings),
        section=" › ".join(passage.headings) or None,
        quote=_words_of_the_note(passage, spans),
        validity=passage.validity,
        trust=passage.trust,
        origin=note.origin or "human",
        edited_by=note.edited_by,
        related=passage.is_related,
    )


def _words_of_the_note(passage: Passage, spans: Sequence[Span]) -> str:
    """Return what the note itself has where the quote was found, private names and all: it stays on this machine."""
    places = (passage.text.original(*span) for span in spans)
    return SHOWN_BETWEEN.join(passage.source[start:end] for start, end in places)
