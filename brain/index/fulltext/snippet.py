"""The passage of a note that answers best: where the most and the rarest of the words stand together."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from brain.index.fulltext.stems import folded, forms

OPEN: Final = "\x02"
CLOSE: Final = "\x03"
LONGEST: Final = 300
_LEAD: Final = 80  # how much of what stands before the first word is shown
_START: Final = 3  # letters by which a word is found before it is looked at
_ACCENTS: Final = "\u0300-\u036f"
_APART: Final = re.compile(f"[{_ACCENTS}]")
_BEYOND: Final = re.compile("[\u0100-\u036f\u1e00-\u1eff]")  # letters and accents that need more than a byte
_WORD: Final = re.compile(r"[^\W_]+")
_MARK: Final = re.compile(f"{OPEN}([^{CLOSE}]*){CLOSE}")
_BREAK: Final = re.compile(r"\n[ \t\r]*\n")
_BLANKS: Final = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Snippet:
    """A passage with « » around what was found, and the place in the body of the rarest word in it."""

    text: str
    place: int


@dataclass(frozen=True, slots=True)
class Mark:
    """A word that was found: where it stands in the text, and which word it is."""

    start: int
    end: int
    word: str


@dataclass(frozen=True, slots=True)
class Sought:
    """What is to be marked, all folded: words as they are, words with one of these forms, words that begin so."""

    words: frozenset[str] = frozenset()
    forms: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()

    def starts(self) -> frozenset[str]:
        """Return how every word begins that may be meant."""
        return frozenset(word[:_START] for word in (*self.words, *self.forms, *self.beginnings))

    def has(self, word: str) -> bool:
        """Tell whether a folded word is meant."""
        if word in self.words or any(map(word.startswith, self.beginnings)):
            return True
        return bool(self.forms) and not self.forms.isdisjoint((word, *forms(word)))


def cut(highlighted: str, runs: Sequence[str] = (), *, longest: int = LONGEST) -> Snippet:
    """Return the best passage of a text in which `OPEN` and `CLOSE` mark what was found; `runs` are looked for here."""
    body, marks = _taken_apart(highlighted)
    if runs:
        marks = sorted([*marks, *_found(body, runs)], key=lambda mark: mark.start)
    return _passage(body, marks, longest)


def cut_plain(body: str, sought: Sought, runs: Sequence[str] = ()) -> Snippet:
    """Return the best passage of a text that is not marked: what is sought is looked for here."""
    marks = _found(body, runs)
    for start, end in _candidates(body, sought.starts()):
        word = folded(body[start:end])
        if sought.has(word):
            marks.append(Mark(start, end, word))
    return _passage(body, sorted(marks, key=lambda mark: mark.start), LONGEST)


def _passage(body: str, marks: Sequence[Mark], longest: int) -> Snippet:
    first, last = _densest(marks, longest - _LEAD) if marks else (0, 0)
    begin, stop = (marks[first].start, marks[last - 1].end) if marks else (0, 0)
    start, end = _bounds(body, begin, stop, longest)
    shown = _marked(body, start, end, [mark for mark in marks if mark.start >= start and mark.end <= end])
    text = _BLANKS.sub(" ", shown).strip()
    before = "… " if body[:start].strip() else ""
    after = " …" if body[end:].strip() else ""
    return Snippet(f"{before}{text}{after}", _rarest(marks, first, last))


def _taken_apart(highlighted: str) -> tuple[str, list[Mark]]:
    marks: list[Mark] = []
    parts: list[str] = []
    seen = length = 0
    for match in _MARK.finditer(highlighted):
        parts += [highlighted[seen : match.start()], match[1]]
        length += match.start() - seen
        marks.append(Mark(length, length + len(match[1]), match[1].lower()))
        length += len(match[1])
        seen = match.end()
    parts.append(highlighted[seen:])
    return "".join(parts), marks


def _found(body: str, runs: Sequence[str]) -> list[Mark]:
    return [Mark(match.start(), match.end(), run) for run in runs for match in re.finditer(re.escape(run), body) if run]


def _candidates(body: str, starts: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Yield the bounds of the words of a text that begin so."""
    if all(map(str.isascii, starts)) and not _BEYOND.search(body):
        yield from _simple_candidates(body, starts)
    elif pattern := _pattern(starts, apart=_APART.search(body) is not None):
        yield from (match.span() for match in pattern.finditer(_plain(body)))


