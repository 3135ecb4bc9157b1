"""What the index keeps of a note, taken from its bytes: pure, so that one odd note can hide no other."""

from __future__ import annotations

import json
import logging
import posixpath
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final, NamedTuple

from brain.guard import paths
from brain.index.fulltext import stems
from brain.index.fulltext.pieces import pieces
from brain.index.intake.scanning import KEPT_BYTES, UNREADABLE
from brain.note import blocks, document, fields, likeness, links, rings, schema, structure
from brain.note.document import Document
from brain.note.fields import Fields
from brain.note.structure import Structure
from brain.store.tree import Content

logger = logging.getLogger(__name__)

MOST_OWN_CHARACTERS: Final = 4_000
MOST_OWN_LINKS: Final = 100
_LONGEST_LINE: Final = 1 << 20

# The columns of the table `note` that a file decides, in the order of `Extract.values`.
COLUMNS: Final = (
    "path", "folded_path", "written_id", "title", "type", "scope", "trust", "origin", "edited_by", "approved_by",
    "approved_at", "created", "updated", "valid_from", "valid_until", "expires_at", "superseded", "archived", "private",
    "ring", "subject", "predicate", "object", "text_key", "tags", "sources", "frontmatter_error", "lossy", "cut",
    "confirmed", "pii", "retention", "faulty", "body_line", "size", "mtime_ns", "read_ns", "digest",
)  # fmt: skip


class WrittenLink(NamedTuple):
    """A link as the table `link` holds it."""

    origin: str
    type: str
    target: str
    key: str
    heading: str | None
    line: int | None
    promises: bool


@dataclass(frozen=True, slots=True)
class Extract:
    """One note, ready to be written into the tables."""

    path: str
    written_id: str | None
    mtime_ns: int
    values: tuple[Any, ...]
    names: list[tuple[str, str]]
    links: list[WrittenLink]
    blocks: tuple[blocks.Block, ...]
    title: str
    words: str
    body: str
    pieces: str
    stems: str


def extract(path: str, content: Content, relation_types: tuple[str, ...] = ()) -> Extract:
    """Return what the index keeps of a file; of one that cannot be taken apart, its name and its text."""
    content = _bounded(content)
    try:
        return _of_document(path, content, document.parse(content.raw), relation_types)
    except Exception as error:  # noqa: BLE001 (a note that trips the parser must not stop the rest)
        logger.warning("A note could not be taken apart (%s); it is indexed as plain text.", type(error).__name__)
        return _of_plain_text(path, content, type(error).__name__)


def unreadable(path: str, size: int, mtime_ns: int) -> Extract:
    """Return what the index keeps of a file that is there and cannot be read."""
    return _of_plain_text(path, Content(b"", "", size, mtime_ns, 0, cut=False), UNREADABLE)


def fingerprints(note_key: str, found: tuple[blocks.Block, ...]) -> list[str]:
    """Return the fingerprint of each block, equal texts told apart by their order."""
    seen: Counter[str] = Counter()
    result = []
    for block in found:
        result.append(blocks.fingerprint(note_key, seen[block.text], block.text))
        seen[block.text] += 1
    return result


def _bounded(content: Content) -> Content:
    """Return the first part alone of a text so long, or with a line so long, that it would cost too much."""
    raw = content.raw
    if len(raw) > _LONGEST_LINE and max(map(len, raw.splitlines()), default=0) > _LONGEST_LINE:
        content = replace(content, raw=raw[:KEPT_BYTES], cut=True)
    if not content.cut:
        return content
    return replace(content, raw=_without_half_sign(content.raw))


def _without_half_sign(raw: bytes) -> bytes:
    try:
        raw.decode()
    except UnicodeDecodeError as error:
        return raw[: error.start] if error.start > len(raw) - 4 else raw
    return raw


def _of_document(path: str, content: Content, note: Document, relation_types: tuple[str, ...]) -> Extract:
    shape = structure.scan(note.body)
    known = fields.read(note, path, structure=shape, relation_types=relation_types)
    own = fields.own_keys(note, relation_types=relation_types)
    words = _words(path, known, own)
    if "\\" in note.head:
        f"{known!s}".encode()  # an escape may stand for half a sign, which no database stores
    return Extract(
        path=path,
        written_id=known.id,
        mtime_ns=content.mtime_ns,
        values=_values(path, content, note, known, relation_types),
        names=names_of(path, known),
        links=list(_links(path, note, known, shape, own)),
        blocks=blocks.split(note.body, shape),
        title=known.title,
        words=words,
        body=note.body,
        pieces=pieces(f"{known.title} {words} {note.body}"),
        stems=stems.column(f"{known.title} {words} {note.body}"),
    )


