"""search: by words, all of them first, then any."""

from __future__ import annotations

from datetime import date
from difflib import get_close_matches

from brain import clock
from brain.caller import Caller
from brain.contracts.reads import Hit, Related, SearchInput, SearchOutput
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.index import fulltext, notes, refresh, related
from brain.index.fulltext import Answer, Found, Query
from brain.language import gettext as _
from brain.note import tokens
from brain.services import shown, views

_ROUND_A_HIT = 60  # approximate tokens of a hit's other fields
MOST_RELATED = 5


def run(caller: Caller, given: SearchInput) -> SearchOutput:
    """Return the notes that answer best, inside the budget, with their neighbours in the graph."""
    freshness = refresh.catch_up()
    day = date.fromisoformat(given.as_of) if given.as_of else clock.today()
    types = tuple(given.types) if given.types else None
    answer = fulltext.search(Query(given.query, scope=given.scope, types=types, limit=given.limit, on=day))
    hits = _within(answer.found, given.budget_tokens, day)
    neighbours = related.related([one.note for one in answer.found[: len(hits)]], limit=MOST_RELATED)
    for one in answer.found[: len(hits)]:
        shown.glimpse(caller, one.path, one.note.digest)
    return SearchOutput(
        data_notice=_(DATA_NOTICE),
        query=given.query,
        mode=answer.mode,
        mode_requested=given.mode,
        mode_used="keyword",
        mode_reason=_("search by meaning is not turned on for this brain"),
        warnings=views.notices(freshness, _no_meaning(given)),
        terms=list(answer.terms),
        as_of=day.isoformat(),
        hits=hits,
        related=[_related(one, day) for one in neighbours],
        truncated=answer.more or len(hits) < len(answer.found),
        next_step=None if hits else _nothing(given, answer),
    )


def _within(found: list[Found], budget: int, day: date) -> list[Hit]:
    hits: list[Hit] = []
    left = budget
    for one in found:
        left -= tokens.count(one.snippet) + _ROUND_A_HIT
        if left < 0 and hits:
            break
        item = views.of_row(one.note, one.snippet, kind="snippet", on=day)
        hits.append(Hit(**dict(item), score=round(one.score, 4), heading_path=list(one.heading_path)))
    return hits


def _related(one: related.Related, day: date) -> Related:
    return Related(
        id=one.note.id,
        path=one.note.path,
        type=one.note.type,
        title=one.note.title,
        scope=one.note.scope,
        validity=one.note.validity(day).value,
        score=round(one.score, 4),
        reasons=list(one.reasons),
    )


def _no_meaning(given: SearchInput) -> Notice | None:
    if given.mode not in ("semantic", "hybrid"):
        return None
    said = _("Search by meaning is not turned on for this brain: the words alone were looked for.")
    return Notice(code="mode_fallback", message=said, field="mode")


def _nothing(given: SearchInput, answer: Answer) -> str:
    """Say why nothing was found, and what might be meant."""
    if not answer.terms:
        return _("The query has no word in it. Ask with at least one word.")
    known = notes.scopes()
    if given.scope and given.scope not in known:
        near = get_close_matches(given.scope, known, n=3, cutoff=0.4) or known[:3]
        return _("No note has the scope “%(scope)s”; there are: %(known)s.") % {
            "scope": given.scope,
            "known": ", ".join(near) or "global",
        }
    if given.scope or given.types:
        return _("Nothing here; try again without scope and types, or with fewer or other words.")
    return _("No note has any of these words. Try fewer or other words, or the name in another language.")
