"""The skeleton of a body, found in one pass: headings, code and links, with their places.

Fences hide headings and links; indented and inline code hides links. Offsets count characters of the body as it is in
the file.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from brain.note import indented
from brain.note.links import Link, Span, find_all, fold, is_escaped

SEPARATOR: Final = "›"

# Each line is looked at after the line end before it; a body is scanned with one put in front.
_BLOCK: Final = re.compile(
    r"\n(?: {0,3}(#{1,6})(?=[ \t\r\n]|\Z)"
    r"| {0,3}(?:=+|-+)[ \t]*(?=\r?\n|\r?\Z)"
    r"|([ \t>]*)(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)?(`{3,}|~{3,})([^\n]*))"
)
_CLOSE: Final = re.compile(r"\n[ \t>]*(`{3,}|~{3,})[ \t]*(?=\r?\n|\r?\Z)")
_OUTSIDE_QUOTE: Final = re.compile(r"\n(?![ \t]*>)")
_CLOSING_HASHES: Final = re.compile(r"(?:^|[ \t])#+$")
_NO_PARAGRAPH: Final = re.compile(r" {4}|[ ]{0,3}(?:\t|>|[-*+][ \t]|\d{1,9}[.)][ \t])")
_TICKS: Final = re.compile(r"`+")
# A code span ends with its paragraph: before a blank line, a list item, a heading or a row of a table.
_BREAK: Final = re.compile(r"\n(?=[ \t>]*(?:\r?\n|[-*+|][ \t]|#{1,6}[ \t]|\d{1,9}[.)][ \t]))")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: from `start` to `content_start` it is the heading's own lines; `path` ends with its own text."""

    level: int
    text: str
    line: int
    start: int
    content_start: int
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Structure:
    """What `scan` found; `fences` are whole lines, `code` holds them and all other code, all in order."""

    headings: tuple[Heading, ...]
    code: tuple[Span, ...]
    links: tuple[Link, ...]
    fences: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands under it, up to the next one of its level or above."""

    title: str
    path: tuple[str, ...]
    start: int
    end: int


@dataclass(slots=True)
class _Found:
    """A heading before its line and path are known."""

    level: int
    text: str
    start: int
    end: int


def scan(body: str) -> Structure:
    """Return the headings, code and links of a body; it never fails, and takes time in proportion to its length."""
    headings, fences = _blocks("\n" + body)
    solid = sorted([*fences, *indented.spans(body, fences)])
    code = _code_spans(body, solid) if "`" in body else solid
    return Structure(
        headings=tuple(_placed(body, headings)),
        code=tuple(code),
        links=tuple(find_all(body, code)),
        fences=tuple(fences),
    )


def heading_path(structure: Structure, offset: int) -> tuple[str, ...]:
    """Return the texts of the headings above a place, the outermost first."""
    number = bisect_right(structure.headings, offset, key=lambda heading: heading.start)
    return structure.headings[number - 1].path if number else ()


def section(body: str, wanted: str, structure: Structure | None = None) -> Section | None:
    """Return the section that a heading's text names, or its path, such as `Parent › Child`; the first that fits."""
    headings = (structure or scan(body)).headings
    for fits in (_is_text, _is_end_of_path, _is_within_path):
        for number, heading in enumerate(headings):
            if fits(heading, wanted):
                return Section(heading.text, heading.path, heading.start, _end_of(headings, number, len(body)))
    return None


def _is_text(heading: Heading, wanted: str) -> bool:
    return heading.text == wanted.strip()


def _is_end_of_path(heading: Heading, wanted: str) -> bool:
    names = _names(wanted)
    return bool(names) and [fold(text) for text in heading.path[-len(names) :]] == names


def _is_within_path(heading: Heading, wanted: str) -> bool:
    """Tell whether the names are among a heading's ancestors in order, the last being its own."""
    names, above = _names(wanted), iter([fold(text) for text in heading.path])
    return bool(names) and fold(heading.text) == names[-1] and all(name in above for name in names)


def _names(wanted: str) -> list[str]:
    return [fold(name.strip().lstrip("#")) for name in wanted.split(SEPARATOR) if name.strip().lstrip("#")]


