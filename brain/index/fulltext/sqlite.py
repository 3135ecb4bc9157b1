"""Search in SQLite's FTS5: all terms, else any, else words that begin alike; weighed by the note's standing."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, Final, Literal, NamedTuple

from brain.index import database, notes
from brain.index.fulltext import explaining, snippet, spelling
from brain.index.fulltext import query as asking
from brain.index.fulltext.explaining import Explanation, Pass, PassName
from brain.index.fulltext.query import Clause, Query, Term
from brain.index.fulltext.ranking import FIELDS, PAST_WEIGHT, RING_WEIGHTS, Ranked, in_order
from brain.index.fulltext.snippet import Snippet, Sought
from brain.index.fulltext.stems import folded, forms
from brain.index.notes import NoteRow
from brain.note.validity import Validity

Mode = Literal["and", "or", "none"]
_RECORDS: Final = 3
_SENTENCE: Final = 5  # terms from which a question is a sentence, whose words a note need not all have
_RANK: Final = f"bm25({', '.join(map(str, FIELDS.values()))})"
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
    explanation: Explanation | None = None

    @property
    def path(self) -> str:
        """The note's path."""
        return self.note.path


@dataclass(frozen=True)
class Answer:
    """What was found and how: `mode` says whether all terms were met or some; `more` that others were found too.

    `without_quotes` says that no note has what stood in quotes, word by word; `read_as` has the words that no note has,
    each with those that were looked for in its place.
    """

    mode: Mode
    terms: tuple[str, ...]
    found: list[Found] = field(default_factory=list)
    more: bool = False
    without_quotes: bool = False
    read_as: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def search(query: Query) -> Answer:
    """Return the notes that answer best, archived ones left out; nothing where the text has no word."""
    terms = asking.terms(query.text)
    typed = tuple(term.text for term in terms)
    passes: list[Pass] = []
    for attempt in _attempts(terms, query):
        ahead = _ranked(attempt.clause, query)
        passes.append(Pass(attempt.name, attempt.clause, ahead))
        if ahead:
            behind = _ranked(attempt.others, query) if attempt.others and len(ahead) <= query.limit else []
            if attempt.others and behind:
                passes.append(Pass(attempt.others_name, attempt.others, behind))
            ranked = in_order(ahead, behind)
            found = _shown(ranked[: query.limit], attempt, terms, query)
            if query.explained:
                why = explaining.explain([one.note.note for one in found], passes, typed)
                found = [replace(one, explanation=why[one.note.note]) for one in found]
            more = len(ranked) > len(found)
            return Answer(attempt.mode, typed, found, more, attempt.without_quotes, _read_as(attempt.alike))
    return Answer("none", typed)


class _Attempt(NamedTuple):
    name: PassName
    mode: Mode
    clause: Clause
    sought: Sought | None = None  # what to mark where the database cannot: more than the words as they were typed
    others: Clause | None = None  # what finds notes to come after these, where there is room
    others_name: PassName = "any"
    without_quotes: bool = False
    alike: Mapping[str, str] = MappingProxyType({})


def _read_as(alike: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return the words by what was typed; a stem is left out where a word that begins so stands beside it."""
    found: dict[str, list[str]] = {}
    for near in sorted(alike, reverse=True):
        others = found.setdefault(alike[near], [])
        if not any(other.startswith(near) for other in others):
            others.append(near)
    return {typed: tuple(reversed(words)) for typed, words in found.items()}


def _attempts(terms: list[Term], query: Query) -> Iterator[_Attempt]:
    if not terms:
        return
    some = terms[: asking.MOST_TERMS]
    together = asking.phrases(query.text)
    if not query.any_term and len(some) == len(terms):
        yield from _with_all(some, together)
    words = asking.telling_words(some)
    alike = _alike(words)
    clause = asking.any_term(some, alike)
    sought = _sought(words, alike)
    loose = together is not None
    if together:
        yield _Attempt("any", "or", clause.within(together), sought, alike=alike)
    yield _Attempt("any", "or", clause, sought, without_quotes=loose, alike=alike)
    if starts := asking.any_beginning(some):
        sought = Sought(beginnings=frozenset(folded(part.word) for part in starts.parts))
        yield _Attempt("beginnings", "or", starts, sought, without_quotes=loose)


def _with_all(terms: list[Term], together: Clause | None) -> Iterator[_Attempt]:
    """Yield the ways to have all terms as they were typed, side by side or apart.

    After these come notes with other forms of all terms; where the question is a sentence, with some of its words.
    """
    ways: list[tuple[PassName, Clause]] = [("all", asking.all_together(terms))]
    if any(term.is_compound for term in terms):
        ways.append(("all_apart", asking.all_apart(terms)))
    is_sentence = len(terms) >= _SENTENCE
    others = asking.any_term(terms) if is_sentence else asking.all_inflected(terms)
    others_name: PassName = "any" if is_sentence else "all_inflected"
    sought = _sought(asking.telling_words(terms), ())
    for outer in (together, None) if together else (None,):
        for name, way in ways:
            loose = together is not None and outer is None
            yield _Attempt(name, "and", way.within(outer), sought, others.within(outer), others_name, loose)


def _alike(words: Iterable[str]) -> dict[str, str]:
    """Return words of the notes for those that no note has, nor a form of them, each with the one it is like."""
    expressions = {word: " OR ".join(map(asking.quoted, (word, *forms(word)))) for word in words}
    unknown = spelling.unknown(expressions)
    return {near: word for word in expressions if word in unknown for near in spelling.alike(word)}


def _sought(words: Iterable[str], alike: Iterable[str]) -> Sought:
    return Sought(
        words=frozenset([*words, *alike]),
        forms=frozenset(form for word in words for form in (word, *forms(word))),
        beginnings=frozenset(start for word in words for start in asking.cut(word)),
    )


def _ranked(clause: Clause, query: Query) -> list[Ranked]:
    """Return the candidates, those whose words fit best first."""
    where, values = _filter(query)
    rows = database.query(
        "WITH found AS MATERIALIZED (SELECT rowid AS note, rank AS score FROM fulltext "
        f"WHERE fulltext MATCH %s AND rank MATCH '{_RANK}' AND {where} ORDER BY rank LIMIT %s) "
        f"SELECT {notes.ALL_COLUMNS}, f.score FROM found f JOIN note n ON n.note = f.note ORDER BY f.score, n.path",
        (clause.expression, *values, query.limit * 2 + 20),
    )
    best = max((-row[-1] for row in rows), default=0.0) or 1.0
    return [_weighed(notes.row(row), -row[-1], best, query) for row in rows]


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


def _weighed(note: NoteRow, words: float, best: float, query: Query) -> Ranked:
    expired = note.validity(query.on) is Validity.EXPIRED
    ring = min(_RECORDS if note.type == "handoff" and expired else note.ring, 4)
    past = PAST_WEIGHT if expired or note.is_replaced(query.on) else 1.0
    return Ranked(note, words, words / best, ring, RING_WEIGHTS[ring], past)


def _shown(chosen: list[Ranked], attempt: _Attempt, terms: list[Term], query: Query) -> list[Found]:
    if not query.passages:
        return [Found(one.note, one.score, "", (), None, one.note.validity(query.on)) for one in chosen]
    cuts = _snippets([one.note.note for one in chosen], attempt, terms)
    blocks = _blocks({number: one.place for number, one in cuts.items()})
    found = []
    for note, score in ((one.note, one.score) for one in chosen):
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
        (attempt.clause.expression, *numbers),
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
