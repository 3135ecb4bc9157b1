"""Facts by subject and predicate, each lane with its bars, its chain and what contradicts in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import groupby
from typing import Any, Final

from brain import clock, config
from brain.contracts.graph import Fact, FactsOutput
from brain.index import listing
from brain.index.graph.facts import predicate_key
from brain.index.listing import Nameplate
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import links
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses, moments
from brain.web.viewmodels.facts.axis import Axis, Tick, around, percent

PATH: Final = "/facts"
MOST: Final = 200
_ROW: Final = 14  # pixels for the bar of a fact
_END: Final = 100.0
_THINNEST: Final = 0.6
_FARTHEST: Final = 60  # years: a day beyond, such as 9999-12-31, stands at the end of the axis


@dataclass(frozen=True)
class Asked:
    """Which facts, as the address says it."""

    subject: str = ""
    predicate: str = ""
    object: str = ""
    as_of: str = ""

    @property
    def href(self) -> str:
        """Return the address of these facts."""
        return addresses.with_query(PATH, vars(self))

    @property
    def is_narrowed(self) -> bool:
        """Tell whether some facts are left out."""
        return bool(self.subject or self.predicate or self.object)

    def arguments(self) -> dict[str, Any]:
        """Return what the operation is given."""
        return {"limit": MOST, **{name: value for name, value in vars(self).items() if value}}


@dataclass(frozen=True)
class Named:
    """A text that leads to a note where it means one."""

    text: str
    href: str


@dataclass(frozen=True)
class Bar:
    """A fact's time as a bar: percent of the axis, pixels from the top."""

    start: str
    width: str
    top: int
    state: str
    is_open: bool


@dataclass(frozen=True)
class Step:
    """A line from a fact's bar to that of what took its place."""

    x1: str
    y1: int
    x2: str
    y2: int


@dataclass(frozen=True)
class FactItem:
    """A fact: what it says, when, whether it holds on the day, what came before and after, where it is written."""

    anchor: str
    object: Named
    when: str
    state: Badge
    is_past: bool
    before: tuple[Named, ...]
    after: tuple[Named, ...]
    after_day: str
    note: Named


@dataclass(frozen=True)
class Lane:
    """The facts of a subject and a predicate, by time."""

    predicate: str
    href: str
    facts: tuple[FactItem, ...]
    bars: tuple[Bar, ...]
    steps: tuple[Step, ...]
    height: int
    contradiction: str


@dataclass(frozen=True)
class Subject:
    """What facts are about, and its lanes."""

    name: Named
    lanes: tuple[Lane, ...]


@dataclass(frozen=True)
class Slider:
    """The days that one can move to."""

    low: int
    high: int
    value: int
    place: str
    ticks: tuple[Tick, ...]


@dataclass(frozen=True)
class FactsPage:
    """The facts that fit, as they stand on a day."""

    asked: Asked
    day: str
    day_said: str
    to_today: str
    slider: Slider
    subjects: tuple[Subject, ...]
    count: str
    hint: str
    warnings: tuple[str, ...]


@dataclass(frozen=True)
class _Span:
    """A bar before it is drawn."""

    start: float
    end: float
    top: int


@dataclass(frozen=True)
class _View:
    """What every row is drawn with."""

    axis: Axis
    plates: Mapping[str, Nameplate]
    many: frozenset[str]
    asked: Asked
    day: str


def page(asked: Asked, found: FactsOutput) -> FactsPage:
    """Return the page; the axis doesn't depend on the day, so that moving it moves nothing else."""
    day, today = date.fromisoformat(found.as_of), clock.today()
    days = (one for fact in found.facts for one in _days(fact))
    axis = around([today, *(one for one in days if abs(one.year - today.year) <= _FARTHEST)])
    paths = (path for fact in found.facts for path in _paths(fact) if path)
    many = frozenset(predicate_key(one) for one in config.here().config().many_valued_predicates)
    view = _View(axis, listing.nameplates(paths), many, asked, found.as_of)
    groups = groupby(found.facts, key=_subject)
    subjects = (_about(list(some), view) for _key, some in groups)
    return FactsPage(
        asked=asked,
        day=found.as_of,
        day_said=moments.long_day(day),
        to_today=replace(asked, as_of="").href if day != today else "",
        slider=Slider(
            axis.low.toordinal(),
            axis.high.toordinal(),
            min(max(day, axis.low), axis.high).toordinal(),
            percent(axis.place(day)),
            axis.ticks(),
        ),
        subjects=tuple(sorted(subjects, key=lambda one: not any(lane.contradiction for lane in one.lanes))),
        count=_count(found),
        hint=found.next_step if found.truncated or not found.facts else "",
        warnings=tuple(one.message for one in found.warnings),
    )


def _count(found: FactsOutput) -> str:
    holding = sum(one.validity == "current" for one in found.facts)
    facts = ngettext("%(count)d fact", "%(count)d facts", found.total) % {"count": found.total}
    holds = ngettext("%(count)d holds on this day", "%(count)d hold on this day", holding) % {"count": holding}
    return f"{facts} · {holds}"


def _day(text: str | None) -> date | None:
    return date.fromisoformat(text) if text else None