def _end_of(headings: tuple[Heading, ...], number: int, length: int) -> int:
    level = headings[number].level
    return next((later.start for later in headings[number + 1 :] if later.level <= level), length)


def _placed(body: str, found: list[_Found]) -> Iterator[Heading]:
    line, seen = 1, 0
    above: list[_Found] = []
    for one in found:
        line, seen = line + body.count("\n", seen, one.start), one.start
        while above and above[-1].level >= one.level:
            above.pop()
        above.append(one)
        path = tuple([each.text for each in above])
        yield Heading(one.level, one.text, line, one.start, min(one.end + 1, len(body)), path)


def _blocks(padded: str) -> tuple[list[_Found], list[Span]]:
    """Return headings and fences of a body with a line end in front, their places counted without it."""
    headings: list[_Found] = []
    fences: list[Span] = []
    position = 0
    while match := _BLOCK.search(padded, position):
        start, before = match.start(), position
        position = _line_end(padded, match.end())
        if match[1]:
            headings.append(_Found(len(match[1]), _heading_text(padded[match.end() : position]), start, position - 1))
        elif not match[3]:
            paragraph = _paragraph_above(padded, before, start)
            if paragraph is not None:
                text = " ".join(padded[paragraph + 1 : start].split())
                headings.append(_Found(1 if "=" in match[0] else 2, text, paragraph, position - 1))
        elif match[3][0] == "~" or "`" not in match[4]:
            position = _fence_end(padded, position, match[3], quoted=">" in match[2])
            fences.append((start, position - 1))
    return headings, fences


def _line_end(text: str, position: int) -> int:
    found = text.find("\n", position)
    return len(text) if found < 0 else found


def _heading_text(text: str) -> str:
    text = text.strip()
    return _CLOSING_HASHES.sub("", text).rstrip() if text.endswith("#") else text


def _paragraph_above(padded: str, floor: int, stop: int) -> int | None:
    """Return where the paragraph begins whose last line ends at `stop`; None where there is none to underline."""
    begin = stop
    while begin > floor:
        before = padded.rfind("\n", floor, begin)
        line = padded[before + 1 : begin] if before >= 0 else ""
        if before < 0 or not line.strip():
            break
        if _NO_PARAGRAPH.match(line):
            return None
        begin = before
    return begin if begin < stop else None


def _fence_end(padded: str, position: int, opening: str, *, quoted: bool) -> int:
    """Return where a fence ends: after a closer as long as its opener, with its quotation, or with the body."""
    limit = len(padded)
    if quoted and (outside := _OUTSIDE_QUOTE.search(padded, position)):
        limit = outside.start()
    start = position
    while (match := _CLOSE.search(padded, start)) and match.start() < limit:
        if match[1][0] == opening[0] and len(match[1]) >= len(opening):
            return match.end()
        start = match.end()
    return limit


def _code_spans(body: str, solid: list[Span]) -> list[Span]:
    """Return the code of whole lines and the inline code spans between it, in order."""
    found: list[Span] = []
    position = 0
    for start, end in [*solid, (len(body), len(body))]:
        if body.find("`", position, start) >= 0:
            found.extend(_spans_between(body, position, start))
        if start < end:
            found.append((start, end))
        position = max(position, end)
    return found


def _spans_between(body: str, start: int, end: int) -> Iterator[Span]:
    runs = [(match.start(), match.end()) for match in _TICKS.finditer(body, start, end)]
    breaks = [match.start() for match in _BREAK.finditer(body, start, end)]
    same_length: dict[int, list[int]] = defaultdict(list)
    for begin, stop in runs:
        same_length[stop - begin].append(begin)
    done = start
    for begin, stop in runs:
        if begin < done:
            continue
        opening = begin + 1 if is_escaped(body, begin) else begin
        length = stop - opening
        closers = same_length.get(length, [])
        place = bisect_right(closers, opening)
        if length and place < len(closers) and bisect_right(breaks, closers[place]) == bisect_right(breaks, opening):
            done = closers[place] + length
            yield (opening, done)
