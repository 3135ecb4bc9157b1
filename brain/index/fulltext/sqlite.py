"""Search in SQLite's FTS5: all terms, else any, else words that begin alike; weighed by the note's standing."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Final, Literal, NamedTuple

from brain.index import database, notes
from brain.index.fulltext import query as asking
from brain.index.fulltext import snippet, spelling
from brain.index.fulltext.query import Query, Term
from brain.index.fulltext.snippet import Snippet, Sought
from brain.index.fulltext.stems import folded, forms
from brain.index.notes import NoteRow
from brain.note.validity import Validity

Mode = Literal["and", "or", "none"]
RING_WEIGHTS: Final = (1.15, 1.10, 1.00, 0.92, 0.80)
_PAST_WEIGHT: Final = 0.5
_RECORDS: Final = 3
_BELOW: Final = 0.99  # the best that other forms or some of the words may reach, by the least that has all as typed
_SENTENCE: Final = 5  # terms from which a question is a sentence, whose words a note need not all have
_RANK: Final = "bm25(5.0, 3.0, 1.0, 1.0, 1.0)"  # title, other names, body, pieces of words, stems
_LONG: Final = 32_768  # characters; marking takes the database time in proportion to length times what was found
_MARKED: Final = f"highlight(fulltext, 2, '{snippet.OPEN}', '{snippet.CLOSE}')"


@dataclass(frozen=True, slots=True)
class Found:
    """A note that was found: how well it answers (the best near 1), and the passage that answers best."""

    note: NoteRow
    score: float
    snippet: str
    heading_path: tuple[str, ...]
    citation: str | None
    validity: Validity

    @property
    def path(self) -> str:
        """The note's path."""
        return self.note.path


@dataclass(frozen=True)
class Answer:
    """What was found and how: `mode` says whether all terms were met or some; `more` that others were found too."""

    mode: Mode
    terms: tuple[str, ...]
    found: list[Found] = field(default_factory=list)
    more: bool = False


def search(query: Query) -> Answer:
    """Return the notes that answer best, archived ones left out; nothing where the text has no word."""
    terms = asking.terms(query.text)
    typed = tuple(term.text for term in terms)
    for attempt in _attempts(terms, query):
        ranked = _ranked(attempt.expression, query)
        if ranked:
            if attempt.others and len(ranked) <= query.limit:
                ranked = _followed(ranked, _ranked(attempt.others, query))
            chosen = ranked[: query.limit]
            found = _shown(chosen, attempt, terms, query)
            return Answer(attempt.mode, typed, found, more=len(ranked) > len(chosen))
    return Answer("none", typed)


class _Attempt(NamedTuple):
    mode: Mode
    expression: str
    sought: Sought | None = None  # what to mark where the database cannot: more than the words as they were typed
    others: str = ""  # what finds notes to come after these, where there is room


def _attempts(terms: list[Term], query: Query) -> Iterator[_Attempt]:
    if not terms:
        return
    some = terms[: asking.MOST_TERMS]
    together = " AND ".join(asking.phrases(query.text)[: asking.MOST_TERMS])
    if not query.any_term and len(some) == len(terms):
        yield from _with_all(some, together)
    words = asking.telling_words(some)
    alike = _alike(words)
    expression = asking.any_term(some, alike)
    sought = _sought(words, alike)
    if together:
        yield _Attempt("or", f"{together} AND ({expression})", sought)
    yield _Attempt("or", expression, sought)
    if starts := asking.beginnings(some):
        sought = Sought(beginnings=frozenset(map(folded, starts)))
        yield _Attempt("or", asking.any_beginning(starts), sought)


def _with_all(terms: list[Term], together: str) -> Iterator[_Attempt]:
    """Yield the ways to have all terms as they were typed, side by side or apart.

    After these come notes with other forms of all terms; where the question is a sentence, with some of its words.
    """
    ways = [asking.all_together(terms)]
    if any(term.is_compound for term in terms):
        ways.append(asking.all_apart(terms))
    others = asking.all_inflected(terms) if len(terms) < _SENTENCE else asking.any_term(terms)
    sought = _sought(asking.telling_words(terms), [])
    if together:
        yield from (_Attempt("and", f"{together} AND {way}", sought, f"{together} AND ({others})") for way in ways)
    yield from (_Attempt("and", way, sought, others) for way in ways)


def _followed(first: list[tuple[NoteRow, float]], others: list[tuple[NoteRow, float]]) -> list[tuple[NoteRow, float]]:
    """Return what was found first, and after it the others, weighed down below it."""
    there = {note.note for note, _score in first}
    least = min(score for _note, score in first)
    more = [(note, score) for note, score in others if note.note not in there]
    most = max((score for _note, score in more), default=1.0)
    return first + [(note, round(_BELOW * least * score / max(most, 1.0), 6)) for note, score in more]


