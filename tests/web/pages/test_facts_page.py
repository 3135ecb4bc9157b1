"""Facts: what was true of what, on which day, and what took its place."""

from __future__ import annotations

import re
from datetime import date

import pytest

from brain.web.viewmodels.facts import axis

HTMX = {"HX-Request": "true"}


def fact(brain, name, object_, **fields):
    given = {"type": "fact", "title": name, "subject": "[[Atlas]]", "predicate": "uses_queue", "object": object_}
    brain.note(f"memory/facts/{name}.md", "Texto.", **{**given, **fields})


@pytest.fixture
def queues(brain):
    brain.note("wiki/entities/atlas.md", "Projeto.", type="entity", title="Atlas")
    fact(brain, "antes", "RabbitMQ", valid_from="2026-01-10", valid_until="2026-05-03", superseded_by=["[[depois]]"])
    fact(brain, "depois", "SQS", valid_from="2026-05-03", supersedes=["[[antes]]"])
    fact(brain, "outro", "Ana", predicate="led_by", subject="Empresa")


def lane(page, title):
    """Return the row of the fact that is written in a note."""
    return next(row for row in page.html.split('class="lane-fact')[1:] if f">{title}</a></p>\n  </li>" in row)


def test_a_fact_shows_whether_it_holds_and_what_took_its_place(queues, see):
    page = see("/facts")

    assert "Replaced" in lane(page, "antes")
    assert "10 jan 2026 to 2 may 2026" in lane(page, "antes")
    assert 'replaced by <a href="/path/memory/facts/depois.md">depois</a>' in lane(page, "antes")
    assert "Holds" in lane(page, "depois")
    assert 'in place of <a href="/path/memory/facts/antes.md">antes</a>' in lane(page, "depois")
    assert "3 facts · 2 hold on this day" in page.text


def test_the_day_changes_what_holds(queues, see):
    page = see("/facts?as_of=2026-02-01")

    assert "Holds" in lane(page, "antes")
    assert "Does not hold yet" in lane(page, "depois")
    assert 'value="2026-02-01"' in page.html
    assert page.links["Back to today"] == "/facts"


def test_the_last_day_of_a_fact_is_the_one_before_the_next_begins(queues, see):
    assert "Holds" in lane(see("/facts?as_of=2026-05-02"), "antes")
    assert "Holds" in lane(see("/facts?as_of=2026-05-03"), "depois")


def test_the_slider_gives_the_list_and_the_day_alone(queues, see):
    day = date(2026, 2, 1)
    page = see(f"/facts?as_of=2026-11-30&day={day.toordinal()}", **HTMX, **{"HX-Trigger-Name": "day"})

    assert "<h1" not in page.html
    assert "Holds" in lane(page, "antes")
    assert 'id="as-of" type="date" name="as_of" value="2026-02-01" required hx-swap-oob="true"' in page.html
    assert 'id="facts-slider"' not in page.html


def test_the_form_does_not_change_the_field_that_one_types_in(queues, see):
    page = see("/facts?as_of=2026-02-01&subject=Atlas", **HTMX, **{"HX-Trigger": "facts-form"})

    assert 'id="as-of"' not in page.html
    assert 'id="facts-slider"' in page.html
    assert "Ana" not in page.text


@pytest.mark.parametrize("day", ["0", "9999999", "99999999999", "x", "²"])
def test_a_slider_far_away_breaks_nothing(queues, see, day):
    see("/facts", {"day": day}, **HTMX, **{"HX-Trigger-Name": "day"})


def test_subject_predicate_and_object_narrow_the_list(queues, see):
    assert "Ana" not in see("/facts?subject=atlas").text
    assert "SQS" not in see("/facts?predicate=led-by").text
    page = see("/facts?object=sqs")
    assert "SQS" in page.text
    assert ">RabbitMQ<" not in page.html


def test_what_contradicts_itself_comes_first_and_leads_to_lint(queues, brain, see):
    fact(brain, "zeta-1", "Rua A", subject="Zeta", predicate="sede")
    fact(brain, "zeta-2", "Rua B", subject="Zeta", predicate="sede")
    page = see("/facts")

    assert "These hold at once: “Rua A”, “Rua B”. Which one is right?" in page.text
    assert page.links["What would mend it"] == "/lint?rule=fact_contradiction"
    assert page.html.index(">Zeta<") < page.html.index(">Empresa<")


def test_a_predicate_of_many_values_does_not_contradict_itself(brain, see):
    brain.write(".cabecao.json", '{"schema_version": 1, "predicates": {"sede": {"many": true}}}')
    fact(brain, "zeta-1", "Rua A", subject="Zeta", predicate="sede")
    fact(brain, "zeta-2", "Rua B", subject="Zeta", predicate="sede")

    assert "at once" not in see("/facts").text


def test_an_empty_brain_says_what_a_fact_is(see):
    assert "There are no facts yet" in see("/facts").text
    assert "No fact fits." in see("/facts?predicate=nada").text


def test_a_day_that_is_none_is_refused_with_a_next_step(queues, person):
    assert person.get("/facts?as_of=2026-13-40").status_code == 400


def test_an_axis_keeps_its_days_in_order_and_few_ticks():
    for last in (date(2026, 1, 2), date(2026, 9, 1), date(2031, 1, 1), date(2500, 1, 1)):
        found = axis.around([date(2026, 1, 1), last])
        places = [found.place(day) for day in (found.low, date(2026, 1, 1), last, found.high)]
        assert places == sorted(places)
        assert (places[0], places[-1]) == (0, 100)
        assert 1 <= len(found.ticks()) <= 7


def test_a_fact_for_ever_does_not_push_the_others_together(queues, brain, see):
    fact(brain, "sempre", "Kafka", predicate="knows", valid_from="2026-03-01", valid_until="9999-12-31")

    highest = int(re.search(r'type="range" [^>]*max="(\d+)"', see("/facts").html)[1])

    assert date.fromordinal(highest).year < 2100


def test_days_at_the_ends_of_the_calendar_have_an_axis():
    found = axis.around([date.min, date.max])

    assert found.place(date.max) == 100
    assert len(found.ticks()) <= 7
