"""The names of private notes, and taking them out of what leaves.

A name is found as whole words, accents, case and width aside, whatever stands between the words or nothing at all, and
also behind percent signs and HTML entities.
A note whose frontmatter cannot be read counts as private here: nobody knows what it would say.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

from brain.index import database
from llm.folding import fold

HIDDEN: Final = "[nota privada]"  # in the brain's language, whatever the question's: it is part of what is sent
SHORT: Final = 6  # letters and digits below which a name is not replaced: the passage does not leave
_WORD: Final = re.compile(r"[^\W_]+")
_CODED: Final = re.compile(r"(?:%[0-9A-Fa-f]{2})+|&(?:#[0-9]{1,7}|#[xX][0-9A-Fa-f]{1,6}|[A-Za-z]{2,31}[0-9]{0,2});")
_NO_SPACES: Final = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_SOURCE: Final = "FROM note n JOIN name m ON m.note = n.note WHERE (n.private OR n.frontmatter_error IS NOT NULL)"

Words = tuple[str, ...]


class Cut(NamedTuple):
    """A name that was replaced: where the mark stands, and where the name stood."""

    start: int
    end: int
    was_start: int
    was_end: int


@dataclass(frozen=True)
class Masked:
    """A text as it leaves, with the way back to the text as it is."""

    text: str
    cuts: tuple[Cut, ...] = ()

    def original(self, start: int, end: int) -> tuple[int, int]:
        """Return where a stretch of the text stood before; one that touches a mark takes in the whole name."""
        return self._before(start, is_end=False), self._before(end, is_end=True)

    def part(self, start: int, end: int) -> Masked:
        """Return a stretch of the text; no mark may stand across its ends."""
        cuts = [one for one in self.cuts if start <= one.start and one.end <= end]
        base = self.original(start, start)[0] if start else 0
        moved = (Cut(a - start, b - start, c - base, d - base) for a, b, c, d in cuts)
        return Masked(self.text[start:end], tuple(moved))

    def _before(self, place: int, *, is_end: bool) -> int:
        shift = 0
        for cut in self.cuts:
            if place <= cut.start:
                break
            if place < cut.end:
                return cut.was_end if is_end else cut.was_start
            shift = cut.was_end - cut.end
        return place + shift


@dataclass(frozen=True)
class PrivateNames:
    """The names that do not leave, by their first word; those in scripts without spaces apart."""

    long: Mapping[str, tuple[Words, ...]]
    short: Mapping[str, tuple[Words, ...]]
    unspaced: tuple[str, ...] = ()

    def mask(self, text: str) -> Masked | None:
        """Return a text without the names, None where it has a short one and does not leave at all."""
        if not (self.long or self.short or self.unspaced):
            return Masked(text)
        folded = _Folded.of(text)
        if any(True for _span in _met(folded, self.short)):
            return None
        spans = sorted([*_met(folded, self.long), *_unspaced(folded, self.unspaced)])
        if any(len(name) < SHORT and name in folded.text for name in self.unspaced):
            return None
        return _replaced(text, (folded.original(*span) for span in spans))

    def are_in(self, text: str) -> bool:
        """Tell whether a text has one of the names."""
        masked = self.mask(text)
        return masked is None or bool(masked.cuts)


def known() -> PrivateNames:
    """Return the names of this brain's private notes: title, other names, path and every end of it, file name."""
    rows = database.query(f"SELECT DISTINCT m.key {_SOURCE} AND m.kind <> 'id'")
    titles = database.query(f"SELECT DISTINCT n.title {_SOURCE}")
    return of(str(text) for (text,) in (*rows, *titles))


def of(names: Iterable[str]) -> PrivateNames:
    """Return what finds these names."""
    long: dict[str, set[Words]] = {}
    short: dict[str, set[Words]] = {}
    unspaced: set[str] = set()
    for name in names:
        text = fold("".join(map(_plain, name))).text.strip()
        words = tuple(_WORD.findall(text))
        if not words:
            continue
        if _NO_SPACES.search(text):
            unspaced.add(text)
            continue
        together = "".join(words)
        for form in (words, (together,)):
            group = short if len(together) < SHORT else long
            group.setdefault(form[0], set()).add(form)
    return PrivateNames(_longest_first(long), _longest_first(short), tuple(sorted(unspaced, key=len, reverse=True)))


def _longest_first(names: Mapping[str, set[Words]]) -> dict[str, tuple[Words, ...]]:
    return {first: tuple(sorted(ones, key=len, reverse=True)) for first, ones in names.items()}


class _Folded(NamedTuple):
    """A text as names are looked for in it, its words, and the way back."""

    text: str
    words: list[re.Match[str]]
    starts: tuple[int, ...]
    ends: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> _Folded:
        plain, starts, ends = _decoded(text)
        folded = fold(plain)
        return cls(
            folded.text,
            list(_WORD.finditer(folded.text)),
            tuple(starts[one] for one in folded.starts),
            tuple(ends[one - 1] for one in folded.ends),
        )

    def original(self, start: int, end: int) -> tuple[int, int]:
        return self.starts[start], self.ends[end - 1]


def _decoded(text: str) -> tuple[str, list[int], list[int]]:
    """Return a text with what stands behind percent signs and entities read, and where each sign begins and ends."""
    signs: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    for start, end, read in _pieces(text):
        signs += read
        starts += [start] * len(read)
        ends += [end] * len(read)
    return "".join(signs), starts, ends


def _pieces(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the pieces of a text that stand for one or more signs each, and these."""
    place = 0
    for found in _CODED.finditer(text):
        read = _read(found[0])
        if read is None:
            continue
        yield from ((one, one + 1, _plain(text[one])) for one in range(place, found.start()))
        yield found.start(), found.end(), "".join(map(_plain, read))
        place = found.end()
    yield from ((one, one + 1, _plain(text[one])) for one in range(place, len(text)))


def _plain(sign: str) -> str:
    """Return a sign without its width; one by one, so that each keeps its place."""
    return sign if sign.isascii() else unicodedata.normalize("NFKC", sign)


def _read(coded: str) -> str | None:
    if coded.startswith("&"):
        read = html.unescape(coded)
        return read if read != coded else None
    try:
        return bytes.fromhex(coded.replace("%", "")).decode()
    except UnicodeDecodeError:
        return None


def _met(folded: _Folded, names: Mapping[str, tuple[Words, ...]]) -> Iterator[tuple[int, int]]:
    """Yield where the names stand in the folded text, the longest at each place."""
    words = [found[0] for found in folded.words]
    place = 0
    while place < len(words):
        met = next(
            (name for name in names.get(words[place], ()) if tuple(words[place : place + len(name)]) == name), None
        )
        if met is None:
            place += 1
            continue
        yield folded.words[place].start(), folded.words[place + len(met) - 1].end()
        place += len(met)


def _unspaced(folded: _Folded, names: Iterable[str]) -> Iterator[tuple[int, int]]:
    for name in names:
        place = folded.text.find(name)
        while place >= 0:
            yield place, place + len(name)
            place = folded.text.find(name, place + len(name))


def _replaced(text: str, spans: Iterable[tuple[int, int]]) -> Masked:
    pieces: list[str] = []
    cuts: list[Cut] = []
    reached = size = 0
    for start, end in spans:
        if start < reached:
            continue
        pieces += (text[reached:start], HIDDEN)
        size += start - reached
        cuts.append(Cut(size, size + len(HIDDEN), start, end))
        size += len(HIDDEN)
        reached = end
    return Masked("".join([*pieces, text[reached:]]), tuple(cuts))
