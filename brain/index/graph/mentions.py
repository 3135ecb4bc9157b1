"""Names of notes in the running text of others, outside code and links: accents and case folded, at word bounds."""

# ruff: noqa: S608  (only names of this code's own go into the SQL; values are bound)
from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Final

from brain.index import database, names
from brain.index.fulltext.pieces import RUN, phrase
from brain.index.fulltext.stop_words import STOP_WORDS
from brain.index.names import Candidate
from brain.index.notes import NoteRow
from brain.note import structure

_SHORTEST: Final = 3
_SHORTEST_RUN: Final = 2
_LONGEST_RUN: Final = 8
_MOST_WORDS: Final = 2_000  # of a body, when it is asked which names it holds
_MARKS: Final = re.compile("[\u0300-\u036f]+")
_WORD: Final = re.compile(r"\w+")
_ELSEWHERE: Final = re.compile(r"\[[^\]\n]{0,500}\]\([^)\s]{0,2000}\)|https?://\S+|`[^`\n]*`")
_EDGES: Final = ".,;:!?()[]{}\"'«»“”‘’…*_~|<>"
_BLANK: Final = "\x01"  # no part of a word, and no space, so that no name reaches across it
_NOT_SIGN: Final = re.compile(r"[^\n]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A name of the note `target` in the text of the note `source`, first in this line of its file."""

    source: str
    target: str
    key: str
    line: int


class Prose:
    """The running text of a body, folded as names are; code, links and addresses are blanks in it."""

    __slots__ = ("_body", "_text")

    def __init__(self, body: str) -> None:
        self._body = body
        self._text: str | None = None

    @property
    def text(self) -> str:
        """The text, with the lines of the body."""
        if self._text is None:
            self._text = _folded(_without_code_and_links(self._body))
        return self._text

    def line_of(self, key: str) -> int | None:
        """Return the first line that has a name, as words of its own; None where none does."""
        match = _pattern(key).search(self.text)
        return None if match is None else self.text.count("\n", 0, match.start()) + 1

    def place_of(self, key: str) -> tuple[int, int] | None:
        """Return where a name stands first in the body itself, as words of its own; None where it does not."""
        match = _pattern(key).search(self.text)
        if match is None:
            return None
        plain = _without_code_and_links(self._body)
        places = [place for place, sign in enumerate(plain) for _one in _folded(sign)]
        return (places[match.start()], places[match.end() - 1] + 1) if len(places) == len(self.text) else None

    def beginnings(self) -> tuple[set[str], set[str]]:
        """Return the words that may be a name by themselves, and the pairs of words with which one may begin."""
        words = self.text.split()[:_MOST_WORDS]
        text = " ".join(words)
        singles = {*_WORD.findall(text), *(word.strip(_EDGES) for word in set(words) if not word.isalnum())}
        singles = {word for word in singles if len(word) >= _SHORTEST and word not in STOP_WORDS}
        for run in set(RUN.findall(text)):
            for first in range(len(run)):
                singles.update(run[first : first + size] for size in range(_SHORTEST_RUN, _LONGEST_RUN + 1))
        pairs = {f"{one.lstrip(_EDGES)} {other.rstrip(_EDGES)}" for one, other in pairwise(words)}
        return singles, {pair for pair in pairs if pair[0].isalnum()}


def is_telling(key: str) -> bool:
    """Tell whether a name is long and particular enough to be looked for: no mere number, no word of every text."""
    if RUN.search(key):
        return len(key) >= _SHORTEST_RUN
    return len(key) >= _SHORTEST and not key.isdigit() and not STOP_WORDS.issuperset(key.split())


def candidates(keys: Iterable[str], *, limit: int = -1) -> list[tuple[str, int]]:
    """Return names and the notes whose text may have them, by the full text alone; archived and raw ones too."""
    pairs = [[key, expression] for key in keys if is_telling(key) and (expression := _expression(key))]
    if not pairs:
        return []
    return [(str(key), int(note)) for key, note in database.query(
        "SELECT json_extract(j.value, '$[0]'), f.rowid FROM json_each(%s) j "
        "JOIN fulltext f ON f.fulltext MATCH json_extract(j.value, '$[1]') LIMIT %s",
        (json.dumps(pairs), limit),
    )]  # fmt: skip


def of_note(note: NoteRow, *, linked: Iterable[str], limit: int) -> tuple[list[Mention], bool]:
    """Return the notes that mention a note and do not link to it, and whether there may be more."""
    keys = [row[0] for row in database.query(
        "SELECT key FROM name WHERE note = %s AND kind IN ('title', 'alias') ORDER BY row", (note.note,)
    )]  # fmt: skip
    bearers = names.bearers(keys)
    found = candidates(keys, limit=limit)
    texts = _texts({number for _key, number in found})
    known = {*linked, note.path}
    mentions: dict[str, Mention] = {}
    for key, number in found:
        path, body, start = texts.get(number, ("", "", 1))
        if not path or path in known or path in mentions or not _means(bearers, key, path, note.path):
            continue
        line = Prose(body).line_of(key)
        if line is not None:
            mentions[path] = Mention(path, note.path, key, start + line - 1)
    return sorted(mentions.values(), key=lambda one: one.source), len(found) >= limit


def in_note(note: NoteRow, *, linked: Iterable[str]) -> list[Mention]:
    """Return the notes whose names a note has in its text without a link to them; none of a raw one."""
    _path, body, start = _texts({note.note}).get(note.note, ("", "", 1))
    return in_text(body, of=note.path, linked=linked, first_line=start)


def in_text(body: str, *, of: str, linked: Iterable[str] = (), first_line: int = 1) -> list[Mention]:
    """Return the notes whose names a text has; `of` is the path of its note, and lines count from `first_line`."""
    prose = Prose(body)
    bearers = _bearers(*prose.beginnings())
    known = {*linked, of}
    mentions: dict[str, Mention] = {}
    for key in sorted(bearers, key=lambda one: (-len(one), one)):
        met = names.best(bearers[key], target=key, near=of)
        if met is None or met.archived or met.path in known or met.path in mentions:
            continue
        line = prose.line_of(key)
        if line is not None:
            mentions[met.path] = Mention(of, met.path, key, first_line + line - 1)
    return sorted(mentions.values(), key=lambda one: (one.line, one.target))


def _means(bearers: dict[str, list[Candidate]], key: str, near: str, wanted: str) -> bool:
    met = names.best(bearers.get(key, ()), target=key, near=near)
    return met is not None and met.path == wanted


def _bearers(singles: set[str], pairs: set[str]) -> dict[str, list[Candidate]]:
    """Return which notes bear a title or alias that is one of these words, or begins with one of these pairs."""
    there = [str(row[0]) for row in database.query(
        "SELECT m.key FROM json_each(%s) j CROSS JOIN name m ON m.key = j.value WHERE m.kind IN ('title', 'alias') "
        "UNION SELECT m.key FROM json_each(%s) j CROSS JOIN name m ON m.key >= j.value AND m.key < j.value || '@' "
        "WHERE m.kind IN ('title', 'alias')",  # '@' comes after blank, digits and signs, and before every letter
        (json.dumps(list(singles)), json.dumps(list(pairs))),
    )]  # fmt: skip
    return names.bearers([key for key in there if is_telling(key)])


def _texts(numbers: Iterable[int]) -> dict[int, tuple[str, str, int]]:
    """Return path, body and its first line of notes that are neither archived nor raw."""
    ordered = sorted(numbers)
    return {note: (path, body, start) for note, path, body, start in _read_texts(ordered)}


def _read_texts(ordered: list[int]) -> Iterator[database.Row]:
    for first in range(0, len(ordered), 400):
        some = ordered[first : first + 400]
        yield from database.query(
            "SELECT n.note, n.path, f.body, n.body_line FROM note n JOIN fulltext f ON f.rowid = n.note "
            f"WHERE NOT n.archived AND n.path NOT LIKE 'raw/%%' AND n.note IN ({', '.join(['%s'] * len(some))})",
            some,
        )


def _expression(key: str) -> str:
    """Return what finds a name in the full text: its words side by side, or the pairs of a run without spaces."""
    runs = RUN.findall(key)
    if runs:
        return " AND ".join(phrase(run) for run in runs)
    return f'body : "{key.replace(chr(34), " ")}"' if _WORD.search(key) else ""


@lru_cache(maxsize=4096)
def _pattern(key: str) -> re.Pattern[str]:
    words = r"\s+".join(map(re.escape, key.split()))
    before = r"(?<!\w)" if _needs_bound(key[0]) else ""
    after = r"(?!\w)" if _needs_bound(key[-1]) else ""
    return re.compile(f"{before}{words}{after}")


def _needs_bound(sign: str) -> bool:
    return _WORD.match(sign) is not None and RUN.match(sign) is None


def _folded(text: str) -> str:
    """Fold a text as names are folded, its line ends kept."""
    if text.isascii():
        return text.lower()
    plain = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return _MARKS.sub("", plain)


def _without_code_and_links(body: str) -> str:
    if "`" in body or "~~~" in body or "[" in body:
        shape = structure.scan(body)
        spans = sorted({*shape.code, *((link.start, link.end) for link in shape.links)})
        parts, seen = [], 0
        for start, end in spans:
            if start >= seen:
                parts += [body[seen:start], _blank(body[start:end])]
                seen = end
        body = "".join([*parts, body[seen:]])
    return _ELSEWHERE.sub(lambda match: _blank(match[0]), body) if "://" in body or "](" in body else body


def _blank(text: str) -> str:
    return _NOT_SIGN.sub(_BLANK, text)
