"""Typed links between notes, as the side panel names them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from brain.index import links as link_rows
from brain.index import listing
from brain.index.links import Outgoing
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.web.viewmodels import addresses

_LABELS: Final = {
    "uses": N_("uses"),
    "part_of": N_("is part of"),
    "depends_on": N_("depends on"),
    "decided_by": N_("was decided by"),
    "works_on": N_("works on"),
    "related_to": N_("is related to"),
    "supersedes": N_("replaces"),
    "superseded_by": N_("is replaced by"),
    "source": N_("names as its source"),
    "subject": N_("is about"),
    "object": N_("names as its object"),
    "embed": N_("includes"),
}
_NOT_RELATIONS: Final = ("source", "subject", "object")


@dataclass(frozen=True)
class NamedLink:
    """A link with its words; without an address it leads nowhere."""

    title: str
    href: str
    is_missing: bool = False
    is_external: bool = False


@dataclass(frozen=True)
class Relation:
    """One kind of relation and where it leads."""

    label: str
    links: tuple[NamedLink, ...]


@dataclass(frozen=True)
class Frontmatter:
    """The links that a note's frontmatter holds, by kind."""

    by_kind: dict[str, tuple[NamedLink, ...]]

    def of(self, kind: str) -> tuple[NamedLink, ...]:
        """Return the links of a kind."""
        return self.by_kind.get(kind, ())

    @property
    def relations(self) -> tuple[Relation, ...]:
        """Return the relations proper, those that say how two notes stand to each other."""
        kinds = (kind for kind in self.by_kind if kind not in _NOT_RELATIONS)
        return tuple(Relation(label(kind), self.by_kind[kind]) for kind in kinds)


def label(kind: str) -> str:
    """Return what a kind of relation is called; one of the person's own keeps its name."""
    return _(_LABELS[kind]) if kind in _LABELS else kind.replace("_", " ")


def of_note(path: str) -> Frontmatter:
    """Return the links in a note's frontmatter."""
    found = [one for one in link_rows.outgoing(path) if one.origin == "frontmatter"]
    plates = listing.nameplates(one.path for one in found if one.path)
    by_kind: dict[str, tuple[NamedLink, ...]] = {}
    for one in found:
        plate = plates.get(one.path or "")
        by_kind[one.type] = (*by_kind.get(one.type, ()), _named(one, plate.id if plate else None))
    return Frontmatter(by_kind)


def sources(texts: Iterable[str], known: Frontmatter) -> tuple[NamedLink, ...]:
    """Return a note's sources: notes, addresses of the web, or plain words."""
    found = {one.title: one for one in known.of("source")}
    rest = (text for text in texts if not text.startswith("[[") and text not in found)
    return (*found.values(), *(NamedLink(text, text if _is_web(text) else "", is_external=True) for text in rest))


def _named(one: Outgoing, identity: str | None) -> NamedLink:
    if one.path is None:
        return NamedLink(one.target, addresses.of_missing(one.target), is_missing=True)
    return NamedLink(one.title or one.target, addresses.of_note(identity, one.path))


def _is_web(text: str) -> bool:
    return text.startswith(("https://", "http://")) and not any(sign.isspace() for sign in text)
