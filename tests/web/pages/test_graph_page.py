"""The graph: a note's neighbourhood first, the whole brain on demand, as a list and as the data of a drawing."""

from __future__ import annotations

import pytest

from brain.web.viewmodels.graph import layout, near, whole

HTMX = {"HX-Request": "true"}


@pytest.fixture
def atlas(brain):
    brain.note("wiki/entities/atlas.md", "Usa [[SQS]].", type="entity", title="Atlas", depends_on=["[[Ana]]"])
    brain.note("wiki/concepts/sqs.md", "Fila.", type="concept", title="SQS")
    brain.note("wiki/entities/ana.md", "Pessoa.", type="entity", title="Ana")
    brain.note("memory/gotchas/fila.md", "Ver [[SQS]].", type="gotcha", title="Fila cheia", valid_until="2020-01-01")
    brain.note("solta.md", "Sozinha.", title="Solta")


@pytest.fixture
def data(person):
    def get(**asked):
        answer = person.get("/graph/data", asked)
        assert answer.status_code == 200, answer.content[:300]
        found = answer.json()
        titles = [one["title"] for one in found["points"]]
        lines = {(titles[source], said, titles[target]) for source, target, said, _is_pale in found["lines"]}
        return found["points"], lines

    return get


def test_a_graph_that_names_no_note_is_around_the_most_linked_one(atlas, see):
    page = see("/graph")

    assert '<h2><a href="/path/wiki/concepts/sqs.md">SQS</a></h2>' in page.html
    assert "2 neighbours" in page.text
    assert {"Atlas", "Fila cheia"} <= set(page.links)


def test_the_list_says_each_link_and_which_way_it_leads(atlas, see):
    page = see("/graph?node=Atlas")
    ana = page.html.partition(">Ana</a>")[2].partition("</li>")[0]
    sqs = page.html.partition(">SQS</a>")[2].partition("</li>")[0]

    assert "leads there: </span>depends on" in ana
    assert "leads there: </span>links to" in sqs
    assert "comes from there: </span>depends on" in see("/graph?node=Ana").html


def test_two_links_away_the_note_between_is_named(atlas, see):
    page = see("/graph?node=Ana&depth=2")

    assert page.text.index("One link away") < page.text.index("Two links away")
    far = page.html.partition("Two links away")[2]
    assert 'links to <a href="/path/wiki/entities/atlas.md">Atlas</a>' in far
    assert "SQS" in far


def test_type_relation_and_day_narrow_the_graph(atlas, see):
    assert "Fila cheia" not in see("/graph?node=SQS&type=entity").links
    assert "SQS" not in see("/graph?node=Atlas&relation=depends_on").links
    assert "No longer holds" in see("/graph?node=SQS").text
    assert "No longer holds" not in see("/graph?node=SQS&as_of=2019-05-01").html.partition('id="graph"')[2]


def test_the_drawing_has_the_notes_and_links_of_the_list(atlas, see, data):
    points, lines = data(node="SQS", depth=2)
    page = see("/graph?node=SQS&depth=2")

    assert points[0]["title"] == "SQS"
    assert (points[0]["x"], points[0]["y"]) == (0, 0)
    assert {one["title"] for one in points} == {"SQS", "Atlas", "Fila cheia", "Ana"} <= set(page.links)
    assert lines == {
        ("Atlas", "links to", "SQS"),
        ("Fila cheia", "links to", "SQS"),
        ("Atlas", "depends on", "Ana"),
    }
    assert {one["title"]: one["colour"] for one in points}["Fila cheia"] == "pale"


def test_the_whole_brain_has_every_note_that_is_not_archived(atlas, brain, see, data):
    brain.note("memory/_archive/velha.md", "[[SQS]]", title="Velha")
    points, lines = data(whole="1")
    page = see("/graph?whole=1")

    assert {one["title"] for one in points} == {"SQS", "Atlas", "Fila cheia", "Ana", "Solta"}
    assert points[0]["title"] in ("SQS", "Atlas")
    assert ("Fila cheia", "links to", "SQS") in lines
    assert "5 notes · 3 links" in page.text
    assert {"SQS", "Atlas", "Fila cheia", "Ana", "Solta"} <= set(page.links)


