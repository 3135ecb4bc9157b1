"""search: by words, all of them first, then any."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Final, TypeVar

from pydantic import BaseModel

from brain import clock, config
from brain.caller import Caller
from brain.contracts.reads import Hit, Related, SearchInput, SearchOutput
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.index import fulltext, refresh, related
from brain.index.fulltext import Answer, Found, Query
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.note import tokens
from brain.services import shown, views
from brain.services.reads import budget as budgets
from brain.services.reads import contradictions, explanations, known_scopes

_Item = TypeVar("_Item", Hit, Related)
MOST_RELATED: Final = 5
_AROUND: Final = 180  # approximate tokens of an answer without its query, hits and neighbours
_LONGEST: Final = 300
_SHORTEST: Final = 40  # characters of a passage that is shortened for want of room


def run(caller: Caller, given: SearchInput) -> SearchOutput:
    """Return the notes that answer best, inside the budget, with their neighbours in the graph."""
    freshness = refresh.catch_up()
    day = date.fromisoformat(given.as_of) if given.as_of else clock.today()
    answer = fulltext.search(_query(given, day))
    check = contradictions.begin(caller, answer.found, freshness, day)
    left = given.budget_tokens - _AROUND - 2 * tokens.count(given.query)
    hits, left = _within([hit(one, day) for one in answer.found], left)
    found = [one.note for one in answer.found[: len(hits)]]
    neighbours, left = _that_fit([_related(one, day) for one in related.related(found, limit=MOST_RELATED)], left)
    hits, unexplained = explanations.given(hits, answer.found, left) if given.explain else (hits, None)
    told = check.end(caller)
    whole = SearchOutput(
        data_notice=_(DATA_NOTICE),
        query=given.query,
        mode=answer.mode,
        mode_requested=given.mode,
        mode_used="keyword",
        mode_reason=_("search by meaning is not turned on for this brain"),
        warnings=views.notices(freshness, unexplained, told.notice, *_not_as_asked(given, answer)),
        terms=list(answer.terms),
        as_of=day.isoformat(),
        hits=hits,
        contradiction_check=told.check,
        contradictions=contradictions.among(hits, told.found),
        related=neighbours,
        truncated=answer.more or len(hits) < len(answer.found),
        next_step=None if hits else _nothing(given, answer),
    )
    return _shown_to(caller, _cut_to(whole, given.budget_tokens), found)


def _shown_to(caller: Caller, output: SearchOutput, found: list[NoteRow]) -> SearchOutput:
    """Note which versions the caller is shown a piece of, and return the answer."""
    for note in found[: len(output.hits)]:
        shown.glimpse(caller, note.path, note.digest)
    return output


def _query(given: SearchInput, day: date) -> Query:
    types = tuple(given.types) if given.types else None
    return Query(given.query, given.scope, types, given.limit, explained=given.explain, on=day)


def _cut_to(answer: SearchOutput, budget: int) -> SearchOutput:
    """Return the answer without the neighbours and last hits that do not fit after all, the best hit as it has room."""
    while budgets.size(answer) > budget and (answer.related or len(answer.hits) > 1):
        answer = answer.model_copy(update=_less(answer))
    if budgets.size(answer) > budget:
        answer = answer.model_copy(update={"hits": [_shortened(hit, _SHORTEST) for hit in answer.hits]})
    budgets.require_inside(answer, budget)
    return answer


def _less(answer: SearchOutput) -> dict[str, object]:
    """Return what an answer has without its last neighbour, or else without its last hit and what contradicts that."""
    if answer.related:
        return {"related": answer.related[:-1]}
    hits = answer.hits[:-1]
    return {"hits": hits, "contradictions": contradictions.among(hits, answer.contradictions), "truncated": True}


def hit(one: Found, day: date) -> Hit:
    """Return a note that was found as search shows it."""
    item = views.of_row(one.note, one.snippet or _keys_of(one), kind="snippet", on=day)
    return Hit(
        **dict(item), score=round(one.score, 4), heading_path=views.some(one.heading_path), citation=one.citation
    )


def _keys_of(one: Found) -> str:
    """Return what a note without a body says in its keys."""
    from brain.note import document
    from brain.store import files

    raw = files.read(config.here().root, one.path)
    text = " · ".join(views.text_of(document.parse(raw)).splitlines()) if raw is not None else ""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + " …"


def _within(hits: list[Hit], budget: int) -> tuple[list[Hit], int]:
    """Return the hits that fit and what is left; the best is always given, with a shorter passage where need be."""
    kept, left = _that_fit(hits, budget)
    if kept or not hits:
        return kept, left
    best = hits[0]
    too_many = (_cost(best) - max(budget, 0)) * len(best.content) // max(tokens.count(best.content), 1)
    short = _shortened(best, max(len(best.content) - too_many, _SHORTEST))
    return [short], budget - _cost(short)


def _shortened(hit: Hit, room: int) -> Hit:
    if len(hit.content) <= room:
        return hit
    return hit.model_copy(update={"content": hit.content[:room].rsplit(maxsplit=1)[0] + " …"})


def _that_fit(items: list[_Item], budget: int) -> tuple[list[_Item], int]:
    """Return the first items that fit together, and what is left of the budget."""
    for place, item in enumerate(items):
        cost = _cost(item)
        if cost > budget:
            return items[:place], budget
        budget -= cost
    return items, budget


def _cost(item: BaseModel) -> int:
    return tokens.count(item.model_dump_json())


def _related(one: related.Related, day: date) -> Related:
    note = views.plate(one.note, day)
    return Related(
        **{name: note[name] for name in ("id", "path", "type", "title", "scope", "validity")},
        score=round(one.score, 4),
        reasons=[views.brief(reason) for reason in one.reasons],
    )


def _not_as_asked(given: SearchInput, answer: Answer) -> Iterator[Notice]:
    """Yield what was not taken as it was asked: the mode; where notes were found, quotes, spelling, a scope too."""
    if given.mode in ("semantic", "hybrid"):
        said = _("Search by meaning is not turned on for this brain: the words alone were looked for.")
        yield Notice(code="mode_fallback", message=said, field="mode")
    if not answer.found:
        return
    if answer.without_quotes:
        said = _("No note has the words in quotes just so: they were looked for without the quotes.")
        yield Notice(code="quotes_ignored", message=said, field="query")
    if answer.read_as:
        words = "; ".join(f"{typed} → {', '.join(near)}" for typed, near in answer.read_as.items())
        said = _("Some words are in no note, so words spelled like them were looked for: %(words)s.") % {"words": words}
        yield Notice(code="spelling_guessed", message=views.brief(said), field="query")
    if (unknown := known_scopes.notice(given.scope)) is not None:
        yield unknown


def _nothing(given: SearchInput, answer: Answer) -> str:
    """Say why nothing was found, and what might be meant."""
    if not answer.terms:
        return _("The query has no word in it. Ask with at least one word.")
    if (unknown := known_scopes.missing(given.scope)) is not None:
        return unknown
    if given.scope or given.types:
        return _("Nothing here; try again without scope and types, or with fewer or other words.")
    return _("No note has any of these words. Try fewer or other words, or the name in another language.")
