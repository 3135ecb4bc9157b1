"""Predicates that may hold several values, and periods that do not meet: nothing there contradicts or takes a place."""

from __future__ import annotations

import json
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain import clock

FACT = {"type": "fact", "subject": "Helena"}
BEFORE = "2020-01-01"
# Days from today on which a fact begins and on which it no longer holds; None is no bound.
periods = st.tuples(st.one_of(st.none(), st.integers(-9, 9)), st.one_of(st.none(), st.integers(1, 9))).map(
    lambda pair: (pair[0], None if pair[1] is None else (pair[0] or 0) + pair[1])
)
Period = tuple[int | None, int | None]
hypothetical = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


def declare(brain, **predicates: object) -> None:
    brain.write(".cabecao.json", json.dumps({"schema_version": 1, "predicates": predicates}))


def day(number: int | None) -> str | None:
    return None if number is None else (clock.today() + timedelta(days=number)).isoformat()


def keys(period: Period) -> dict[str, str]:
    days = {"valid_from": day(period[0]), "valid_until": day(period[1])}
    return {name: value for name, value in days.items() if value}


def holds(period: Period, number: int) -> bool:
    start, end = period
    return (start is None or start <= number) and (end is None or number < end)


def meet(one: Period, other: Period) -> bool:
    return any(holds(one, number) and holds(other, number) for number in range(-30, 31))


@pytest.mark.parametrize("declared", ["fala_com", "fala-com", "Fala com", "FALA_COM"])
@pytest.mark.parametrize("written", ["fala_com", "fala com"])
def test_of_a_predicate_of_many_values_all_stand_side_by_side(ready, agent, declared, written):
    declare(ready, **{declared: {"many": True}})
    for name in ("Ana", "Bia", "Caio"):
        done = agent("remember", content=f"Helena fala com {name}.", predicate=written, object=name, **FACT)
        assert (done.decision, done.superseded) == ("created", None)
    found = agent("facts", subject="Helena", predicate="fala_com").facts
    assert {(one.object, one.validity, one.valid_until, one.superseded_on) for one in found} == {
        (name, "current", None, None) for name in ("Ana", "Bia", "Caio")
    }
    assert all(one.supersedes == one.superseded_by == [] for one in found)
    assert agent("lint", rules=["fact_contradiction"]).findings == []


def test_the_same_value_of_such_a_predicate_is_written_once(ready, agent):
    declare(ready, fala={"many": True})
    agent("remember", content="Helena fala inglês.", predicate="fala", object="inglês", **FACT)
    assert (
        agent("remember", content="Helena fala inglês.", predicate="fala", object="Inglês", **FACT).decision
        == "skipped"
    )


@pytest.mark.parametrize("options", [None, {}, {"many": False}])
def test_of_any_other_predicate_the_new_value_takes_the_place(ready, agent, options):
    declare(ready, **({} if options is None else {"mora_em": options}), fala={"many": True})
    agent("remember", content="Helena mora no centro.", predicate="mora_em", object="centro", **FACT)
    assert agent("remember", content="Helena mora na serra.", predicate="mora_em", object="serra", **FACT).decision == (
        "superseded"
    )
    assert len(agent("facts", predicate="mora_em").facts) == 2
    ready.note("memory/facts/c.md", "Helena mora na praia.", predicate="mora-em", object="praia", **FACT)
    assert len(agent("lint", rules=["fact_contradiction"]).findings) == 1
    declare(ready, mora_em={"many": True})
    assert agent("lint", rules=["fact_contradiction"]).findings == []


@hypothetical
@given(one=periods, other=periods, as_of=st.integers(-12, 12))
def test_facts_contradict_each_other_where_both_hold_today_alone(ready, agent, one, other, as_of):
    for name, period in (("a", one), ("b", other)):
        ready.note(f"memory/facts/{name}.md", "X.", predicate="mora_em", object=name, **FACT, **keys(period))
    found = agent("lint", rules=["fact_contradiction"]).findings
    assert bool(found) == (holds(one, 0) and holds(other, 0))
    shown = {fact.object: fact.validity == "current" for fact in agent("facts", as_of=day(as_of)).facts}
    assert shown == {"a": holds(one, as_of), "b": holds(other, as_of)}


@hypothetical
@given(one=periods, other=periods)
def test_a_new_fact_takes_a_place_only_where_the_periods_meet_and_never_contradicts(ready, agent, one, other):
    for file in (ready.root / "memory").rglob("*.md"):
        file.unlink()
    ready.note("memory/facts/a.md", "Helena mora em A.", predicate="mora_em", object="A", **FACT, **keys(one))
    old = ready.text("memory/facts/a.md")
    done = agent("remember", content="Helena mora em B.", predicate="mora_em", object="B", **FACT, **keys(other))
    if not meet(one, (other[0] or 0, other[1])):
        assert done.decision == "created"
    if done.decision == "created":
        assert ready.text("memory/facts/a.md") == old
    assert agent("lint", rules=["fact_contradiction"]).findings == []
    both = [
        date.fromisoformat(fact.valid_from or BEFORE) for fact in agent("facts").facts if fact.validity == "current"
    ]
    assert len(both) <= 1
