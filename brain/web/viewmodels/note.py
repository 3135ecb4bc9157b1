"""A note's page: its text as safe HTML, and all that stands around it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from brain import clock, config
from brain.approval import attestation
from brain.guard import paths
from brain.index import notes
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.note import document, fields, links, structure
from brain.note.document import Document
from brain.note.fields import Fields
from brain.note.structure import Structure
from brain.note.validity import validity
from brain.services import views as service_views
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses, backlinks, moments, notices, provenance, relations, text
from brain.web.viewmodels import validity as validities
from brain.web.viewmodels.backlinks import Backlinks
from brain.web.viewmodels.notices import NoticeBox, Seen
from brain.web.viewmodels.provenance import Provenance
from brain.web.viewmodels.relations import Frontmatter, NamedLink, Relation
from brain.web.viewmodels.text import Rendered
from brain.web.viewmodels.validity import Bar
from brain.web.viewmodels.wikilinks import resolver

Crumbs = tuple[tuple[str, str], ...]
_TRUSTS: Final = {"low": N_("Low"), "medium": N_("Medium"), "high": N_("High")}


@dataclass(frozen=True)
class Fact:
    """A row of the facts panel; the bar, the code and the links are shown in its way."""

    label: str
    text: str = ""
    hint: str = ""
    code: str = ""
    bar: Bar | None = None
    links: tuple[NamedLink, ...] = ()


@dataclass(frozen=True)
class RawLine:
    """A line of a file whose fields cannot be read."""

    number: int
    text: str
    is_at_fault: bool


@dataclass(frozen=True)
class NotePage:
    """Everything on the page of a note; `raw` stands for the text where its fields cannot be read."""

    title: str
    href: str
    history: str
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


def of_file(raw: bytes, path: str, *, identity: str | None, citation: str = "") -> NotePage:
    """Return the page of a note from its file; `identity` is the id that it answers to."""
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
        crumbs=_crumbs(known, path),
        badges=_badges(known, path, today, is_readable=note.error is None),
        provenance=provenance.of_note(known),
        notices=notices.of_note(seen),
        text=_text(note, known, path, shape, citation),
        raw=_raw(note) if note.error is not None else (),
        facts=_facts(known, path, front, today),
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


def _text(note: Document, known: Fields, path: str, shape: Structure, citation: str) -> Rendered:
    if note.error is not None:
        return text.NOTHING
    start = _after_title(note.body, known.title, shape)
    place = _cited(citation, path, len(note.body)) if citation else None
    return text.render(note.body, resolve=resolver(path, shape.links), start=start, cited=place)


def _after_title(body: str, title: str, shape: Structure) -> int:
    """Return where the text begins: after a first heading that says what the page's title says."""
    first = shape.headings[0] if shape.headings else None
    if first is None or first.level != 1 or body[: first.start].strip():
        return 0
    return first.content_start if links.fold(first.text) == links.fold(title) else 0


def _cited(citation: str, path: str, length: int) -> tuple[int, int] | None:
    found = notes.by_citation(citation)
    if found is None or found[0].path != path or found[2] > length:
        return None
    return found[1], found[2]


def _raw(note: Document) -> tuple[RawLine, ...]:
    lines = (note.head + note.body).splitlines()
    return tuple(RawLine(number, line, number == note.error_line) for number, line in enumerate(lines, 1))


def _facts(note: Fields, path: str, front: Frontmatter, today: date) -> tuple[Fact, ...]:
    created = moments.moment(note.created)
    bar = validities.bar(note, written=created.astimezone().date() if created else None, today=today)
    trust = service_views.trust_of(note.trust, path)
    found = [
        Fact(_("Validity"), bar=bar) if bar else None,
        *_fact_parts(note, front),
        Fact(_("Trust"), _(_TRUSTS.get(trust, trust)), hint=_trust_reason(note)),
        Fact(_("Scope"), _("Global") if note.scope == "global" else note.scope),
        _linked(_("Sources"), relations.sources(note.sources, front)),
        Fact(_("Tags"), ", ".join(note.tags)) if note.tags else None,
        Fact(_("Also called"), ", ".join(note.aliases)) if note.aliases else None,
        _moment_fact(_("Written"), note.created),
        _moment_fact(_("Changed"), note.updated) if note.updated != note.created else None,
        Fact(_("File"), code=path),
        Fact(_("Id"), code=note.id) if note.id else None,
    ]
    return tuple(one for one in found if one)


def _fact_parts(note: Fields, front: Frontmatter) -> tuple[Fact | None, ...]:
    parts = ((_("Subject"), "subject", note.subject), (_("Object"), "object", note.object))
    subject, other = (
        (_linked(label, front.of(kind)) or Fact(label, said)) if said else None for label, kind, said in parts
    )
    return subject, Fact(_("Predicate"), code=note.predicate) if note.predicate else None, other


def _linked(label: str, found: tuple[NamedLink, ...]) -> Fact | None:
    return Fact(label, links=found) if found else None


def _moment_fact(label: str, written: str | None) -> Fact | None:
    moment = moments.moment(written)
    return Fact(label, moments.day(moment.astimezone().date())) if moment else None


def _trust_reason(note: Fields) -> str:
    if note.approved_by:
        return _("approved by you")
    if provenance.is_outside(note):
        return _("material from outside")
    return _("written by you") if note.origin == "human" else ""
