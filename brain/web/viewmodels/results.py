"""What a search found, how it was looked for, and why it found nothing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, cast

from brain.contracts.reads import Hit, Related, SearchOutput
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.note import links
from brain.note.schema import TYPES
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses, marking, why
from brain.web.viewmodels.listing import Choice
from brain.web.viewmodels.marking import Stretch
from brain.web.viewmodels.why import Why

MOST: Final = 50
_MOST_WORDS: Final = 6
_BUDGET: Final = 50_000
_EXPLAINED_BUDGET: Final = 200_000
_MODES: Final = {
    "keyword": N_("by words"),
    "semantic": N_("by meaning"),
    "hybrid": N_("by words and meaning"),
}
Ask = Callable[[Mapping[str, object]], SearchOutput]


@dataclass(frozen=True)
class Asked:
    """A search as the address says it; an explained one may have the explanation of one hit, by its place, open."""

    query: str
    type: str
    scope: str
    as_of: str
    is_explained: bool = False
    opened: int = 0

    @property
    def href(self) -> str:
        """Return the address of this search."""
        told = {"explain": "1" if self.is_explained else "", "open": str(self.opened or "")}
        return addresses.with_query(
            "/search", {"q": self.query, "type": self.type, "scope": self.scope, "as_of": self.as_of, **told}
        )

    @property
    def plain(self) -> Asked:
        """Return the same search, not explained."""
        return replace(self, is_explained=False, opened=0)

    def with_facet(self, name: str, value: str) -> Asked:
        """Return the same search with another type or scope; nothing of it is open."""
        closed = replace(self, opened=0)
        return replace(closed, type=value) if name == "type" else replace(closed, scope=value)

    @property
    def is_narrowed(self) -> bool:
        """Tell whether something besides the words limits it."""
        return bool(self.type or self.scope or self.as_of)


@dataclass(frozen=True)
class HitItem:
    """A note that was found, and why it stands where it stands, or where that is told."""

    title: str
    href: str
    badges: tuple[Badge, ...]
    headings: str
    snippet: tuple[Stretch, ...]
    path: str
    why: Why | None = None
    why_href: str = ""
    is_open: bool = False


@dataclass(frozen=True)
class RelatedItem:
    """A neighbour of what was found."""

    title: str
    href: str
    type: Badge
    reason: str


@dataclass(frozen=True)
class Way:
    """A search that would find more, and how much."""

    label: str
    href: str
    count: int


@dataclass(frozen=True)
class Nothing:
    """Why nothing was found: words without a note, and filters without which there would be some."""

    missing_words: tuple[str, ...]
    ways: tuple[Way, ...]


@dataclass(frozen=True)
class Results:
    """The answer to a search."""

    asked: Asked
    count: str
    hits: tuple[HitItem, ...]
    related: tuple[RelatedItem, ...]
    types: tuple[Choice, ...]
    scopes: tuple[Choice, ...]
    how: str
    hint: str
    warnings: tuple[str, ...]
    nothing: Nothing | None
    is_cut: bool
    explained_href: str


def of_search(asked: Asked, ask: Ask) -> Results:
    """Search, once more for the facets where a type narrows it, and find out why where nothing is found."""
    found = ask(_arguments(asked))
    wide = ask(_arguments(replace(asked.plain, type="", scope=""))) if asked.type or asked.scope else found
    return Results(
        asked=asked,
        count=_count(found),
        hits=tuple(_explained(one, found.terms, asked, place) for place, one in enumerate(found.hits, 1)),
        related=tuple(_related(one) for one in found.related),
        types=_facet(asked, "type", Counter(one.type or "" for one in wide.hits)),
        scopes=_facet(asked, "scope", Counter(one.scope for one in wide.hits)),
        how=_(_MODES[found.mode_used]),
        hint=_hint(found),
        warnings=tuple(one.message for one in found.warnings),
        nothing=None if found.hits else _nothing(asked, found, ask),
        is_cut=found.truncated or len(found.hits) >= MOST,
        explained_href=replace(asked, is_explained=True).href,
    )


def _arguments(asked: Asked, *, limit: int = MOST) -> dict[str, object]:
    given: dict[str, object] = {"query": asked.query, "limit": limit, "budget_tokens": _BUDGET}
    if asked.is_explained:
        given |= {"explain": True, "budget_tokens": _EXPLAINED_BUDGET}
    if asked.type:
        given["types"] = [asked.type]
    if asked.scope:
        given["scope"] = asked.scope
    if asked.as_of:
        given["as_of"] = asked.as_of
    return given


def _count(found: SearchOutput) -> str:
    number = len(found.hits)
    if number >= MOST:
        return _("The %(count)d best notes") % {"count": number}
    if not number:
        return _("No note found")
    return _("1 note found") if number == 1 else _("%(count)d notes found") % {"count": number}


def _hint(found: SearchOutput) -> str:
    if found.hits and found.mode == "or" and len(found.terms) > 1:
        return _("No note has all of these words; these have some of them.")
    return ""


def hit(one: Hit, terms: Sequence[str] = ()) -> HitItem:
    """Return a note that was found, with the words that found it marked."""
    heading = f"#{links.anchor(one.heading_path[-1])}" if one.heading_path else ""
    tags = (
        badges.of_type(one.type),
        badges.of_validity(one.validity) if one.validity != "current" else None,
        badges.of_trust(one.trust),
        badges.of_scope(one.scope) if one.scope != "global" else None,
    )
    return HitItem(
        title=one.title,
        href=addresses.of_note(one.id, one.path) + heading,
        badges=tuple(tag for tag in tags if tag),
        headings=" › ".join(one.heading_path),
        snippet=marking.hits(one.content, list(terms)),
        path=one.path,
    )


def _explained(one: Hit, terms: Sequence[str], asked: Asked, place: int) -> HitItem:
    return replace(
        hit(one, terms),
        why=why.of_hit(one.explanation) if one.explanation else None,
        why_href=replace(asked, is_explained=True, opened=place).href,
        is_open=asked.opened == place,
    )


def _related(one: Related) -> RelatedItem:
    href = addresses.of_note(one.id, one.path)
    return RelatedItem(one.title, href, badges.of_type(one.type), ", ".join(one.reasons))


def _facet(asked: Asked, name: str, counts: Counter[str]) -> tuple[Choice, ...]:
    """Return the values among what the words alone find, and the way back to all of them."""
    present = cast("str", getattr(asked, name))
    values = {**dict(counts.most_common()), **({present: counts.get(present, 0)} if present else {})}
    if len([value for value in values if value]) < 2 and not present:
        return ()
    if name == "type":  # a type of the person's own is found, but not asked for
        values = {value: number for value, number in values.items() if value in TYPES}
    every = Choice(_("All"), asked.with_facet(name, "").href, is_chosen=not present)
    named = (
        Choice(_facet_label(name, value), asked.with_facet(name, value).href, value == present, number)
        for value, number in values.items()
        if value
    )
    return (every, *named)


def _facet_label(name: str, value: str) -> str:
    return badges.of_type(value).text if name == "type" else badges.of_scope(value).text


def _nothing(asked: Asked, found: SearchOutput, ask: Ask) -> Nothing:
    """Ask for each word alone, and without each filter."""
    words = [asked.query] if len(found.terms) < 2 else found.terms[:_MOST_WORDS]
    missing = tuple(word for word in words if not ask(_arguments(Asked(word, "", "", ""), limit=1)).hits)
    wider = [
        (_("without the type"), replace(asked.plain, type="")) if asked.type else None,
        (_("in every scope"), replace(asked.plain, scope="")) if asked.scope else None,
        (_("on any date"), replace(asked.plain, as_of="")) if asked.as_of else None,
    ]
    ways = (Way(label, other.href, len(ask(_arguments(other)).hits)) for label, other in filter(None, wider))
    return Nothing(missing, tuple(way for way in ways if way.count))
