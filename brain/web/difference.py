"""Two texts as a page shows them: lines added and removed, changed words marked, equal stretches folded."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import zip_longest
from typing import Final

from brain.guard import spelling
from brain.note import matching
from brain.note.matching import Budget, Step

_CONTEXT: Final = 3
_ALIKE: Final = 0.4
# Rows and signs of a difference of which the person decides nothing: more are counted, not shown.
MOST_ROWS: Final = 1_000
_SIGNS_A_ROW: Final = 200
_WORD: Final = re.compile(r"\s+|\w+|[^\w\s]")


class Kind(StrEnum):
    """What became of a line."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"
    FOLDED = "folded"


@dataclass(frozen=True)
class Piece:
    """A stretch of a line; `sign` names the one sign that it is, where that is not what it looks like."""

    text: str
    is_changed: bool = False
    sign: str = ""

    @property
    def drawn(self) -> str:
        """The text as it may be drawn: what is invisible, or turns words around, is not."""
        return "" if self.sign and spelling.is_hidden(self.text) else self.text

    @property
    def code(self) -> str:
        """The number of a sign that is named."""
        return self.sign.partition(" ")[0]


@dataclass(frozen=True)
class Line:
    """A row of the table; a folded one stands for `count` equal lines."""

    kind: Kind
    old: int | None = None
    new: int | None = None
    pieces: tuple[Piece, ...] = ()
    count: int = 0


@dataclass(frozen=True)
class Difference:
    """The rows, how many lines came and went, and the text as it becomes; `is_cut`: more of it than is shown."""

    lines: tuple[Line, ...]
    added: int
    removed: int
    after: tuple[Piece, ...]
    deceiving: int = 0
    is_cut: bool = False


def compare(before: str, after: str, *, most: int | None = None) -> Difference:
    """Return how one text becomes another; a sign that deceives the eye is named.

    With `most`, no more rows than that are made, nor signs than rows of that number usually have.
    """
    old, new = _lines_of(before), _lines_of(after)
    steps = matching.steps(old, new)
    room = None if most is None else _Room(most, most * _SIGNS_A_ROW)
    lines = _lines(steps, old, new) if old and new else _all(old, new)
    shown = tuple(map(_named, lines if room is None else _within(lines, room)))
    text = "\n".join(new)
    whole = text if room is None else text[: room.most_signs]
    return Difference(
        shown,
        added=sum(j_end - j for tag, _i, _i_end, j, j_end in steps if tag != "equal"),
        removed=sum(i_end - i for tag, i, i_end, _j, _j_end in steps if tag != "equal"),
        after=tuple(_split(Piece(whole), spelling.deceiving(whole))),
        deceiving=sum(bool(piece.sign) for line in shown for piece in line.pieces if line.kind is not Kind.REMOVED),
        is_cut=len(whole) < len(text) or (room is not None and room.is_full),
    )


@dataclass(slots=True)
class _Room:
    """How much of a difference is still to be shown."""

    rows: int
    most_signs: int
    signs: int = 0
    is_full: bool = False


def _within(lines: Iterator[Line], room: _Room) -> Iterator[Line]:
    """Yield lines while there is room for them; one that is too long is cut."""
    for line in lines:
        left = room.most_signs - room.signs
        if not room.rows or left <= 0:
            room.is_full = True
            return
        length = sum(len(piece.text) for piece in line.pieces)
        if length > left:
            room.is_full = True
            yield replace(line, pieces=tuple(_first(line.pieces, left)))
            return
        room.rows -= 1
        room.signs += length
        yield line


def _first(pieces: Sequence[Piece], most: int) -> Iterator[Piece]:
    for piece in pieces:
        if most > 0:
            yield replace(piece, text=piece.text[:most])
        most -= len(piece.text)