def _of_plain_text(path: str, content: Content, error: str) -> Extract:
    text = content.raw.decode("utf-8", "replace")
    note = Document(
        raw=b"", bom=False, head="", body=text, newline="\n", frontmatter={}, error=error, error_line=None, lossy=True,
        body_line=1,
    )  # fmt: skip
    known = Fields(title=_stem(path))
    return Extract(
        path=path,
        written_id=None,
        mtime_ns=content.mtime_ns,
        values=_values(path, content, note, known),
        names=names_of(path, known),
        links=[],
        blocks=(),
        title=known.title,
        words="",
        body=text,
        pieces=pieces(text),
        stems=stems.column(text),
    )


def _values(
    path: str, content: Content, note: Document, known: Fields, relation_types: tuple[str, ...] = ()
) -> tuple[Any, ...]:
    return (
        path, links.fold(path), known.id, known.title, known.type, known.scope, known.trust, known.origin,
        known.edited_by, known.approved_by, known.approved_at, known.created, known.updated, _day(known.valid_from),
        _day(known.valid_until), _day(known.expires_at), bool(known.superseded_by), paths.is_archived(path),
        known.private, rings.ring(known, path, on=date.min), known.subject, known.predicate, known.object,
        likeness.key(note.body) if known.type in schema.TYPES else None, _json(known.tags), _json(known.sources),
        note.error, note.lossy, content.cut, known.confirmed, _json(known.pii), known.retention,
        bool(schema.problems(note.frontmatter, relation_types=relation_types)), note.body_line, content.size,
        content.mtime_ns, content.read_ns, content.digest,
    )  # fmt: skip


def names_of(path: str, known: Fields) -> list[tuple[str, str]]:
    """Return the names of a note, and the ends of its path as further paths, as in `concepts/SQS`."""
    found = links.names(path, known)
    whole = links.fold(path)
    parts = whole.split("/")
    found += [("/".join(parts[first:]), "end") for first in range(1, len(parts) - 1)]
    if known.id:
        found.append((links.fold(known.id), "id"))
    return found


def _words(path: str, known: Fields, own: Mapping[str, tuple[str, ...]]) -> str:
    """Return what else a note is found by: its file's name, aliases, tags, a fact's parts, the person's own keys."""
    stem = _stem(path)
    parts = [*known.aliases, *known.tags, known.subject, known.predicate, known.object]
    parts.append(" ".join(text for texts in own.values() for text in texts)[:MOST_OWN_CHARACTERS])
    return " ".join(one for one in ["" if stem == known.title else stem, *parts] if one)


def _links(
    path: str, note: Document, known: Fields, shape: Structure, own: Mapping[str, tuple[str, ...]]
) -> Iterator[WrittenLink]:
    for link in shape.links:
        kind = "embed" if link.embed else "wikilink"
        key = links.target_key(links.written_path(link, within=path))
        line = note.body_line + link.line - 1
        yield WrittenLink("body", kind, link.target, key, link.heading, line, promises=True)
    if not note.frontmatter:
        return
    lines = note.head.splitlines()
    for kind, texts in known.relations.items():
        yield from _written(kind, texts, lines, promises=True)
    yield from _written("supersedes", known.supersedes, lines, promises=True)
    yield from _written("superseded_by", known.superseded_by, lines, promises=True)
    yield from _written("source", known.sources, lines, promises=False)
    yield from _written("subject", (known.subject,), lines, promises=False)
    yield from _written("object", (known.object,), lines, promises=False)
    for kind, texts in own.items():
        targets = tuple(text for text in texts[:MOST_OWN_LINKS] if _is_link(text))
        yield from _written(kind, targets, lines, promises=True)


def _written(kind: str, texts: tuple[str | None, ...], lines: list[str], *, promises: bool) -> Iterator[WrittenLink]:
    for text in texts:
        if not text:
            continue
        inner = text.strip()
        bracketed = inner.startswith("[[") and inner.endswith("]]")
        found = links.parts(inner[2:-2]) if bracketed else None
        target, heading = (found.target, found.heading) if found else (inner, None)
        line = next((number for number, one in enumerate(lines, 1) if target and target in one), None)
        key = links.target_key(target)
        if key:
            yield WrittenLink("frontmatter", kind, target, key, heading, line, promises=promises or bracketed)


def _is_link(text: str) -> bool:
    return text.startswith("[[") and text.endswith("]]")


def _stem(path: str) -> str:
    return posixpath.basename(path)[:-3]


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _json(values: tuple[str, ...]) -> str:
    return json.dumps(values, ensure_ascii=False) if values else "[]"