def _simple_candidates(body: str, starts: frozenset[str]) -> Iterator[tuple[int, int]]:
    """Do the same for plain letters in a text of which a byte a sign is enough to find them."""
    plain = (
        body.lower() if body.isascii() else body.encode("latin-1", "replace").translate(_one_byte()).decode("latin-1")
    )
    seen: set[int] = set()
    for start in starts:
        place = plain.find(start)
        while place >= 0:
            if place not in seen and not (place and body[place - 1].isalnum()):
                seen.add(place)
                yield place, _word_end(body, place)
            place = plain.find(start, place + 1)


def _word_end(body: str, place: int) -> int:
    found = _WORD.match(body, place)
    return found.end() if found else place


@cache
def _one_byte() -> bytes:
    """Return the plain small letter of each sign of Latin-1."""
    small = (chr(_letters().get(code, code)).lower() for code in range(0x100))
    return b"".join(sign.encode("latin-1", "replace") for sign in small)


@lru_cache(maxsize=256)
def _pattern(starts: frozenset[str], *, apart: bool) -> re.Pattern[str] | None:
    """Return what matches the words of a plain text that begin so; `apart` where accents may follow their letters."""
    if not starts:
        return None
    written = (map(re.escape, start) for start in sorted(starts))
    either = "|".join((f"[{_ACCENTS}]*" if apart else "").join([*letters, ""]) for letters in written)
    return re.compile(rf"(?<![^\W_])(?:{either})(?:[^\W_]|[{_ACCENTS}])*", re.IGNORECASE)


def _plain(body: str) -> str:
    """Return a text of the same length with each accented letter as the plain one that the tokenizer takes it for."""
    return body if body.isascii() else body.translate(_letters())


@cache
def _letters() -> dict[int, int]:
    """Return the plain letter of each Latin one; plain ones are there too, because a miss costs the most."""
    codes = (*range(0x250), *range(0x1E00, 0x1F00))
    found = {code: ord(unicodedata.normalize("NFKD", chr(code))[0]) for code in codes}
    return {code: plain if plain < 0x80 else code for code, plain in found.items()}


def _densest(marks: Sequence[Mark], width: int) -> tuple[int, int]:
    """Return which marks the best stretch of a width holds: words that are rare in the note count more."""
    total = Counter(mark.word for mark in marks)
    inside: Counter[str] = Counter()
    best, chosen, score, last = 0.0, (0, 1), 0.0, 0
    for first, mark in enumerate(marks):
        while last < len(marks) and (last <= first or marks[last].end - mark.start <= width):
            word = marks[last].word
            score += 0.0 if inside[word] else 1.0 / total[word]
            score += 0.001
            inside[word] += 1
            last += 1
        if score > best + 1e-9:
            best, chosen = score, (first, last)
        inside[mark.word] -= 1
        score -= 0.001 + (0.0 if inside[mark.word] else 1.0 / total[mark.word])
    return chosen


def _rarest(marks: Sequence[Mark], first: int, last: int) -> int:
    total = Counter(mark.word for mark in marks)
    inside = marks[first:last]
    return min(inside, key=lambda mark: (total[mark.word], mark.start)).start if inside else 0


def _bounds(body: str, first: int, last: int, longest: int) -> tuple[int, int]:
    """Return a passage around the words from `first` to `last`, cut at a paragraph, else between two words."""
    if len(body) <= longest:
        return 0, len(body)
    floor = max(0, first - _LEAD)
    breaks = [match.end() for match in _BREAK.finditer(body, floor, first)]
    start = breaks[-1] if breaks else _after_blank(body, floor, first)
    limit = min(len(body), max(start + longest, min(last, first + longest)))
    following = _BREAK.search(body, min(last, limit), limit)
    end = following.start() if following and following.start() - start > longest // 2 else limit
    return start, _before_blank(body, end, max(min(last, limit), start))


def _after_blank(body: str, floor: int, first: int) -> int:
    if floor == 0:
        return 0
    found = _BLANKS.search(body, floor, first)
    return found.end() if found else first


def _before_blank(body: str, end: int, floor: int) -> int:
    if end >= len(body) or body[end].isspace():
        return end
    place = max(body.rfind(" ", floor, end), body.rfind("\n", floor, end))
    return place if place > floor else end


def _marked(body: str, start: int, end: int, marks: Sequence[Mark]) -> str:
    parts: list[str] = []
    seen = start
    for mark in marks:
        if mark.start < seen:
            continue
        parts += [body[seen : mark.start], "«", body[mark.start : mark.end], "»"]
        seen = mark.end
    return "".join([*parts, body[seen:end]])
