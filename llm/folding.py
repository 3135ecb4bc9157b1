"""Text as quotes are compared, with the way back: accents, case, quotation marks and spaces make no difference."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import Final

_QUOTES: Final = frozenset("\"'`´‘’‚‛“”„‟‹›«»＂＇「」『』〝〞′″")
_INVISIBLE: Final = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")
SEPARATOR: Final = "^"  # stands between the words of outside text


@dataclass(frozen=True)
class Folded:
    """A folded text, and where each sign of it begins and ends in the original."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the folded text stands in the original."""
        return self.starts[start], self.ends[end - 1]


def fold(text: str, *, marked: bool = False) -> Folded:
    """Return a text as it is compared; in one that is `marked`, the sign between the words counts as a space."""
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for place, sign in enumerate(text):
        for one in _folded(" " if marked and sign == SEPARATOR else sign):
            if one == " " and signs and signs[-1] == " ":
                ends[-1] = place + 1
                continue
            signs.append(one)
            starts.append(place)
            ends.append(place + 1)
        if signs and unicodedata.combining(sign):
            ends[-1] = place + 1
    return Folded("".join(signs), tuple(starts), tuple(ends))


def _folded(sign: str) -> str:
    if sign.isascii():
        return "'" if sign in _QUOTES else " " if sign.isspace() else sign.lower()
    if sign in _QUOTES:
        return "'"
    if sign.isspace():
        return " "
    if sign in _INVISIBLE:
        return ""
    plain = unicodedata.normalize("NFD", sign.casefold())
    return "".join(one for one in plain if not "\u0300" <= one <= "\u036f").casefold()
