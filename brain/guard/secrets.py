"""Find what looks like a secret, in any text, without ever repeating it.

Zero-width characters, full-width letters, and a line break or a Markdown backslash inside a token with a fixed prefix
do not hide it. Known limits: a token written in HTML entities or in base64 is not found, nor is a password of plain
words or of digits alone.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Final

from brain.guard.secret_names import Span, named
from brain.guard.secret_rules import MARKERS, Rule
from brain.guard.secret_values import is_mixed_token
from brain.guard.spelling import INVISIBLE, LOOKALIKE, plain_letters

ALLOWED: Final = "cabecao:allow-secret"
TAKEN_OUT: Final = "•••"
# What is drawn as nothing, and the backslash with which Markdown keeps a sign from being markup.
_HIDDEN: Final = re.compile(rf"{INVISIBLE.pattern}|\\(?=[_.-])")
_ODD: Final = re.compile(f"{INVISIBLE.pattern}|{LOOKALIKE.pattern}")
_MARGIN: Final = " \t>"  # what an indent, a quotation or a hard break leaves at the ends of a line
_SHORTEST: Final = 18  # characters of the shortest token with a fixed prefix, and of the longest
_LONGEST: Final = 13_000
_LINES_TRIED: Final = 4
_ECHO: Final = 6  # signs in a row of a secret that are too many to repeat
_ARMOUR: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|PuTTY-User-Key-File-[0-9]+:")
_CLOSING: Final = re.compile(r"-----END [^\n]*")
_ARMOURED: Final = re.compile(r"[A-Za-z0-9+/]{16,}")
_ARMOUR_LENGTH: Final = 4_000


@dataclass(frozen=True, order=True)
class Finding:
    """Where a rule found a secret, counted from 1 in lines and characters; the value is not kept."""

    rule: str
    line: int
    column: int


def scan(text: str, *, human: bool = False, known: str = "") -> list[Finding]:
    """Return what looks like a secret, in order; `cabecao:allow-secret` clears its line for a person alone.

    A secret that `known` holds as well, such as the text before an edit, is not found again.
    """
    return [
        Finding(span.rule, line, span.start - start + 1) for span, line, start in _found(text, human=human, known=known)
    ]


def places(text: str) -> list[tuple[int, int]]:
    """Return where in a text something looks like a secret, in order; no line is cleared, and a key's end is in it."""
    found = []
    for span, _line, _start in _found(text, human=False, known=""):
        closing = _CLOSING.match(text, span.end)
        found.append((span.start, closing.end() if closing else span.end))
    return found


def without(text: str, *, known: str = "") -> str:
    """Return a person's text with what looks like a secret taken out of it, so that it can be shown again."""
    for _again in range(_LINES_TRIED):
        spans = [span for span, _line, _start in _found(text, human=True, known=known)]
        if not spans:
            return text
        for span in reversed(spans):
            text = text[: span.start] + TAKEN_OUT + text[span.end :]
    return ""


def is_echoed(text: str, other: str) -> bool:
    """Tell whether a secret of a text stands in another one too, also without its signs, as in a name made of it."""
    plain = _letters(other)
    values = (_letters(text[span.start : span.end]) for span, _line, _start in _found(text, human=False, known=""))
    return any(
        value[place : place + _ECHO] in plain for value in values for place in range(max(1, len(value) - _ECHO + 1))
    )


def _letters(text: str) -> str:
    return "".join(sign for sign in text.lower() if sign.isalnum())


def _found(text: str, *, human: bool, known: str) -> Iterator[tuple[Span, int, int]]:
    """Yield what looks like a secret, its line, and where that line begins."""
    spans = list(_apart(_spans(text)))
    there = {known[span.start : span.end] for span in _spans(known)} if known and spans else set()
    lines = [0, *(found.end() for found in re.finditer(r"\r\n?|\n", text)), len(text)] if spans else []
    for span in spans:
        line = bisect_right(lines, span.start, hi=len(lines) - 1)
        cleared = human and ALLOWED in text[lines[line - 1] : lines[line]]
        if not cleared and text[span.start : span.end] not in there:
            yield span, line, lines[line - 1]


