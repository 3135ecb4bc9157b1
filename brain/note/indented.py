"""Code by indentation: the lines that stand four columns in, where no list and no paragraph takes them as its own.

In doubt a line is text: a link that is shown as a link must count as one. So code inside a list is not looked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from brain.note.links import Span

_INDENT: Final = r"(?: {4}| {0,3}\t)"
_ANY: Final = re.compile(rf"(?m)^{_INDENT}[ \t]*[^\s]")
_INDENTED: Final = re.compile(_INDENT)
# What takes indented lines after it as its own, blank lines between or not: a list item and a footnote.
_OWNER: Final = re.compile(r" {0,3}(?:(?:[-*+]|\d{1,9}[.)])(?=[ \t]|$)|\[\^[^\]\s]+\]:)")
# What no indented line goes on: a heading and a rule (which may underline a heading).
_CLOSED: Final = re.compile(r" {0,3}(?:#{1,6}(?=[ \t]|$)|(?:[-*_][ \t]*){3,}$)")


def spans(body: str, fences: Sequence[Span]) -> list[Span]:
    """Return the runs of indented code outside fences, in order; it takes time in proportion to the body's length."""
    return list(_runs(body, fences)) if _ANY.search(body) else []


def _runs(body: str, fences: Sequence[Span]) -> Iterator[Span]:
    owned = goes_on = False
    begin = end = -1
    for start, line in _lines(body, fences):
        if line is None:  # a fence: it ends a paragraph and a list unless it may stand in them
            goes_on = body[start] in " \t"
            owned = owned and goes_on
        elif not line:
            goes_on = False
        elif _INDENTED.match(line) and not owned and not goes_on:
            begin, end = (start if begin < 0 else begin), start + len(line)
            continue
        elif not _INDENTED.match(line):
            is_owner, is_closed = bool(_OWNER.match(line)), bool(_CLOSED.match(line))
            owned = is_owner or (owned and (goes_on or line[0] == " ") and not is_closed)
            goes_on = not is_closed
        else:
            goes_on = True
        if begin >= 0 and line != "":
            yield begin, end
            begin = -1
    if begin >= 0:
        yield begin, end


def _lines(body: str, fences: Sequence[Span]) -> Iterator[tuple[int, str | None]]:
    """Yield each line outside fences with its place, without the blanks at its end; None in the place of a fence."""
    position = 0
    for start, stop in [*fences, (len(body), len(body))]:
        while position < start:
            found = body.find("\n", position, start)
            after = start if found < 0 else found + 1
            yield position, body[position:after].rstrip()
            position = after
        if start < stop:
            yield start, None
            position = body.find("\n", stop) + 1 or len(body)
