"""Whether a passage says what a model quotes from it; what is shown is the passage's own text, never the model's.

A quote may come in up to three pieces with an ellipsis between them, in the order of the passage, each of which says
enough to mean something. It is shown with the whole words and numbers at its ends, and with a negation right before
it: what turns it around is never left out.
"""

from __future__ import annotations

import re
from typing import Final

from llm.folding import Folded, fold

FEWEST_SIGNS: Final = 16  # letters or digits
FEWEST_WORDS: Final = 3  # that are no stop words
MOST_PIECES: Final = 3
LONGEST: Final = 4_000
SHOWN_BETWEEN: Final = " … "

Span = tuple[int, int]
_ELLIPSIS: Final = re.compile(r"[ \t]*(?:[\[(][ \t]*)?(?:\.{3,}|…+)(?:[ \t]*[\])])?[ \t]*")
_EDGE: Final = " '"
_WORD: Final = re.compile(r"[^\W_]+")
_NO_SPACES: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_NEGATION: Final = re.compile(
    r"(?<![^\W_])(?:nao|nunca|jamais|nem|not|never|cannot|no|nenhum|nenhuma|sem|without|n't)\s+$"
)
_LONGEST_NEGATION: Final = 16
_IN_NUMBER: Final = frozenset(".,:/-")
_STOP_WORDS: Final = frozenset(
    """
a ao aos as ate com como da das de do dos e ela ele em entre era esse esta este foi isso ja mais mas me na nas nem no
nos o os ou para pela pelas pelo pelos por porque que quem se sem ser seu seus sua suas sob sobre um uma uns umas
about an and any are at be been but by can could did does for from had has have her his how i if in into is it its my of
off on only or our out own she so some such than that the their them then there these they this those to too up very was
we were what when where which while who why will with would you your
""".split()  # noqa: SIM905 (a list of a hundred quoted words is read by nobody)
)


def found(quote: str, passage: str, *, marked: bool = False) -> tuple[Span, ...] | None:
    """Return where a passage says what is quoted, None where it does not; `marked` is one sent with marks in it."""
    if len(quote) > LONGEST:
        return None
    where = fold(passage, marked=marked)
    whole = _found([quote], where, marked=marked)
    if whole is not None:
        return whole
    pieces = [piece for piece in _ELLIPSIS.split(quote) if fold(piece).text.strip(_EDGE)]
    if not 1 <= len(pieces) <= MOST_PIECES:
        return None
    return _found(pieces, where, marked=marked)


def says_enough(piece: str) -> bool:
    """Tell whether a folded piece of a quote is long enough to mean something."""
    words = [word for word in _WORD.findall(piece) if word not in _STOP_WORDS]
    return sum(map(len, _WORD.findall(piece))) >= FEWEST_SIGNS and sum(map(_weight, words)) >= FEWEST_WORDS


def _weight(word: str) -> int:
    """Return how many words a run of letters counts for: without spaces between them, two signs are about one."""
    return max(1, len(word) // 2) if _NO_SPACES.match(word) else 1


def _found(pieces: list[str], where: Folded, *, marked: bool) -> tuple[Span, ...] | None:
    spans: list[Span] = []
    reached = 0
    for piece in pieces:
        wanted = fold(piece, marked=marked).text.strip(_EDGE)
        if not says_enough(wanted):
            return None
        place = where.text.find(wanted, reached)
        if place < 0:
            return None
        reached = place + len(wanted)
        spans.append(where.span(*_widened(where.text, place, reached)))
    return tuple(spans)


def _is_cut_number(text: str, place: int) -> bool:
    """Tell whether a number goes on across a place, also as in 1.500 or 2026-05-03."""
    before, after = text[max(0, place - 2) : place], text[place : place + 2]
    if not before or not after:
        return False
    if before[-1].isdigit():
        return after[0].isdigit() or (after[0] in _IN_NUMBER and after[1:].isdigit())
    is_sign = before[-1] in _IN_NUMBER and before[:1].isdigit() and len(before) > 1
    return after[0].isdigit() and (is_sign or (before[-1] in "-−" and not before[:1].isalnum()))


def _widened(text: str, start: int, end: int) -> Span:
    """Return a stretch with the whole words and numbers at its ends, and the negation before it."""
    while start > 0 and _goes_on(text, start):
        start -= 1
    while end < len(text) and _goes_on(text, end):
        end += 1
    negation = _NEGATION.search(text, max(0, start - _LONGEST_NEGATION), start)
    return negation.start() if negation else start, end


def _goes_on(text: str, place: int) -> bool:
    """Tell whether a word or a number goes on across a place."""
    return (text[place - 1].isalnum() and text[place].isalnum()) or _is_cut_number(text, place)
