"""facts: what was true of what, and when."""

from __future__ import annotations

from datetime import date
from typing import Final

from brain import clock
from brain.caller import Caller
from brain.contracts.graph import AskedFor, Fact, FactsInput, FactsOutput
from brain.contracts.shared import DATA_NOTICE
from brain.index import refresh
from brain.index.graph import facts, whole
from brain.index.graph.facts import FactRow, Found
from brain.language import gettext as _
from brain.language import ngettext
from brain.services import shown, views
from brain.services.reads import nearest_names

LONGEST_TEXT: Final = 300  # characters of a fact's own text


def run(caller: Caller, given: FactsInput) -> FactsOutput:
    """Return the facts that fit, those that no longer hold among them, with their validity on the day."""
    freshness = refresh.catch_up()
    on = date.fromisoformat(given.as_of) if given.as_of else clock.today()
    found = facts.find(subject=given.subject, predicate=given.predicate, object=given.object, limit=given.limit, on=on)
    texts = whole.texts([row.note.note for row in found.facts])
    for row in found.facts:
        shown.glimpse(caller, row.note.path, row.note.digest)
    subject, object_ = _asked(given.subject), _asked(given.object)
    return FactsOutput(
        data_notice=_(DATA_NOTICE),
        as_of=on.isoformat(),
        subject=subject,
        predicate=given.predicate,
        object=object_,
        facts=[_fact(row, texts.get(row.note.note, ""), on) for row in found.facts],
        total=found.total,
        truncated=found.total > len(found.facts),
        warnings=views.notices(freshness),
        next_step=_next_step(given, found, subject),
    )


def _asked(text: str | None) -> AskedFor | None:
    return None if text is None else AskedFor(query=text, path=facts.meant(text))


def _fact(row: FactRow, body: str, on: date) -> Fact:
    text = body.strip()
    content = text if len(text) <= LONGEST_TEXT else f"{text[:LONGEST_TEXT].rstrip()} …"
    item = views.of_row(row.note, content, kind="full" if content == text else "excerpt", on=on)
    return Fact(
        **dict(item),
        subject=views.brief(row.subject.text),
        subject_path=row.subject.path,
        predicate=views.brief(row.note.predicate or ""),
        object=views.brief(row.object.text),
        object_path=row.object.path,
        valid_from=_day(row.note.valid_from),
        valid_until=_day(row.note.valid_until),
        expires_at=_day(row.note.expires_at),
        superseded_on=_day(row.superseded_on),
        supersedes=views.some(row.supersedes),
        superseded_by=views.some(row.superseded_by),
    )


def _day(day: date | None) -> str | None:
    return day.isoformat() if day else None


def _next_step(given: FactsInput, found: Found, subject: AskedFor | None) -> str:
    left = found.total - len(found.facts)
    if left > 0:
        said = ngettext("%(count)d more fact fits", "%(count)d more facts fit", left) % {"count": left}
        return f"{said}: {_('name the subject or predicate, or raise limit')}."
    if found.total:
        return _("validity says whether a fact holds on as_of; superseded_by leads to what took its place.")
    if subject is not None and subject.path is None:
        near = nearest_names.suggest(subject.query)
        if near:
            return _("Nothing is known of “%(name)s”. Did you mean one of these? %(names)s.") % {
                "name": subject.query[:80],
                "names": ", ".join(near),
            }
    if given.subject or given.predicate or given.object:
        return _("No fact fits. Leave out the predicate or the object, or look with search.")
    return _("There are no facts yet: notes of type fact with subject, predicate and object.")
