"""How a person sees an answer: each claim as it is checked, then the sources with the notes' own words."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from typing import Final

from brain.contracts.asking import Again, AskOutput, CitationItem, ClaimItem, ClaimPart, Diagnostics
from brain.contracts.reads import Hit, SearchOutput
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from brain.services.asking import wording
from cabecao_site.cli.terminal import BOLD, DIM, Terminal

_VALIDITY: Final[Mapping[str, str]] = {
    "current": N_("current"),
    "expired": N_("expired"),
    "not_yet_valid": N_("not yet valid"),
}
_SEARCHES: Final[Mapping[str, str]] = {"keyword": N_("by words"), "hybrid": N_("by words and meaning")}


class Claims:
    """Shows each claim as soon as it is checked; nothing of it with --json."""

    def __init__(self, terminal: Terminal) -> None:
        self._terminal = terminal
        self.shown = 0

    def tell(self, part: object) -> None:
        """Take in a part of the answer."""
        if self._terminal.as_json:
            return
        if isinstance(part, ClaimPart):
            self._terminal.say(_claim(part.claim, self._terminal))
            self._terminal.say()
            self.shown += 1
        elif isinstance(part, Again) and self.shown:
            self._terminal.note(_("What came was not whole, so it is asked for once more; what counts is below."))
            self.shown = 0


def show(output: AskOutput, terminal: Terminal, *, claims_shown: int = 0) -> None:
    """Print what the claims that were shown as they came leave to say."""
    if output.context is not None:
        _context(output, terminal)
        return
    for claim in output.claims[claims_shown:]:
        terminal.say(_claim(claim, terminal))
        terminal.say()
    _said_of(output, terminal)
    if output.missing:
        terminal.say(terminal.wrap(_("Missing in the brain: %(text)s") % {"text": output.missing}))
        terminal.say()
    _sources(output.citations, terminal)
    _passages(output.passages or (), terminal)
    _left_out(output, terminal)
    if output.next_step and output.status != "answered":
        terminal.note(f"→ {output.next_step}")
    if output.diagnostics is not None:
        _diagnostics(output.diagnostics, terminal)


def contradictions(output: SearchOutput, terminal: Terminal) -> None:
    """Say which hits of a search contradict each other, and which of the two counts."""
    titles = {hit.citation: f"{hit.title} ({hit.citation})" for hit in output.hits}
    for found in output.contradictions:
        one, other = (titles.get(citation, citation) for citation in found.citations)
        said = _("%(one)s and %(other)s contradict each other; the first is in the lower ring and prevails.")
        if found.prevails is None:
            said = _("%(one)s and %(other)s contradict each other in the same ring: it is for you to settle.")
        terminal.say(terminal.wrap(f"{terminal.mark('warning')} {said % {'one': one, 'other': other}}"))


def _claim(claim: ClaimItem, terminal: Terminal) -> str:
    numbers = "".join(f"[{number}]" for number in claim.citations)
    return terminal.wrap(f"{claim.text} {numbers}")


def _said_of(output: AskOutput, terminal: Terminal) -> None:
    if output.status == "not_found":
        terminal.say(_("The brain does not have this."))
    elif output.status == "low_confidence":
        terminal.say(terminal.style(_("Hardly supported: more than half of the answer was left out."), BOLD))
    elif output.status == "unavailable":
        terminal.say(_("No answer was made."))
    else:
        return
    terminal.say()


def _sources(found: Sequence[CitationItem], terminal: Terminal) -> None:
    if found:
        terminal.say(terminal.style(_("Sources:"), BOLD))
    for one in found:
        _source(one, terminal)


def _source(one: CitationItem, terminal: Terminal) -> None:
    place = " › ".join([one.path, *one.heading_path])
    about = [
        place,
        _(_VALIDITY.get(one.validity, one.validity)),
        f"trust {one.trust}",
        f"origin {one.origin}",
        *([_("neighbour in the graph")] if one.related else []),
    ]
    terminal.say(f"[{one.n}] {' · '.join(about)}")
    terminal.say(f"    “{' '.join(one.quote.split())}”")  # in one line: it can be looked for as it stands


def _passages(passages: Sequence[Hit], terminal: Terminal) -> None:
    if passages:
        terminal.say(terminal.style(_("Passages found:"), BOLD))
    for one in passages:
        terminal.say(f"{one.title} · {' › '.join([one.path, *one.heading_path])}")
        if one.content:
            terminal.say(terminal.style(terminal.wrap(one.content, indent="    "), DIM))


def _left_out(output: AskOutput, terminal: Terminal) -> None:
    for sentence in wording.left_out(output):
        terminal.note(sentence)


def _context(output: AskOutput, terminal: Terminal) -> None:
    context = output.context
    if context is None:
        return
    if context.text:
        terminal.say(context.text)
    said = ngettext(
        "%(count)d passage, about %(tokens)d tokens.", "%(count)d passages, about %(tokens)d tokens.", context.passages
    )
    terminal.note(said % {"count": context.passages, "tokens": context.approximate_tokens})
    _left_out(output, terminal)
    terminal.note(f"→ {output.next_step}")


def _diagnostics(found: Diagnostics, terminal: Terminal) -> None:
    terminal.say()
    terminal.say(terminal.style(_("Diagnostics (for you alone; an agent does not see them):"), DIM))
    lines = (
        _("provider: %(provider)s · model %(model)s · goes to: %(destination)s")
        % {"provider": found.provider, "model": found.model, "destination": found.destination},
        _("search: %(search)s · passages found %(found)d · sent %(sent)d · requests %(requests)d")
        % {
            "search": _(_SEARCHES.get(found.search, found.search)),
            "found": found.retrieved,
            "sent": found.sent,
            "requests": found.requests,
        },
        _("tokens: in %(given)s · out %(taken)s · cost %(cost)s · %(seconds).1f s, %(own)d ms of it Cabeção's own")
        % {
            "given": _number(found.input_tokens),
            "taken": _number(found.output_tokens),
            "cost": _("unknown") if found.cost_usd is None else f"US$ {found.cost_usd:.4f}",
            "seconds": found.seconds,
            "own": found.own_milliseconds,
        },
    )
    for line in lines:
        terminal.say(textwrap.indent(line, "  "))


def _number(value: int | None) -> str:
    return _("unknown") if value is None else str(value)