def _lines_of(text: str) -> list[str]:
    """Return the lines of a text; other signs that end a line are shown in it."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def _all(old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    """Yield a text that is wholly new or gone: no word of it is changed more than another."""
    yield from (Line(Kind.REMOVED, old=place, pieces=(Piece(text),)) for place, text in enumerate(old, start=1))
    yield from (Line(Kind.ADDED, new=place, pieces=(Piece(text),)) for place, text in enumerate(new, start=1))


def _named(line: Line) -> Line:
    """Return a line with each sign that deceives in a piece of its own, whatever pieces its word is in."""
    signs = spelling.deceiving("".join(piece.text for piece in line.pieces))
    if not signs:
        return line
    found: list[Piece] = []
    start = 0
    for piece in line.pieces:
        within = {place - start: name for place, name in signs.items() if start <= place < start + len(piece.text)}
        found += _split(piece, within)
        start += len(piece.text)
    return replace(line, pieces=tuple(found))


def _split(piece: Piece, signs: Mapping[int, str]) -> Iterator[Piece]:
    position = 0
    for place, name in sorted(signs.items()):
        if position < place:
            yield replace(piece, text=piece.text[position:place])
        yield replace(piece, text=piece.text[place], sign=name)
        position = place + 1
    if position < len(piece.text):
        yield replace(piece, text=piece.text[position:])


def _lines(steps: Sequence[Step], old: Sequence[str], new: Sequence[str]) -> Iterator[Line]:
    words = Budget()
    for position, (tag, i, i_end, j, j_end) in enumerate(steps):
        if tag == "equal":
            yield from _equal(old[i:i_end], i, j, is_first=position == 0, is_last=position == len(steps) - 1)
        else:
            yield from _changed(old[i:i_end], new[j:j_end], i, j, words)


def _equal(texts: Sequence[str], i: int, j: int, *, is_first: bool, is_last: bool) -> Iterator[Line]:
    """Yield equal lines; the middle of a long stretch is folded, at an end of the text all but the near context."""
    head, tail = 0 if is_first else _CONTEXT, 0 if is_last else _CONTEXT
    hidden = len(texts) - head - tail
    if hidden <= 1:
        head, hidden = len(texts), 0
    for place, text in enumerate(texts):
        if place == head and hidden:
            yield Line(Kind.FOLDED, count=hidden)
        if not head <= place < head + hidden:
            yield Line(Kind.SAME, i + place + 1, j + place + 1, (Piece(text),))


def _changed(old: Sequence[str], new: Sequence[str], i: int, j: int, words: Budget) -> Iterator[Line]:
    pairs = [_words(gone, come, words) for gone, come in zip_longest(old, new)]
    for place in range(len(old)):
        yield Line(Kind.REMOVED, old=i + place + 1, pieces=pairs[place][0])
    for place in range(len(new)):
        yield Line(Kind.ADDED, new=j + place + 1, pieces=pairs[place][1])


def _words(gone: str | None, come: str | None, budget: Budget) -> tuple[tuple[Piece, ...], tuple[Piece, ...]]:
    """Return both lines with what differs marked; lines that have little in common are marked whole."""
    if gone is None or come is None:
        return (Piece(gone or "", is_changed=True),), (Piece(come or "", is_changed=True),)
    before, after = _WORD.findall(gone), _WORD.findall(come)
    steps = matching.steps(before, after, budget)
    alike = sum(i_end - i for tag, i, i_end, _j, _j_end in steps if tag == "equal")
    if 2 * alike < _ALIKE * (len(before) + len(after)):
        return (Piece(gone, is_changed=True),), (Piece(come, is_changed=True),)
    left: list[Piece] = []
    right: list[Piece] = []
    for tag, i, i_end, j, j_end in steps:
        is_changed = tag != "equal"
        left += [Piece("".join(before[i:i_end]), is_changed)] if i < i_end else []
        right += [Piece("".join(after[j:j_end]), is_changed)] if j < j_end else []
    return tuple(left), tuple(right)