def _alike(words: list[str]) -> list[str]:
    """Return words of the notes for those that no note has, nor a form of them."""
    expressions = {word: " OR ".join(map(asking.quoted, (word, *forms(word)))) for word in words}
    unknown = spelling.unknown(expressions)
    return [near for word in words if word in unknown for near in spelling.alike(word)]


def _sought(words: list[str], alike: list[str]) -> Sought:
    return Sought(
        words=frozenset([*words, *alike]),
        forms=frozenset(form for word in words for form in (word, *forms(word))),
        beginnings=frozenset(start for word in words for start in asking.cut(word)),
    )


def _ranked(expression: str, query: Query) -> list[tuple[NoteRow, float]]:
    """Return the candidates with their weighed scores, the best first, ties by path."""
    where, values = _filter(query)
    rows = database.query(
        "WITH found AS MATERIALIZED (SELECT rowid AS note, rank AS score FROM fulltext "
        f"WHERE fulltext MATCH %s AND rank MATCH '{_RANK}' AND {where} ORDER BY rank LIMIT %s) "
        f"SELECT {notes.ALL_COLUMNS}, f.score FROM found f JOIN note n ON n.note = f.note",
        (expression, *values, query.limit * 2 + 20),
    )
    best = max((-row[-1] for row in rows), default=0.0) or 1.0
    weighed = [(note, _weighed(note, -row[-1] / best, query)) for row in rows for note in (notes.row(row),)]
    return sorted(weighed, key=lambda one: (-one[1], one[0].path))


def _filter(query: Query) -> tuple[str, list[Any]]:
    """Return the condition on a note's number; the plus sign keeps SQLite from asking the full text note by note."""
    if query.scope is None and query.types is None:
        return "+rowid NOT IN (SELECT note FROM note WHERE archived)", []
    wanted, values = ["NOT archived"], list[Any]()
    if query.scope is not None:
        wanted.append("scope IN (%s, 'global')")
        values.append(query.scope)
    if query.types is not None:
        wanted.append(f"type IN ({', '.join(['%s'] * len(query.types))})")
        values += query.types
    return f"+rowid IN (SELECT note FROM note WHERE {' AND '.join(wanted)})", values


def _weighed(note: NoteRow, score: float, query: Query) -> float:
    expired = note.validity(query.on) is Validity.EXPIRED
    ring = _RECORDS if note.type == "handoff" and expired else note.ring
    past = _PAST_WEIGHT if expired or note.superseded else 1.0
    return round(score * RING_WEIGHTS[min(ring, 4)] * past, 6)


def _shown(chosen: list[tuple[NoteRow, float]], attempt: _Attempt, terms: list[Term], query: Query) -> list[Found]:
    if not query.passages:
        return [Found(note, score, "", (), None, note.validity(query.on)) for note, score in chosen]
    cuts = _snippets([note.note for note, _score in chosen], attempt, terms)
    blocks = _blocks({number: one.place for number, one in cuts.items()})
    found = []
    for note, score in chosen:
        heading_path, mark = blocks.get(note.note, ((), None))
        text = cuts[note.note].text if note.note in cuts else ""
        citation = f"r{note.ring}-{mark}" if mark else None
        found.append(Found(note, score, text, heading_path, citation, note.validity(query.on)))
    return found


def _snippets(numbers: list[int], attempt: _Attempt, terms: list[Term]) -> dict[int, Snippet]:
    runs = [run for term in terms for run in term.runs]
    marks = ", ".join(["%s"] * len(numbers))
    if attempt.sought is not None:
        rows = database.query(f"SELECT rowid, body FROM fulltext WHERE rowid IN ({marks})", numbers)
        return {number: snippet.cut_plain(body, attempt.sought, runs) for number, body in rows}
    sought = Sought(words=frozenset(asking.telling_words(terms)))
    rows = database.query(
        f"SELECT rowid, length(body) > {_LONG}, CASE WHEN length(body) > {_LONG} THEN body ELSE {_MARKED} END "
        f"FROM fulltext WHERE fulltext MATCH %s AND rowid IN ({marks})",
        (attempt.expression, *numbers),
    )
    return {
        number: snippet.cut_plain(text, sought, runs) if is_long else snippet.cut(text, runs)
        for number, is_long, text in rows
    }


def _blocks(places: dict[int, int]) -> dict[int, tuple[tuple[str, ...], str]]:
    """Return for each note the headings above a place in it, and the fingerprint of the block there or next."""
    values = ", ".join(["(%s, %s)"] * len(places))
    rows = database.query(
        f"WITH place (note, start) AS (VALUES {values}) "
        "SELECT p.note, b.heading_path, b.fingerprint FROM place p JOIN block b ON b.row = "
        '(SELECT row FROM block WHERE note = p.note AND "end" > p.start ORDER BY "end" LIMIT 1)',
        [value for pair in places.items() for value in pair],
    )
    return {note: (tuple(json.loads(headings)), mark) for note, headings, mark in rows}
