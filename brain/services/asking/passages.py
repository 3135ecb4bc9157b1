"""Which passages of the notes that were found may leave, and how they read then.

Each is decided on the file as it is now, never on what the index remembers of it. What may not leave is counted by its
reason, and the next note takes its place.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date
from typing import Final, Literal

from brain import config
from brain.guard import control_files, paths, secrets
from brain.guard.llm_policy import LlmPolicy
from brain.index import notes
from brain.note import document, fields, structure, tokens
from brain.note.document import Document
from brain.note.fields import Fields
from brain.note.validity import validity
from brain.services import views
from brain.services.asking.private_names import Masked, PrivateNames
from brain.services.asking.retrieval import Candidate
from brain.store import files, tree
from llm import prompt

Reason = Literal["private", "policy", "secret", "control", "budget", "unreadable"]
MOST_BYTES: Final = 2_000_000  # of a larger file nothing leaves: it is not read whole to judge it
_WINDOW: Final = 12_000  # characters of a section that are looked at, around what was found
_SHARE: Final = 0.4  # of the budget that one passage takes at most
_LEAST: Final = 40  # approximate tokens of text below which a passage is not worth its place
_HEAD: Final = 60  # approximate tokens of the lines around a passage, but for its names


@dataclass(frozen=True)
class Passage:
    """A passage as it leaves, and the note that it is of; `text` leads back to the note's own words in `source`."""

    sent: prompt.Passage
    text: Masked
    source: str
    path: str
    note: Fields
    headings: tuple[str, ...]
    validity: str
    trust: str
    is_related: bool


@dataclass(frozen=True)
class Material:
    """What may leave, and how many passages may not, by reason."""

    passages: tuple[Passage, ...]
    omitted: Counter[Reason] = field(default_factory=Counter)


@dataclass(frozen=True)
class Rules:
    """What is asked of everything that leaves."""

    policy: LlmPolicy
    names: PrivateNames
    on: date


def choose(candidates: Iterable[Candidate], rules: Rules, *, most: int, budget: int, share: float = _SHARE) -> Material:
    """Return the first passages that may leave and have room in the budget, labelled in their order.

    No passage takes more than its share of the budget.
    """
    kept: list[Passage] = []
    omitted: Counter[Reason] = Counter()
    left = budget
    for candidate in candidates:
        if len(kept) == most:
            break
        found = _judged(candidate, rules)
        if not isinstance(found, _Piece):
            omitted[found] += 1
            continue
        passage = _fitted(found, f"S{len(kept) + 1}", min(left, int(budget * share)), rules)
        if passage is None:
            omitted["budget"] += 1
            continue
        left -= tokens.count(passage.sent.sent) + _overhead(found)
        kept.append(passage)
    return Material(tuple(kept), omitted)


@dataclass(frozen=True)
class _Piece:
    """A section that may leave: its own text, the text without private names, and where in that it was found."""

    candidate: Candidate
    note: Fields
    trust: str
    headings: tuple[str, ...]
    source: str
    text: Masked
    shown_path: str
    shown_title: str
    shown_origin: str
    shown_headings: tuple[str, ...]
    place: int


def _judged(candidate: Candidate, rules: Rules) -> _Piece | Reason:
    """Return the piece of a note that may leave, or why none may."""
    path = candidate.row.path
    if not paths.is_note(path) or _is_control(path):
        return "control"
    raw = _read(path)
    if raw is None:
        return "unreadable"
    note = document.parse(raw)
    if note.error or note.lossy:
        return "unreadable"
    found = fields.read(note, path)
    if found.private:
        return "private"
    trust = views.trust_of(found.trust, path)
    if rules.policy.excludes(path=path, type_=found.type, trust=trust):
        return "policy"
    return _piece(candidate, note, found, trust, rules.names)


def _is_control(path: str) -> bool:
    return control_files.is_control(path) or control_files.is_agent_file(path) or paths.is_conflict_copy(path)


def _read(path: str) -> bytes | None:
    root = config.here().root
    entry = tree.entry(root, path)
    return files.read(root, path) if entry is not None and entry.size <= MOST_BYTES else None


def _piece(
    candidate: Candidate, note: Document, found: Fields, trust: str, names: PrivateNames
) -> _Piece | Literal["secret", "private"]:
    start, end, headings, place = _section(candidate, note)
    source = note.body[start:end]
    if not source.strip():
        source, place = views.text_of(note), 0
        start = end = -1
    labels = [candidate.row.path, found.title, found.origin or "human", *headings]
    if _holds_secret(note, start, end, source) or secrets.places("\n".join(labels)):
        return "secret"
    shown, text = [names.mask(_line(label)) for label in labels], names.mask(source)
    if text is None or None in shown:
        return "private"
    path, title, origin, *above = [one.text for one in shown if one is not None]
    return _Piece(candidate, found, trust, headings, source, text, path, title, origin, tuple(above), place)