def _spans(text: str) -> list[Span]:
    """Return places in the text as given, the most telling rule first where two find the same."""
    plain = _plain(text)
    joined = "".join([line.strip(_MARGIN) for line in plain.splitlines()]) if "\n" in plain or "\r" in plain else plain
    words = " ".join([word for word in joined.split() if len(word) >= _SHORTEST])
    rules = [rule for marker, rule in MARKERS if marker in words] if words else []
    spans = list(_tokens(rules, plain)) if rules else []
    if rules and joined is not plain:
        spans += _broken_tokens(rules, plain, joined)
    if "PRIVATE KEY" in plain or "PuTTY" in plain:
        spans += _private_keys(plain)
    spans += named(plain)
    return _in_original(spans, text) if spans and len(plain) != len(text) else spans


def _plain(text: str) -> str:
    if _is_odd(text):
        return _HIDDEN.sub("", text).translate(plain_letters())
    return _HIDDEN.sub("", text) if "\\" in text else text


def _is_odd(text: str) -> bool:
    if text.isascii():
        return False
    try:
        text.encode("cp1252")
    except UnicodeEncodeError:
        return _ODD.search(text) is not None
    return "\u00ad" in text  # the only one of them in Western European text, and far quicker to look for


def _in_original(spans: list[Span], text: str) -> list[Span]:
    cuts = [found.span() for found in _HIDDEN.finditer(text)]
    return _restored(spans, cuts)


def _broken_tokens(rules: list[Rule], plain: str, joined: str) -> Iterator[Span]:
    """Yield the places in `plain` of the tokens that a line break runs through."""
    cuts, edges, place, reached = [], [0], 0, 0
    for line in plain.splitlines(keepends=True):
        bare = line.splitlines()[0]
        kept = bare.strip(_MARGIN)
        if kept:
            start = place + len(bare) - len(bare.lstrip(_MARGIN))
            cuts.append((reached, start))
            reached = start + len(kept)
            edges.append(edges[-1] + len(kept))
        place += len(line)
    for span in _restored(_tokens(rules, joined, edges), cuts):
        if len(plain[span.start : span.end].splitlines()) > 1:
            yield span


def _restored(spans: Iterable[Span], cuts: list[tuple[int, int]]) -> list[Span]:
    """Return places of a text as the places they had before the cuts were taken out of it."""
    lost = [0, *accumulate(end - start for start, end in cuts)]
    starts = [start - before for (start, _end), before in zip(cuts, lost, strict=False)]
    return [
        Span(
            span.start + lost[bisect_right(starts, span.start)],
            span.end + lost[bisect_right(starts, span.end - 1)],
            span.rule,
        )
        for span in spans
    ]


def _tokens(rules: Iterable[Rule], text: str, edges: Sequence[int] = ()) -> Iterator[Span]:
    """Yield the tokens in a text; one may also begin or end at an edge, where lines were joined."""
    for rule in rules:
        place = text.find(rule.marker)
        while place >= 0:
            near = bisect_right(edges, place)
            span = _match(rule, text, place, edges[max(near - 1, 0) : near + _LINES_TRIED])
            if span:
                yield span
            place = text.find(rule.marker, span.end if span else place + len(rule.marker))


def _match(rule: Rule, text: str, place: int, edges: Sequence[int]) -> Span | None:
    start = place
    while start > max(place - rule.digits_before, 0) and text[start - 1].isdigit():
        start -= 1
    cut = start in edges  # what stands before an edge was on another line
    for end in (len(text), *edges):
        stop = min(end, start + _LONGEST)
        found = rule.pattern.match(text[start:stop]) if cut else rule.pattern.match(text, start, stop)
        if found and rule.test(found["body"]):
            return Span(start, start + found.end() - found.start(), rule.name)
    return None


def _private_keys(text: str) -> Iterator[Span]:
    """Yield armoured private keys that hold at least two lines' worth of key; a mere mention does not."""
    for found in _ARMOUR.finditer(text):
        start, limit = found.end(), found.end() + _ARMOUR_LENGTH
        end = text.find("-----", start, limit)
        end = end if end >= 0 else min(limit, len(text))
        key = "".join(_ARMOURED.findall(text, start, end))
        if len(key) >= 32 and is_mixed_token(key):
            yield Span(found.start(), end, "private-key")


def _apart(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield the spans in order without those that overlap an earlier one; of two at one place, the first given."""
    reached = -1
    for span in sorted(spans, key=lambda span: span.start):
        if span.start >= reached:
            yield span
            reached = span.end
