"""A question as the full text takes it. Every sign a person types is text: each word goes in quoted, none is syntax."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final

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


@dataclass(frozen=True)
class Query:
    """What to look for and where: a project's scope brings the global notes too; `on` is the day that counts.

    `any_term` looks for notes with some of the words at once, as for a task described in a sentence; without `passages`
    the notes alone are wanted, and no passage of theirs is looked for.
    """

    text: str
    scope: str | None = None
    types: tuple[str, ...] | None = None
    limit: int = 10
    any_term: bool = False
    passages: bool = True
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

    def inflected(self) -> str:
        """Return what finds each word of the term or a form of it, wherever they stand."""
        either = ["(" + " OR ".join(map(quoted, (word, *forms(folded(word))))) + ")" for word in self.words]
        return " AND ".join(either + [phrase(run) for run in self.runs])

    def apart(self) -> list[str]:
        """Return what finds each word of it."""
        return [quoted(word) for word in self.words] + [phrase(run) for run in self.runs]


def terms(text: str) -> list[Term]:
    """Return the terms of a question in order, each once; signs alone are no term."""
    found: dict[tuple[tuple[str, ...], tuple[str, ...]], Term] = {}
    for chunk in text.split():
        if term := _term(chunk):
            found.setdefault((tuple(map(folded, term.words)), term.runs), term)
    return list(found.values())


def phrases(text: str) -> list[str]:
    """Return what finds the texts that stand between quotation marks, each as it was typed."""
    quoted_texts = ["".join(groups) for groups in _QUOTED.findall(text)]
    wholes = [_term(text.strip()) for text in quoted_texts if len(text.split()) > 1]
    return [f"({whole.together()})" for whole in wholes if whole]


def all_together(found: list[Term]) -> str:
    """Return what finds the notes that have every term as it was typed."""
    return _as_typed(" AND ".join(f"({term.together()})" for term in found))


def all_apart(found: list[Term]) -> str:
    """Return what finds the notes that have every word of every term, wherever they stand."""
    return _as_typed(" AND ".join(f"({part})" for term in found for part in term.apart()))


def all_inflected(found: list[Term]) -> str:
    """Return what finds the notes that have every word or a form of it."""
    return " AND ".join(f"({term.inflected()})" for term in found)


def any_term(found: list[Term], alike: Iterable[str] = ()) -> str:
    """Return what finds the notes that have some word, a form of it, a word that begins so, or one spelled alike."""
    telling = _telling(found)
    sought = [term.together() for term in telling if term.is_compound]
    sought += [phrase(run) for term in telling for run in term.runs]
    for word in telling_words(found):
        sought += [quoted(form) for form in (word, *forms(word))]
        sought += [f"{quoted(start)} *" for start in cut(word)]
    sought += [quoted(word) for word in alike]
    return " OR ".join(f"({one})" for one in dict.fromkeys(sought))


def telling_words(found: list[Term]) -> list[str]:
    """Return the folded words and parts of the terms, those that say little left out where others are there."""
    typed = [word for term in _telling(found) for word in term.words]
    return list(dict.fromkeys(one for word in typed for one in (folded(word), *parts(word))))


def cut(word: str) -> tuple[str, ...]:
    """Return how a folded word begins, its last two letters left out; nothing for a short one or a number."""
    if len(word) < _SHORTEST_CUT or word.isdigit():
        return ()
    return (word[: max(len(word) - 2, _SHORTEST_START)],)


def beginnings(found: list[Term]) -> list[str]:
    """Return how the words of the terms begin, two letters left out where enough stay; none for short words."""
    words = [word for term in found if not _says_little(term) for word in term.words if len(word) > _SHORTEST_PREFIX]
    return list(dict.fromkeys(word[:-2] if len(word) - 2 > _SHORTEST_PREFIX else word for word in words))


def any_beginning(cut: list[str]) -> str:
    """Return what finds the notes with words that begin so."""
    return " OR ".join(f"{quoted(word)} *" for word in cut)


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