def _line(text: str) -> str:
    return " ".join(text.split())


def _holds_secret(note: Document, start: int, end: int, source: str) -> bool:
    """Tell whether a secret touches a section, looked for in the whole note; of the block, in what is shown of it."""
    if start < 0:
        return bool(secrets.places(source))
    base = len(note.head)
    return any(first < base + end and last > base + start for first, last in secrets.places(note.text))


def _section(candidate: Candidate, note: Document) -> tuple[int, int, tuple[str, ...], int]:
    """Return the section that was found, no longer than the window, its headings, and where in it the passage is."""
    body = note.body
    found = structure.section(body, " › ".join(candidate.headings)) if candidate.headings else None
    start, end = (found.start, found.end) if found else (0, len(body))
    place = _place(candidate, body)
    place = place if start <= place < end else start
    if end - start > _WINDOW:
        first = max(start, place - _WINDOW // 4)
        first = start if first == start else body.rfind("\n", start, first) + 1 or first
        last = min(end, first + _WINDOW)
        last = end if last == end else body.rfind("\n", place + 1, last) + 1 or last
        start, end = first, last
    return start, end, found.path if found else (), place - start


def _place(candidate: Candidate, body: str) -> int:
    """Return where in a body the passage begins that was found, 0 where that is not known any more."""
    cited = notes.by_citation(candidate.citation) if candidate.citation else None
    if cited is None or cited[0].path != candidate.row.path or cited[1] >= len(body):
        return 0
    return cited[1]


def _fitted(piece: _Piece, label: str, room: int, rules: Rules) -> Passage | None:
    """Return a piece as it leaves, cut to its room at the ends of lines or words, None where hardly any is left."""
    text = _cut(piece, room - _overhead(piece))
    if text is None or not text.text.strip():
        return None
    row = piece.candidate.row
    standing = validity(piece.note, rules.on).value
    sent = prompt.Passage(
        label=label,
        path=piece.shown_path,
        title=piece.shown_title,
        headings=piece.shown_headings,
        text=text.text,
        type=piece.note.type or "note",
        validity=standing,
        trust=piece.trust,
        origin=piece.shown_origin,
        is_outside=is_outside(piece.note, row.path),
    )
    return Passage(
        sent,
        text,
        piece.source,
        row.path,
        piece.note,
        piece.headings,
        standing,
        piece.trust,
        piece.candidate.is_related,
    )


def is_outside(note: Fields, path: str) -> bool:
    """Tell whether a note's words are somebody else's: outside material, or made of it."""
    return paths.is_raw(path) or (note.origin or "").startswith("ingest:")


def _overhead(piece: _Piece) -> int:
    return _HEAD + tokens.count(" ".join((piece.shown_path, piece.shown_title, *piece.shown_headings)))


def _cut(piece: _Piece, room: int) -> Masked | None:
    whole = piece.text
    if tokens.count(whole.text) <= room:
        return whole
    if room < _LEAST:
        return None
    most = tokens.bytes_in(room)
    start = _start(piece, most)
    end = start + len(whole.text[start : start + most].encode()[:most].decode(errors="ignore"))
    start, end = _at_ends(whole, start, end)
    return whole.part(start, end) if end > start else None


def _start(piece: _Piece, most: int) -> int:
    """Return where a text that is too long is taken from, so that what was found is in it."""
    shift = sum(
        cut.end - cut.start - (cut.was_end - cut.was_start) for cut in piece.text.cuts if cut.was_end <= piece.place
    )
    place = piece.place + shift
    return 0 if place < most // 2 else max(0, place - most // 4)


def _at_ends(whole: Masked, start: int, end: int) -> tuple[int, int]:
    """Return a stretch that begins and ends between words, and has each mark whole or not at all."""
    text = whole.text
    while 0 < start < end and not text[start - 1].isspace():
        start += 1
    if end < len(text):
        line = text.rfind("\n", start, end)
        space = max(text.rfind(" ", start, end), line)
        end = line if line - start > (end - start) // 2 else space if space > start else end
    for cut in whole.cuts:
        if cut.start < start < cut.end:
            start = cut.end
        if cut.start < end < cut.end:
            end = cut.start
    return start, end
