"""Finding what a question is about: as search does, and the neighbours of what was found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from typing import Final

from brain.contracts.asking import AskInput
from brain.contracts.reads import Hit
from brain.index import fulltext, related
from brain.index.fulltext import Answer, Query
from brain.index.notes import NoteRow
from brain.services.reads import search

MOST_RELATED: Final = 5
_SPARE: Final = 3  # how many times as many notes are looked for as are wanted: some may not leave
_MOST: Final = 60


@dataclass(frozen=True)
class Candidate:
    """A note that may answer: the section in which it was found, or none where it is a neighbour."""

    row: NoteRow
    headings: tuple[str, ...] = ()
    citation: str | None = None
    is_related: bool = False


@dataclass(frozen=True)
class Retrieved:
    """What was found: the candidates in their order, and the first of them as search shows them."""

    candidates: tuple[Candidate, ...]
    hits: tuple[Hit, ...]
    mode: str = "keyword"


def retrieve(given: AskInput, day: date) -> Retrieved:
    """Return the notes that answer best, with their neighbours behind them."""
    types = tuple(given.types) if given.types else None
    most = min(_SPARE * given.limit, _MOST)
    answer = fulltext.search(Query(given.question, given.scope, types, most, on=day))
    hits = tuple(search.hit(one, day) for one in answer.found[: given.limit])
    return Retrieved(tuple(_candidates(answer, given)), hits)


def _candidates(answer: Answer, given: AskInput) -> Iterator[Candidate]:
    for one in answer.found:
        yield Candidate(one.note, one.heading_path, one.citation)
    near = related.related([one.note for one in answer.found[: given.limit]], limit=MOST_RELATED)
    seen = {one.path for one in answer.found}
    for neighbour in near:
        if neighbour.note.path not in seen and _is_asked_for(neighbour.note, given):
            yield Candidate(neighbour.note, is_related=True)


def _is_asked_for(row: NoteRow, given: AskInput) -> bool:
    """Tell whether a neighbour is of the types and the scope that are asked for."""
    if given.types and row.type not in given.types:
        return False
    return given.scope is None or row.scope in {given.scope, "global"}