def _days(fact: Fact) -> Iterable[date]:
    return (date.fromisoformat(day) for day in (fact.valid_from, fact.valid_until, fact.expires_at) if day)


def _paths(fact: Fact) -> tuple[str | None, ...]:
    return fact.path, fact.subject_path, fact.object_path, *fact.supersedes, *fact.superseded_by


def _subject(fact: Fact) -> tuple[str, str]:
    return fact.subject_path or "", "" if fact.subject_path else links.fold(fact.subject)


def _about(facts: list[Fact], view: _View) -> Subject:
    lanes = (
        _lane(list(some), view) for _predicate, some in groupby(facts, key=lambda one: predicate_key(one.predicate))
    )
    ordered = sorted(lanes, key=lambda one: not one.contradiction)
    return Subject(_named(facts[0].subject, facts[0].subject_path, view), tuple(ordered))


def _lane(facts: list[Fact], view: _View) -> Lane:
    spans = {fact.path: _span(fact, number * _ROW, view.axis) for number, fact in enumerate(facts)}
    narrowed = replace(view.asked, subject=facts[0].subject_path or facts[0].subject, predicate=facts[0].predicate)
    return Lane(
        predicate=facts[0].predicate.replace("_", " "),
        href=narrowed.href,
        facts=tuple(_item(fact, view) for fact in facts),
        bars=tuple(_bar(fact, spans[fact.path]) for fact in facts),
        steps=tuple(
            _step(spans[fact.path], spans[newer]) for fact in facts for newer in fact.superseded_by if newer in spans
        ),
        height=len(facts) * _ROW,
        contradiction=_contradiction(facts, view),
    )


def _span(fact: Fact, top: int, axis: Axis) -> _Span:
    start, last = _day(fact.valid_from), _last_day(fact)
    left = axis.place(start) if start else 0.0
    right = axis.place(last + timedelta(days=1)) if last and last < axis.high else _END
    return _Span(left, max(right, left + _THINNEST), top + 3)


def _bar(fact: Fact, span: _Span) -> Bar:
    width = percent(span.end - span.start)
    return Bar(percent(span.start), width, span.top, fact.validity, is_open=_last_day(fact) is None)


def _step(old: _Span, new: _Span) -> Step:
    return Step(percent(old.end), old.top + 4, percent(new.start), new.top + 4)


def _last_day(fact: Fact) -> date | None:
    """Return the last day on which a fact holds; valid_until is the first on which it doesn't."""
    ends = [date.fromisoformat(fact.valid_until) - timedelta(days=1)] if fact.valid_until else []
    ends += [date.fromisoformat(fact.expires_at)] if fact.expires_at else []
    return min(ends, default=None)


def _item(fact: Fact, view: _View) -> FactItem:
    is_past = fact.validity == "expired"
    state = badges.of_validity(fact.validity) if not (is_past and fact.superseded_by) else _superseded()
    return FactItem(
        anchor=_anchor(fact.path, view),
        object=_named(fact.object, fact.object_path, view),
        when=_when(fact),
        state=state if fact.validity != "current" else Badge(_("Holds"), "circle-check", "ok"),
        is_past=is_past,
        before=_chain(fact.supersedes, view),
        after=_chain(fact.superseded_by, view),
        after_day=moments.day(date.fromisoformat(fact.superseded_on)) if fact.superseded_on else "",
        note=_named(fact.title, fact.path, view),
    )


def _superseded() -> Badge:
    return Badge(_("Replaced"), "history", "warn")


def _when(fact: Fact) -> str:
    start, last = _day(fact.valid_from), _last_day(fact)
    if start and last:
        return _("%(start)s to %(end)s") % {"start": moments.day(start), "end": moments.day(last)}
    if start:
        return _("since %(start)s") % {"start": moments.day(start)}
    return _("until %(end)s") % {"end": moments.day(last)} if last else _("no dates")


def _chain(paths: Iterable[str], view: _View) -> tuple[Named, ...]:
    return tuple(_named(view.plates[path].title, path, view) for path in paths if path in view.plates)


def _named(text: str, path: str | None, view: _View) -> Named:
    plate = view.plates.get(path or "")
    return Named(text, addresses.of_note(plate.id, plate.path) if plate else "")


def _anchor(path: str, view: _View) -> str:
    plate = view.plates.get(path)
    return f"fact-{plate.id}" if plate and plate.id else ""


def _is_replaced(fact: Fact, view: _View) -> bool:
    """Tell whether another fact has taken a fact's place by the day, and not only from a later one on."""
    return bool(fact.superseded_by) and not (fact.superseded_on and fact.superseded_on > view.day)


def _contradiction(facts: list[Fact], view: _View) -> str:
    """Say which objects hold on the day at once, where the predicate may hold one alone."""
    if predicate_key(facts[0].predicate) in view.many:
        return ""
    current = [one for one in facts if one.validity == "current" and not _is_replaced(one, view)]
    objects = {one.object_path or links.fold(one.object): one.object for one in current}
    if len(objects) < 2:
        return ""
    return _("These hold at once: %(values)s. Which one is right?") % {
        "values": ", ".join(f"“{one}”" for one in objects.values())
    }
