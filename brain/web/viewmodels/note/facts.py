"""The facts panel: what a note's frontmatter says of it, as a list of terms."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Final

from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.note.fields import Fields
from brain.services import views as service_views
from brain.web.viewmodels import moments
from brain.web.viewmodels.note import provenance, relations
from brain.web.viewmodels.note import validity as validities
from brain.web.viewmodels.note.relations import Frontmatter, NamedLink
from brain.web.viewmodels.note.validity import Bar

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


def of_note(note: Fields, path: str, front: Frontmatter, today: date) -> tuple[Fact, ...]:
    """Return the rows of a note's panel; what it does not say has no row."""
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
