"""A question as the full text takes it. Every sign a person types is text: each word goes in quoted, none is syntax."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from brain.clock import today
from brain.index.fulltext.pieces import RUN, phrase
from brain.index.fulltext.stems import folded, forms, parts
from brain.index.fulltext.stop_words import STOP_WORDS

MOST_TERMS: Final = 64
_SHORTEST_PREFIX: Final = 3
_SHORTEST_CUT: Final = 5  # letters from which a word is also looked for without its last ones
_SHORTEST_START: Final = 4
_MARKS: Final = "\u0300-\u036f"
_WORD: Final = re.compile(rf"[^\W_][\w{_MARKS}]*")
_QUOTED: Final = re.compile(r'"([^"]+)"|“([^“”]+)”|«([^«»]+)»')
_PIECE: Final = re.compile(rf"(?:(?!_)[\w{_MARKS}])+")
How = Literal["typed", "phrase", "form", "part", "beginning", "alike"]


@dataclass(frozen=True)
class Query:
    """What to look for and where: a project's scope brings the global notes too; `on` is the day that counts.

    `any_term` looks for notes with some of the words at once, as for a task described in a sentence; without `passages`
    the notes alone are wanted, and no passage of theirs is looked for. With `explained` each note comes with why it
    stands where it stands.
    """

    text: str
    scope: str | None = None
    types: tuple[str, ...] | None = None
    limit: int = 10
    any_term: bool = False
    passages: bool = True
    explained: bool = False
    on: date = field(default_factory=today)


@dataclass(frozen=True)
class Term:
    """A word as it was typed, and the words that the tokenizer makes of it, runs without spaces told apart."""

    text: str
    words: tuple[str, ...]
    runs: tuple[str, ...]

    @property
    def is_compound(self) -> bool:
        """Tell whether the tokenizer sees several words in it, as in `d'água` or `src/main.py`."""
        return len(self.words) > 1

    def together(self) -> str:
        """Return what finds the term as it was typed, its words side by side."""
        parts = [quoted(" ".join(self.words))] if self.words else []
        return " AND ".join(parts + [phrase(run) for run in self.runs])

    def apart(self) -> list[Part]:
        """Return what finds each word of it."""
        words = [Part(self.text, word, "typed", quoted(word)) for word in self.words]
        return words + [Part(self.text, run, "typed", phrase(run)) for run in self.runs]

    def inflected(self) -> list[list[Part]]:
        """Return for each word of the term what finds it or a form of it."""
        either = [
            [
                Part(self.text, one, "typed" if one == word else "form", quoted(one))
                for one in (word, *forms(folded(word)))
            ]
            for word in self.words
        ]
        return either + [[Part(self.text, run, "typed", phrase(run))] for run in self.runs]


@dataclass(frozen=True, slots=True)
class Part:
    """One thing that is looked for: on behalf of which typed term, which word, and how that comes of the term."""

    term: str
    word: str
    how: How
    expression: str

    def as_typed(self) -> Part:
        """Return the same, looked for in what the notes say themselves, not in what it was brought down to."""
        return Part(self.term, self.word, self.how, _as_typed(f"({self.expression})"))


@dataclass(frozen=True, slots=True)
class Clause:
    """What finds notes, in the full-text language, and its parts: a note's rank is the sum of what each gives."""

    expression: str
    parts: tuple[Part, ...]

    def within(self, outer: Clause | None) -> Clause:
        """Return what finds the notes that another clause finds too."""
        if outer is None:
            return self
        return Clause(f"{outer.expression} AND ({self.expression})", (*outer.parts, *self.parts))


