"""What made the score of each hit, as search gives it back where it is asked to explain, and in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Final, Literal

from brain.contracts.explanation import Explanation, PassRank, Places, TermMatch
from brain.contracts.reads import Hit
from brain.contracts.shared import Notice
from brain.index.fulltext import Found, explaining
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.note import tokens
from brain.note.validity import Validity

_PASSES: Final = {
    "all": N_("It has all terms as they were typed."),
    "all_apart": N_("It has every word of the terms, though not side by side."),
    "all_inflected": N_("It has all terms, some in another form."),
    "any": N_("It has some of the words, or forms of them."),
    "beginnings": N_("It has words that begin like those of the query."),
}


def given(hits: list[Hit], found: Sequence[Found], budget: int) -> tuple[list[Hit], Notice | None]:
    """Return the hits, the first ones explained as far as the budget goes, and what is said where it goes not far."""
    explained: list[Hit] = []
    for hit, one in zip(hits, found, strict=False):
        why = _of(one)
        budget -= tokens.count(why.model_dump_json())
        if budget < 0:
            break
        explained.append(hit.model_copy(update={"explanation": why}))
    if len(explained) == len(hits):
        return explained, None
    said = _("The explanations of %(count)d hits do not fit; raise budget_tokens or lower limit.")
    notice = Notice(code="explanation_cut", message=said % {"count": len(hits) - len(explained)}, field="budget_tokens")
    return explained + hits[len(explained) :], notice


def _of(one: Found) -> Explanation:
    why = one.explanation
    assert why is not None  # noqa: S101 (the search was asked to explain)
    ranked, past = why.ranked, _past(one)
    return Explanation(
        summary=_said(why, past),
        score=ranked.score,
        words=_brief(ranked.words),
        share=_brief(ranked.share),
        ring=ranked.ring,
        ring_weight=ranked.ring_weight,
        past=past,
        past_weight=ranked.past_weight,
        follow_weight=_brief(ranked.follow_weight),
        matches=[_match(match) for match in why.matches],
        missing=list(why.missing),
        ignored=list(why.ignored),
        passes=[_pass(run) for run in why.passes],
        places=Places(**asdict(why.places)),
    )


def _past(one: Found) -> Literal["expired", "superseded"] | None:
    """Return why the note counts half, None where it counts whole."""
    if one.validity is Validity.EXPIRED:
        return "expired"
    return "superseded" if one.explanation and one.explanation.ranked.past_weight < 1 else None


def _match(match: explaining.Match) -> TermMatch:
    part = match.part
    return TermMatch(
        term=part.term, found=part.word, how=part.how, fields=list(match.fields), points=_brief(match.points)
    )


def _pass(run: explaining.PassRank) -> PassRank:
    words = None if run.words is None else _brief(run.words)
    return PassRank(name=run.name, quoted=run.has_phrase, found=run.found, place=run.place, words=words)


def _brief(number: float) -> float:
    """Return a number to six digits, however small it is."""
    return float(f"{number:.6g}")


def _said(why: explaining.Explanation, past: str | None) -> str:
    """Return in sentences how it was found, and what moved it from where its words alone would have put it."""
    name = next(run.name for run in why.passes if run.place is not None)
    sentences = [_(_PASSES[name])]
    if past == "expired":
        sentences.append(_("It no longer holds on that day, so it counts half."))
    elif past == "superseded":
        sentences.append(_("It was replaced by another note, so it counts half."))
    if why.ranked.ring_weight != 1:
        sentences.append(
            _("Notes of ring %(ring)d count %(weight)s.")
            % {"ring": why.ranked.ring, "weight": f"{why.ranked.ring_weight:.2f}"}
        )
    if why.places.by_words != why.places.final:
        sentences.append(_("By its words alone it would be number %(place)d.") % {"place": why.places.by_words})
    return " ".join(sentences)
