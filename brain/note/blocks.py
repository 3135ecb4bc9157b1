"""The blocks of a note, the passages that search finds and citations name.

A paragraph, a list or a fence is a block of its own, so that a new paragraph changes no other block. Headings are in
`heading_path`, not in the text, save for a heading with nothing under it, which is a block itself.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from blake3 import blake3

from brain.note.structure import Structure, scan
from brain.note.tokens import bytes_in

MAX_TOKENS: Final = 512
_MAX_BYTES: Final = bytes_in(MAX_TOKENS)
_LONGEST_SIGN: Final = 4
_BLANK_LINES: Final = re.compile(r"\n\s*\n")
_SENTENCE_END: Final = re.compile(r"[.!?…。！？]['\"”’»)]?\s")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Block:
    """A passage: `text` is the body from `start` to `end`, `line` counts from 1."""

    ordinal: int
    start: int
    end: int
    line: int
    heading_path: tuple[str, ...]
    text: str


def split(body: str, structure: Structure | None = None) -> tuple[Block, ...]:
    """Return the blocks of a body in order, each of at most 512 approximate tokens."""
    structure = structure or scan(body)
    blocks: list[Block] = []
    line, seen = 1, 0
    for start, end, path in _passages(body, structure):
        for begin, stop in _cut(body, start, end):
            line, seen = line + body.count("\n", seen, begin), begin
            blocks.append(Block(len(blocks), begin, stop, line, path, body[begin:stop]))
    return tuple(blocks)


def citation(ring: int, note_key: str, twin: int, text: str) -> str:
    """Return the citation of a block; `twin` is its ordinal among the note's blocks of equal text."""
    return f"r{ring}-{fingerprint(note_key, twin, text)}"


def fingerprint(note_key: str, twin: int, text: str) -> str:
    """Return the part of a citation by which a block is looked up; the ring before it is not compared."""
    return blake3(f"{note_key}\0{twin}\0{text}".encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _passages(body: str, structure: Structure) -> Iterator[tuple[int, int, tuple[str, ...]]]:
    """Yield each passage between blank lines, its ends trimmed, with the headings above it."""
    fences = structure.fences
    position = 0
    path: tuple[str, ...] = ()
    alone: Span | None = None
    stops = [(one.start, one.content_start, one.path) for one in structure.headings]
    for start, content, below in [*stops, (len(body), len(body), ())]:
        found = list(_between(body, position, start, fences))
        if not found and alone:
            yield (*alone, path)
        for begin, stop in found:
            yield begin, stop, path
        position, path, alone = content, below, _trimmed(body, start, content)


def _between(body: str, start: int, end: int, fences: tuple[Span, ...]) -> Iterator[Span]:
    number = bisect_left(fences, (start, start))
    position = start
    while number < len(fences) and fences[number][0] < end:
        yield from _paragraphs(body, position, fences[number][0])
        yield from _whole(body, *fences[number])
        position = fences[number][1]
        number += 1
    yield from _paragraphs(body, position, end)


def _paragraphs(body: str, start: int, end: int) -> Iterator[Span]:
    position = start
    while match := _BLANK_LINES.search(body, position, end):
        yield from _whole(body, position, match.start())
        position = match.end()
    yield from _whole(body, position, end)


def _whole(body: str, start: int, end: int) -> Iterator[Span]:
    span = _trimmed(body, start, end)
    if span:
        yield span


def _trimmed(body: str, start: int, end: int) -> Span | None:
    text = body[start:end]
    kept = text.lstrip()
    if not kept:
        return None
    start += len(text) - len(kept)
    return start, start + len(kept.rstrip())


def _cut(body: str, start: int, end: int) -> Iterator[Span]:
    """Cut a passage that is too long after a line, else a sentence, else a word, else between two signs."""
    while not _fits(body[start : min(end, start + _MAX_BYTES + 1)]):
        stop = start + _cut_place(body[start : min(end, start + _MAX_BYTES)])
        yield from _whole(body, start, stop)
        start = stop
    yield from _whole(body, start, end)


def _fits(text: str) -> bool:
    if len(text) * _LONGEST_SIGN <= _MAX_BYTES:
        return True
    return (len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))) <= _MAX_BYTES


def _cut_place(text: str) -> int:
    """Return after how many signs to cut a text so that what stands before fits."""
    head = text.encode("utf-8", "surrogatepass")[:_MAX_BYTES].decode("utf-8", "ignore")
    least = len(head) // 4
    line = head.rfind("\n") + 1
    if line > least:
        return line
    sentence = max((match.end() for match in _SENTENCE_END.finditer(head, least)), default=0)
    return sentence or head.rfind(" ", least) + 1 or max(1, len(head))
