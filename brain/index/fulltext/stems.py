"""What a word comes down to: its stems in Portuguese and English, accents typed or not, and the parts of an identifier.

The column `stems` holds for each note what its words themselves do not say, so that a stem costs no room twice.
"""

from __future__ import annotations

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any, Final

from brain.index.fulltext.stop_words import STOP_WORDS

_MOST_KEPT: Final = 65_536  # words whose stems are kept; a brain of 10,000 notes has about as many
_LONGEST: Final = 40  # letters; what is longer is no word of a language
_SHORTEST_LIGHT: Final = 3
_WORD: Final = re.compile(r"[^\W_]+")
_PART: Final = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")
_HUMP: Final = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]")
_ACCENTS: Final = (("cao", "ção"), ("coes", "ções"), ("sao", "são"), ("soes", "são"))
_PLURALS: Final = (
    ("coes", "cao"), ("soes", "sao"), ("aes", "ao"), ("oes", "ao"), ("ais", "al"), ("eis", "el"), ("ois", "ol"),
    ("res", "r"), ("zes", "z"), ("ns", "m"), ("ss", "ss"), ("s", ""),
)  # fmt: skip
_own = threading.local()


def folded(word: str) -> str:
    """Return a word without accents and case, as the tokenizer compares it."""
    if word.isascii():
        return word.lower()
    plain = unicodedata.normalize("NFKD", word)
    return "".join(sign for sign in plain if not unicodedata.combining(sign)).casefold()


@lru_cache(maxsize=_MOST_KEPT)
def forms(word: str) -> tuple[str, ...]:
    """Return what a folded word comes down to, itself left out; nothing for what is no word of a language."""
    if len(word) > _LONGEST or len(word) < _SHORTEST_LIGHT or word.isdigit() or word in STOP_WORDS:
        return ()
    portuguese, english = _stemmers()
    found = (folded(portuguese.stemWord(_accented(word))), english.stemWord(word), _light(word))
    return tuple(form for form in dict.fromkeys(found) if form and form != word)


@lru_cache(maxsize=_MOST_KEPT)
def root(word: str) -> str:
    """Return the one stem by which words are compared: the Portuguese one, brought down as an English word is.

    It depends on the word alone, so that a text need not say in which language it is; the word itself where it has
    no form.
    """
    if not forms(word):
        return word
    portuguese, english = _stemmers()
    return str(english.stemWord(folded(portuguese.stemWord(_accented(word))))) or word


@lru_cache(maxsize=_MOST_KEPT)
def sought(word: str) -> str:
    """Return what finds most notes that have a folded word or a form of it: its Portuguese stem, else itself."""
    return next(iter(forms(word)), word) if forms(word) else word


def parts(word: str) -> list[str]:
    """Return the folded parts of a word such as `parseLocalDate`; nothing for a word in one part."""
    return [part.lower() for part in _PART.findall(word)] if _HUMP.search(word) else []


def column(text: str) -> str:
    """Return the stems and parts of the words of a text, as often as these stand in it."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text)
    return " ".join(filter(None, map(_KNOWN.__getitem__, _WORD.findall(text))))


class _Known(dict[str, str]):
    """What the column says of each word, kept while there are not too many: looked up without a call of Python."""

    def __missing__(self, word: str) -> str:
        if len(self) >= _MOST_KEPT:
            self.clear()
        said = self[word] = " ".join(_told(word))
        return said


_KNOWN: Final = _Known()


def _told(word: str) -> Iterator[str]:
    yield from forms(folded(word))
    for part in parts(word):
        yield part
        yield from forms(part)


def _accented(word: str) -> str:
    """Give a word typed without accents the ending by which its stem is known."""
    for plain, ending in _ACCENTS:
        if word.endswith(plain):
            return word[: -len(plain)] + ending
    return word


def _light(word: str) -> str:
    """Return a Portuguese word without the signs of number and gender alone."""
    for ending, instead in _PLURALS:
        if word.endswith(ending) and len(word) >= len(ending) + 2:
            word = word[: len(word) - len(ending)] + instead
            break
    return word[:-1] if len(word) > _SHORTEST_LIGHT and word[-1] in "aeo" else word


def _stemmers() -> tuple[Any, Any]:
    """Return this thread's stemmers: they keep a state and may not be shared."""
    if not hasattr(_own, "stemmers"):
        make = _maker()
        _own.stemmers = (make("portuguese", 0), make("english", 0))  # 0: no cache of their own
    found: tuple[Any, Any] = _own.stemmers
    return found


@cache
def _maker() -> Any:
    import Stemmer

    return Stemmer.Stemmer