def test_the_whole_brain_is_narrowed_too(atlas, data):
    assert {one["title"] for one in data(whole="1", type="entity")[0]} == {"Atlas", "Ana"}
    assert {one["title"] for one in data(whole="1", relation="depends_on")[0]} == {"Atlas", "Ana"}


def test_notes_beyond_what_can_be_drawn_are_folded_by_type(atlas, data, see, monkeypatch):
    monkeypatch.setattr(whole, "MOST_DRAWN", 2)
    points, _lines = data(whole="1")

    assert len([one for one in points if not one["key"].startswith("type:")]) == 2
    assert {one["title"] for one in points if one["key"].startswith("type:")} == {"Entity +1", "Gotcha +1", "Note +1"}
    assert "3 notes are folded by their type in the drawing" in see("/graph?whole=1").text


def test_a_note_with_many_neighbours_shows_sixty_and_says_how_many_more(brain, see, data):
    brain.note("centro.md", "Meio.", title="Centro")
    for number in range(70):
        brain.note(f"n{number:02}.md", "[[Centro]]", title=f"Nota {number:02}")
    page = see("/graph?node=Centro")

    assert "10 more are not shown" in page.text
    assert len(data(node="Centro")[0]) == near.MOST + 1


def test_a_note_that_is_not_there_is_said_and_the_form_stays(atlas, see):
    page = see("/graph?node=Atlass", status=404)

    assert "There is no note “Atlass”." in page.text
    assert 'value="Atlass"' in page.html


def test_a_day_that_is_none_is_refused(atlas, person):
    assert person.get("/graph?whole=1&as_of=ontem").status_code == 400
    assert person.get("/graph?node=SQS&as_of=ontem").status_code == 400


def test_an_empty_brain_says_how_a_link_is_made(see, data):
    assert "There are no links yet." in see("/graph").text
    assert data() == ([], set())


def test_htmx_gets_the_graph_without_the_form(atlas, see):
    page = see("/graph?node=SQS", **HTMX)

    assert "<form" not in page.html.partition('class="graph"')[2]
    assert "<h1" not in page.html


def test_the_data_is_for_the_person_alone(atlas, stranger):
    assert stranger.get("/graph/data", {"whole": "1"}).status_code == 403


def test_the_panel_of_a_note_shows_its_nearest_neighbours(atlas, see):
    page = see("/path/wiki/concepts/sqs.md/neighbours", **HTMX)

    assert page.links["Atlas"] == "/path/wiki/entities/atlas.md"
    assert "comes from there: links to" in page.text
    assert see("/path/wiki/concepts/sqs.md").links["Graph"] != ""
    assert "/graph?node=wiki%2Fconcepts%2Fsqs.md" in see("/path/wiki/concepts/sqs.md").html
    assert "No other note is near." in see("/path/solta.md/neighbours", **HTMX).text


def test_the_same_graph_stands_in_the_same_places():
    names = [f"n{number:03}" for number in range(200)]
    pairs = [(names[number], names[number // 3]) for number in range(1, 200)]
    first = layout.galaxies(names, pairs)

    assert first == layout.galaxies(reversed(names), [(other, one) for one, other in reversed(pairs)])
    assert set(first) == set(names)
    assert len({(round(x, 3), round(y, 3)) for x, y in first.values()}) == 200


def test_the_panel_of_an_archived_note_says_that_nothing_is_near(brain, see):
    brain.note("memory/_archive/wiki/Antiga.md", "Ver [[Outra]].", type="concept")
    brain.write("wiki/Outra.md", "Texto.\n")
    page = see("/path/memory/_archive/wiki/Antiga.md/neighbours", **HTMX)
    assert "No other note is near." in page.text


def test_neighbours_of_neighbours_stand_further_out():
    places = layout.around("a", {"b": "a", "c": "a", "d": "b"})

    far = {note: x * x + y * y for note, (x, y) in places.items()}
    assert far["a"] == 0 < far["b"] < far["d"]
    assert layout.around("a", {}) == {"a": (0, 0)}
