"""An answer as a page shows it: what a model wrote is text, what stands behind it are the notes' own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from brain.contracts.asking import AskOutput, CitationItem, ClaimItem, Diagnostics
from brain.index.fulltext import query
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import links
from brain.services.asking import wording
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses, people, results
from brain.web.viewmodels.results import HitItem

_ESCAPED: Final = re.compile(r"\\([\\\[\]<>])")
_BEGINNING: Final = 4  # signs


@dataclass(frozen=True)
class Source:
    """A quote that was found, and the note it stands in."""

    number: int
    title: str
    headings: str
    path: str
    href: str
    badges: tuple[Badge, ...]
    quote: str


@dataclass(frozen=True)
class Claim:
    """A statement, the numbers of its quotes, and those of them that no statement before it had."""

    text: str
    numbers: tuple[int, ...]
    sources: tuple[Source, ...]


@dataclass(frozen=True)
class Ending:
    """What there is to say below the statements."""

    tint: str
    next_step: str
    has_claims: bool
    missing: str
    left_out: tuple[str, ...]
    passages: tuple[HitItem, ...]
    context: str | None
    context_size: str
    took: str
    details: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Answer:
    """The whole: what it comes to in a line, the statements, and what is below them."""

    state: str
    claims: tuple[Claim, ...]
    ending: Ending


def plain(text: str) -> str:
    """Return what a model wrote without the escapes for programs that would read Markdown in it."""
    return _ESCAPED.sub(r"\1", text)


def claim(item: ClaimItem, fresh: Sequence[CitationItem]) -> Claim:
    """Return a statement with the quotes that are new with it."""
    return Claim(plain(item.text), tuple(item.citations), tuple(map(_source, fresh)))


def claims(output: AskOutput) -> Iterator[Claim]:
    """Yield all statements of an answer, each quote under the first that has it."""
    left = {one.n: one for one in output.citations}
    for item in output.claims:
        fresh = [left.pop(number) for number in item.citations if number in left]
        yield claim(item, fresh)


def answer(output: AskOutput) -> Answer:
    """Return an answer as it is shown."""
    return Answer(state(output), tuple(claims(output)), ending(output))


def ending(output: AskOutput) -> Ending:
    """Return what there is to say below the statements."""
    context, used = output.context, output.diagnostics
    return Ending(
        tint="" if output.status in {"answered", "shown"} else "info" if output.status == "not_found" else "warn",
        next_step="" if output.status == "answered" or output.next_step == state(output) else output.next_step or "",
        has_claims=bool(output.claims),
        missing=plain(output.missing or ""),
        left_out=tuple(_left_out(output)),
        passages=tuple(results.hit(one, _beginnings(output.question)) for one in output.passages or ()),
        context=context.text if context else None,
        context_size=_size(context.passages, context.approximate_tokens) if context else "",
        took=_took(used) if used else "",
        details=tuple(_details(used)) if used else (),
    )


def state(output: AskOutput) -> str:
    """Return what an answer comes to, in one line."""
    count = len(output.claims)
    said = ngettext("%(count)d statement, each with its quotes", "%(count)d statements, each with its quotes", count)
    told = said % {"count": count}
    if output.status == "shown":
        return _("Nothing was sent.")
    if output.status == "answered":
        return told
    passages = len(output.passages or ())
    found = ngettext("%(count)d note found", "%(count)d notes found", passages) % {"count": passages}
    if output.status == "low_confidence":
        return _("Hardly supported: more than half of the answer was left out.")
    first = _("The brain does not have this.") if output.status == "not_found" else _("No answer was made.")
    return f"{first} {found}." if passages else first


def _beginnings(question: str) -> list[str]:
    """Return how the words of a question begin: what was found of them may be another form."""
    return [term.text[:_BEGINNING] for term in query.terms(question)]


def _source(one: CitationItem) -> Source:
    heading = f"#{links.anchor(one.heading_path[-1])}" if one.heading_path else ""
    tags = (
        badges.of_validity(one.validity),
        badges.of_trust(one.trust),
        _origin(one),
        Badge(_("neighbour in the graph"), "waypoints") if one.related else None,
    )
    return Source(
        one.n,
        one.title,
        " › ".join(one.heading_path),
        one.path,
        addresses.of_note(one.id, one.path) + heading,
        tuple(tag for tag in tags if tag),
        one.quote,
    )


def _origin(one: CitationItem) -> Badge:
    """Return who wrote a note."""
    who = people.of_origin(one.origin)
    if who is None:
        return Badge(_("Outside material"), "book-open", "warn")
    return Badge(who.name, "bot" if who.is_agent else "user")


def _left_out(output: AskOutput) -> Iterator[str]:
    if count := output.unsupported_claims:
        said = ngettext(
            "%(count)d statement was left out: nothing in the notes stands behind it.",
            "%(count)d statements were left out: nothing in the notes stands behind them.",
            count,
        )
        yield said % {"count": count}
    yield from wording.left_out(output)


def _size(count: int, tokens: int) -> str:
    said = ngettext(
        "%(count)d passage, about %(tokens)d tokens.", "%(count)d passages, about %(tokens)d tokens.", count
    )
    return said % {"count": count, "tokens": tokens}


def _took(used: Diagnostics) -> str:
    return _("What it took: %(seconds)s s, %(cost)s") % {"seconds": wording.seconds(used.seconds), "cost": _cost(used)}


def _cost(used: Diagnostics) -> str:
    return _("cost unknown") if used.cost_usd is None else f"US$ {used.cost_usd:.4f}"


def _details(used: Diagnostics) -> Iterator[tuple[str, str]]:
    yield _("Provider"), used.provider
    yield _("Model"), used.model
    yield _("Goes to"), used.destination
    yield _("Tokens sent"), _number(used.input_tokens)
    yield _("Tokens received"), _number(used.output_tokens)
    yield _("Cost"), _cost(used)
    yield _("Requests"), str(used.requests)
    yield _("Passages"), _("%(sent)d sent of %(found)d found") % {"sent": used.sent, "found": used.retrieved}
    own = wording.seconds(used.own_milliseconds / 1000)
    yield _("Time"), _("%(all)s s, %(own)s s of it Cabeção's own") % {"all": wording.seconds(used.seconds), "own": own}


def _number(value: int | None) -> str:
    return _("unknown") if value is None else str(value)
