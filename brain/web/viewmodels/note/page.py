"""A note's page: its text as safe HTML, and all that stands around it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from brain import clock, config
from brain.approval import attestation
from brain.guard import paths
from brain.index import notes
from brain.language import gettext as _
from brain.note import blocks, document, fields, links, structure
from brain.note.document import Document
from brain.note.fields import Fields
from brain.note.structure import Structure
from brain.note.validity import validity
from brain.services import shown
from brain.services import views as service_views
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses
from brain.web.viewmodels.note import backlinks, facts, notices, provenance, relations, text
from brain.web.viewmodels.note.backlinks import Backlinks
from brain.web.viewmodels.note.facts import Fact
from brain.web.viewmodels.note.notices import NoticeBox, Seen
from brain.web.viewmodels.note.provenance import Provenance
from brain.web.viewmodels.note.relations import Relation
from brain.web.viewmodels.note.text import Rendered
from brain.web.viewmodels.note.wikilinks import resolver

Crumbs = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class RawLine:
    """A line of a file whose fields cannot be read."""

    number: int
    text: str
    is_at_fault: bool


@dataclass(frozen=True)
class NotePage:
    """Everything on the page of a note; `raw` stands for the text where its fields cannot be read.

    A note that `stays` is neither moved nor archived.
    """

    title: str
    href: str
    history: str
    edit: str
    path: str
    digest: str
    stays: bool
    graph: str
    crumbs: Crumbs
    badges: tuple[Badge, ...]
    provenance: Provenance
    notices: tuple[NoticeBox, ...]
    text: Rendered
    raw: tuple[RawLine, ...]
    facts: tuple[Fact, ...]
    relations: tuple[Relation, ...]
    backlinks: Backlinks
    is_empty: bool
    language: str


def of_file(raw: bytes, path: str, *, identity: str | None, citation: str = "", line: int = 0) -> NotePage:
    """Return the page of a note from its file; `identity` is the id that it answers to, `line` one of the file's."""
    note = document.parse(raw)
    extra = config.here().config().relation_types
    shape = structure.scan(note.body)
    known = fields.read(note, path, structure=shape, relation_types=extra)
    front = relations.of_note(path)
    today = clock.today()
    href, history = addresses.of_note(identity, path), addresses.of_history(identity, path)
    seen = Seen(path, note, known, front, today, _is_vouched_for(identity or path, raw, known))
    return NotePage(
        title=known.title,
        href=href,
        history=history,
        edit=addresses.of_edit(identity, path),
        path=path,
        digest=shown.digest(raw),
        stays=paths.is_raw(path) or paths.is_archived(path) or paths.is_conflict_copy(path),
        graph=addresses.of_graph(path),
        crumbs=_crumbs(known, path),
        badges=_badges(known, path, today, is_readable=note.error is None),
        provenance=provenance.of_note(known),
        notices=notices.of_note(seen),
        text=_text(note, known, shape, path, _place(note, shape, path, citation, line)),
        raw=_raw(note) if note.error is not None else (),
        facts=facts.of_note(known, path, front, today),
        relations=front.relations,
        backlinks=backlinks.of_note(path, known),
        is_empty=not note.body.strip() and note.error is None,
        language=_language(),
    )


def _language() -> str:
    return "en" if config.here().config().language == "en" else "pt-BR"


def _is_vouched_for(key: str, raw: bytes, note: Fields) -> bool:
    return note.type != "rule" or key in attestation.attested([(key, raw)])


def _crumbs(note: Fields, path: str) -> Crumbs:
    label = badges.of_type(note.type).text
    kind = addresses.with_query("/notes", {"type": note.type or "none"})
    return (_("Notes"), "/notes"), (label, kind), (note.title or path, "")


def _badges(note: Fields, path: str, today: date, *, is_readable: bool) -> tuple[Badge, ...]:
    found = [
        badges.of_type(note.type),
        badges.of_validity(validity(note, today).value) if is_readable else None,
        badges.of_trust(service_views.trust_of(note.trust, path)),
        badges.of_scope(note.scope),
        badges.private() if note.private else None,
        Badge(_("Archived"), "archive") if paths.is_archived(path) else None,
    ]
    return tuple(one for one in found if one)


def _text(note: Document, known: Fields, shape: Structure, path: str, place: tuple[int, int] | None) -> Rendered:
    if note.error is not None:
        return text.NOTHING
    start = _after_title(note.body, known.title, shape)
    return text.render(note.body, resolve=resolver(path, shape.links), start=start, cited=place)


def _after_title(body: str, title: str, shape: Structure) -> int:
    """Return where the text begins: after a first heading that says what the page's title says."""
    first = shape.headings[0] if shape.headings else None
    if first is None or first.level != 1 or body[: first.start].strip():
        return 0
    return first.content_start if links.fold(first.text) == links.fold(title) else 0


def _place(note: Document, shape: Structure, path: str, citation: str, line: int) -> tuple[int, int] | None:
    """Return the passage to mark: the cited one, else the one that holds a line of the file."""
    if citation:
        return _cited(citation, path, len(note.body))
    inside = line - note.head.count("\n")
    if inside < 1:
        return None
    above = [one for one in blocks.split(note.body, shape) if one.line <= inside <= one.line + one.text.count("\n")]
    return (above[-1].start, above[-1].end) if above else None


def _cited(citation: str, path: str, length: int) -> tuple[int, int] | None:
    found = notes.by_citation(citation)
    if found is None or found[0].path != path or found[2] > length:
        return None
    return found[1], found[2]


def _raw(note: Document) -> tuple[RawLine, ...]:
    lines = (note.head + note.body).splitlines()
    return tuple(RawLine(number, line, number == note.error_line) for number, line in enumerate(lines, 1))
