"""What a text says, as it is compared: its terms in order, and what it denies, counts, limits and names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from typing import Final

from brain.index.fulltext.stems import folded, root
from brain.index.fulltext.stop_words import STOP_WORDS
from brain.services.memories import words

DENIED: Final = "¬"
_MOST_KEPT: Final = 65_536  # words whose terms are kept, as those of the index are
_CONTEXT: Final = 2  # terms after a negation that say what it denies

_TOOL_MARKS: Final = re.compile(r"[«»]|\A…|…\Z")
_ELLIPSIS: Final = re.compile(r"…|\n+")
_BREAK: Final = re.compile(r"\n[ \t\r]*\n|\n(?=[ \t]*(?:[-*+]|\d+[.)]|#{1,6}|>|\|)[ \t])|(?<=[.!?;])[ \t\n\r]+")
_TOKEN: Final = re.compile(
    r"(?P<number>(?:(?<![^\s(\[=])[-\u2212])?(?<![^\W\d_])\d+(?:[.,:/-]\d+)*%?)|(?P<word>[^\W_]+)"
    r"|(?P<sign>(?<=[\w\s)])(?:[<>!=]=|[<>\u2264\u2265\u2260])(?=\s*[-\w]))"
)
_WORD: Final = re.compile(r"[^\W_]+")
_NOT: Final = re.compile(r"n['\u2019]t\b", re.IGNORECASE)


@dataclass(frozen=True)
class Sentence:
    """A sentence: all of its words, its terms in order, and what turns its meaning."""

    words: tuple[str, ...]
    terms: tuple[str, ...]
    numbers: frozenset[tuple[str, str]]  # each with the term after it
    denied: frozenset[tuple[str, ...]]  # the terms after each negation
    signs: tuple[str, ...]
    capitals: tuple[str, ...]  # words with a capital, in order
    names: frozenset[str]  # those of them that do not begin the sentence

    @cached_property
    def choices(self) -> dict[int, frozenset[int]]:
        """Which of the words that rule each other out it has: by row, the places in it."""
        found: dict[int, set[int]] = {}
        for word in self.words:
            for row, place in _choices().get(word) or _choices().get(root(word)) or ():
                found.setdefault(row, set()).add(place)
        return {row: frozenset(places) for row, places in found.items()}


@dataclass(frozen=True)
class Said:
    """A text, sentence by sentence."""

    sentences: tuple[Sentence, ...]

    @cached_property
    def whole(self) -> Sentence:
        """All sentences as one."""
        return _joined(self.sentences)

    @cached_property
    def terms(self) -> frozenset[str]:
        """Its terms, each once."""
        return frozenset(self.whole.terms)


def said(text: str) -> Said:
    """Return what a text says."""
    found = (_sentence(part) for part in _BREAK.split(_NOT.sub(" not", text.strip())))
    return Said(tuple(one for one in found if one.words))


def rough_terms(text: str) -> frozenset[str]:
    """Return about the terms of a text, at a fraction of the cost: enough to see that two have little in common."""
    return frozenset(map(_rough_term, _WORD.findall(text))) - {""}


def has_tool_marks(text: str) -> bool:
    """Tell whether a text is marked as a tool's answer is: what was found in « », what was left out as an ellipsis."""
    return _TOOL_MARKS.search(text.strip()) is not None


def pieces(text: str) -> list[tuple[str, ...]]:
    """Return the words of each part of a tool's answer between what was left out."""
    found = (tuple(_words(part.translate({0xAB: None, 0xBB: None}))) for part in _ELLIPSIS.split(text))
    return [one for one in found if one]


def _words(text: str) -> Iterator[str]:
    return (folded(match[0]) for match in _TOKEN.finditer(text) if match.lastgroup != "sign")


def _sentence(text: str) -> Sentence:
    found = [(str(match.lastgroup), match[0]) for match in _TOKEN.finditer(text)]
    plain = tuple(folded(token) for kind, token in found if kind != "sign")
    english = _is_english(plain)
    tokens = [_term(kind, token, english=english) for kind, token in found]
    terms = tuple(term for _kind, term in tokens if term)
    capitals = [folded(token) for kind, token in found if kind == "word" and token[0].isupper()]
    first = next((folded(token) for kind, token in found if kind == "word"), "")
    return Sentence(
        words=plain,
        terms=terms,
        numbers=frozenset(_numbers(tokens)),
        denied=frozenset(_denied(terms)),
        signs=tuple(token for kind, token in found if kind == "sign"),
        capitals=tuple(capitals),
        names=frozenset(capitals[1:] if capitals and capitals[0] == first else capitals),
    )


def _term(kind: str, token: str, *, english: bool) -> tuple[str, str]:
    """Return the kind of a token and the term that it is; an empty one for what says little."""
    word = folded(token)
    if kind == "sign":
        return kind, ""
    if kind == "number" or word in words.NUMBERS:
        return "number", words.NUMBERS.get(word, word)
    only = words.ENGLISH_ONLY if english else words.PORTUGUESE_ONLY
    if word in words.NEGATIONS or word in only:
        return "denied", DENIED
    return kind, "" if word in STOP_WORDS or len(word) == 1 else root(word)


def _is_english(plain: Iterable[str]) -> bool:
    seen = list(plain)
    return sum(word in words.ENGLISH for word in seen) > sum(word in words.PORTUGUESE for word in seen)


def _numbers(tokens: list[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    for place, (kind, term) in enumerate(tokens):
        if kind == "number":
            yield term, next((after for _kind, after in tokens[place + 1 :] if after), "")


def _denied(terms: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place, term in enumerate(terms):
        if term == DENIED:
            following = [one for one in terms[place + 1 :] if one != DENIED]
            yield tuple(following[:_CONTEXT])


def _joined(sentences: tuple[Sentence, ...]) -> Sentence:
    return Sentence(
        words=tuple(word for one in sentences for word in one.words),
        terms=tuple(term for one in sentences for term in one.terms),
        numbers=frozenset(number for one in sentences for number in one.numbers),
        denied=frozenset(context for one in sentences for context in one.denied),
        signs=tuple(sign for one in sentences for sign in one.signs),
        capitals=tuple(word for one in sentences for word in one.capitals),
        names=frozenset(name for one in sentences for name in one.names),
    )


@lru_cache(maxsize=_MOST_KEPT)
def _rough_term(word: str) -> str:
    plain = folded(word)
    return "" if plain in STOP_WORDS or len(plain) == 1 else root(plain)


@cache
def _choices() -> dict[str, tuple[tuple[int, int], ...]]:
    """Return the rows and places of each word that rules others out, by the word and by its stem.

    A stem that stands for words of two places means neither.
    """
    exact: dict[str, set[tuple[int, int]]] = {}
    stems: dict[str, set[tuple[int, int]]] = {}
    for row, choices in enumerate(words.EXCLUSIVE):
        for place, spelled in enumerate(choices):
            for word in spelled.split():
                exact.setdefault(word, set()).add((row, place))
                stems.setdefault(root(word), set()).add((row, place))
    alone = {stem: found for stem, found in stems.items() if len(found) == 1}
    return {word: tuple(sorted(found)) for word, found in (alone | exact).items()}
