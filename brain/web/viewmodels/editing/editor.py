"""A note's text as it is edited: the text, what is wrong with it, how it will look, and what waits from before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from brain import config
from brain.errors import BrainError
from brain.guard import secrets
from brain.language import gettext as _
from brain.note import document, fields, schema, structure
from brain.note.document import Document
from brain.services import shown
from brain.services.editing import keeping
from brain.web.viewmodels import addresses
from brain.web.viewmodels.note import text as note_text
from brain.web.viewmodels.note.page import RawLine
from brain.web.viewmodels.note.text import Rendered
from brain.web.viewmodels.note.wikilinks import resolver


@dataclass(frozen=True)
class Preview:
    """How a text will look; `raw` stands for it where its fields cannot be read, nothing where it may hold a secret."""

    title: str
    problems: tuple[str, ...]
    text: Rendered
    raw: tuple[RawLine, ...]
    is_empty: bool


@dataclass(frozen=True)
class Refusal:
    """Why a text was not saved."""

    message: str
    next_step: str
    is_secret: bool = False


@dataclass(frozen=True)
class Waiting:
    """A text that was typed before and not saved."""

    at: datetime
    is_older: bool


@dataclass(frozen=True)
class Editor:
    """The page on which a note is edited."""

    title: str
    href: str
    action: str
    path: str
    key: str
    text: str
    base: str
    is_private: bool
    is_readable: bool
    preview: Preview
    waiting: Waiting | None
    refusal: Refusal | None


def of_note(
    raw: bytes, path: str, identity: str | None, *, typed: keeping.Kept | None = None, refusal: BrainError | None = None
) -> Editor:
    """Return the page of a note; `typed` is what stands in it instead of the note's own text."""
    note = document.parse(raw)
    is_secret = refusal is not None and refusal.code == "secret_detected"
    text = note.text if typed is None else typed.text
    return Editor(
        title=fields.read(note, path).title,
        href=addresses.of_note(identity, path),
        action=addresses.of_edit(identity, path),
        path=path,
        key=identity or path,
        text=secrets.without(text, known=note.text) if is_secret else text,
        base=shown.digest(raw) if typed is None else typed.base,
        is_private=fields.is_private(note),
        is_readable=not note.lossy,
        preview=preview(text, path, known=note.text),
        waiting=_waiting(raw, identity or path) if typed is None else None,
        refusal=Refusal(refusal.message, refusal.next_step, is_secret=is_secret) if refusal else None,
    )


def preview(text: str, path: str, *, known: str = "") -> Preview:
    """Return how a text will look as the note at a path, and what would keep it from being saved."""
    found = secrets.scan(text, human=True, known=known)
    if found:
        said = _("Line %(line)d may hold a secret (%(rule)s): it cannot be saved so.")
        lines = tuple(said % {"line": one.line, "rule": one.rule} for one in found)
        return Preview("", lines, note_text.NOTHING, (), is_empty=False)
    note = document.parse(text.replace("\r\n", "\n").encode(errors="replace"))
    if note.error is not None:
        where = _(" Line %(line)d is at fault.") % {"line": note.error_line} if note.error_line else ""
        return Preview("", (note.error + where,), note_text.NOTHING, _raw(note), is_empty=False)
    shape = structure.scan(note.body)
    extra = config.here().config().relation_types
    known_fields = fields.read(note, path, structure=shape, relation_types=extra)
    return Preview(
        title=known_fields.title,
        problems=tuple(one.message for one in schema.problems(note.frontmatter, relation_types=extra)),
        text=note_text.render(note.body, resolve=resolver(path, shape.links)),
        raw=(),
        is_empty=not note.body.strip(),
    )


def _raw(note: Document) -> tuple[RawLine, ...]:
    """Return the lines around the one at fault."""
    fault = note.error_line or 1
    lines = list(enumerate(note.text.splitlines(), 1))[max(0, fault - 6) : fault + 6]
    return tuple(RawLine(number, line, number == note.error_line) for number, line in lines)


def _waiting(raw: bytes, key: str) -> Waiting | None:
    found = keeping.kept(key)
    return Waiting(found.at, is_older=found.base != shown.digest(raw)) if found else None