def terms(text: str) -> list[Term]:
    """Return the terms of a question in order, each once; signs alone are no term."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], Term] = {}
    for chunk in text.split():
        if term := _term(chunk):
            found.setdefault((tuple(map(folded, term.words)), term.runs), term)
    return list(found.values())


def phrases(text: str) -> Clause | None:
    """Return what finds the texts that stand between quotation marks, each as it was typed; None without any."""
    quoted_texts = ["".join(groups) for groups in _QUOTED.findall(text)]
    wholes = [_term(text.strip()) for text in quoted_texts if len(text.split()) > 1]
    parts = [Part(whole.text, whole.text, "phrase", f"({whole.together()})") for whole in wholes if whole]
    return _all(parts[:MOST_TERMS]) if parts else None


def all_together(found: list[Term]) -> Clause:
    """Return what finds the notes that have every term as it was typed."""
    return _all_as_typed([Part(term.text, term.text, "typed", term.together()) for term in found])


def all_apart(found: list[Term]) -> Clause:
    """Return what finds the notes that have every word of every term, wherever they stand."""
    return _all_as_typed([part for term in found for part in term.apart()])


def all_inflected(found: list[Term]) -> Clause:
    """Return what finds the notes that have every word or a form of it."""
    groups = [group for term in found for group in term.inflected()]
    either = ("(" + " OR ".join(part.expression for part in group) + ")" for group in groups)
    return Clause(" AND ".join(either), tuple(part for group in groups for part in group))


def any_term(found: list[Term], alike: Mapping[str, str] | None = None) -> Clause:
    """Return what finds the notes that have some word, a form of it, a word that begins so, or one spelled alike.

    `alike` are words of the notes, each with the word that was typed in its place.
    """
    telling = _telling(found)
    parts = [Part(term.text, term.text, "typed", term.together()) for term in telling if term.is_compound]
    parts += [Part(term.text, run, "typed", phrase(run)) for term in telling for run in term.runs]
    words = telling_words(found)
    for word, (term, how) in words.items():
        parts.append(Part(term, word, how, quoted(word)))
        parts += [Part(term, form, "form", quoted(form)) for form in forms(word)]
        parts += [Part(term, start, "beginning", f"{quoted(start)} *") for start in cut(word)]
    parts += [Part(words[word][0], near, "alike", quoted(near)) for near, word in (alike or {}).items()]
    return _any(parts)


def telling_words(found: list[Term]) -> dict[str, tuple[str, How]]:
    """Return the folded words and parts of the terms, those that say little left out where others are there.

    Each comes with the term that it is of, and how.
    """
    words: dict[str, tuple[str, How]] = {}
    for term in _telling(found):
        for word in term.words:
            words.setdefault(folded(word), (term.text, "typed"))
            for part in parts(word):
                words.setdefault(part, (term.text, "part"))
    return words


def cut(word: str) -> tuple[str, ...]:
    """Return how a folded word begins, its last two letters left out; nothing for a short one or a number."""
    if len(word) < _SHORTEST_CUT or word.isdigit():
        return ()
    return (word[: max(len(word) - 2, _SHORTEST_START)],)


def any_beginning(found: list[Term]) -> Clause | None:
    """Return what finds the notes with words that begin as those of the terms do; None where all are short."""
    words = [(term, word) for term in found if not _says_little(term) for word in term.words]
    longer = [(term, _beginning(word)) for term, word in words if len(word) > _SHORTEST_PREFIX]
    parts = [Part(term.text, start, "beginning", f"{quoted(start)} *") for term, start in longer]
    return _any(parts) if parts else None


def _beginning(word: str) -> str:
    return word[:-2] if len(word) - 2 > _SHORTEST_PREFIX else word


def _all(parts: list[Part]) -> Clause:
    return Clause(" AND ".join(part.expression for part in parts), tuple(parts))


def _all_as_typed(parts: list[Part]) -> Clause:
    expression = _as_typed(" AND ".join(f"({part.expression})" for part in parts))
    return Clause(expression, tuple(part.as_typed() for part in parts))


def _any(found: list[Part]) -> Clause:
    """Return what finds notes with some part; what two terms have in common counts once, for the first."""
    once: dict[str, Part] = {}
    for part in found:
        once.setdefault(part.expression, part)
    return Clause(" OR ".join(f"({expression})" for expression in once), tuple(once.values()))


def quoted(words: str) -> str:
    """Return words as one phrase of the full-text language."""
    return '"' + words.replace('"', '""') + '"'


def _as_typed(expression: str) -> str:
    return f"- stems : ({expression})"


def _term(chunk: str) -> Term | None:
    words: list[str] = []
    runs: list[str] = []
    bounds: list[int] = []
    for match in _PIECE.finditer(chunk):
        bounds += [match.start(), match.end()]
        runs += RUN.findall(match[0])
        words += [word for word in RUN.split(match[0]) if _WORD.match(word)]
    if not words and not runs:
        return None
    return Term(chunk[bounds[0] : bounds[-1]], tuple(words), tuple(runs))


def _telling(found: list[Term]) -> list[Term]:
    return [term for term in found if not _says_little(term)] or found


def _says_little(term: Term) -> bool:
    return not term.runs and all(folded(word) in STOP_WORDS for word in term.words)
