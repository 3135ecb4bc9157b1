"""Search: what is found and how it is shown, and why nothing is."""

from __future__ import annotations

import re

import pytest

from brain import operations
from brain.caller import Caller, Kind, Surface

HTMX = {"HX-Request": "true"}


@pytest.fixture
def filled(brain):
    brain.note(
        "wiki/entities/Bacalhau.md", "Peixe zarabatana da [[Noruega]].", type="entity", title="Bacalhau", tags=["peixe"]
    )
    brain.note("memory/gotchas/lote.md", "# Lote\n\n## Em português\n\nA **visibilidade** é menor que o lote.", type="gotcha",
               title="Lote", scope="project:atlas")  # fmt: skip
    brain.note("memory/facts/f.md", "O Atlas usa RabbitMQ.", type="fact", title="Fila", valid_from="2026-01-14",
               valid_until="2026-05-03")  # fmt: skip


def test_a_word_of_the_body_is_found_and_marked(filled, see):
    page = see("/search?q=zarabatana")

    assert "Bacalhau" in page.links
    assert "<mark>zarabatana</mark>" in page.html
    assert "1 note found" in page.text
    assert "by words" in page.text


@pytest.mark.parametrize("query", ["portugues", "PORTUGUÊS", "português", "visibilidade"])
def test_accents_and_case_hide_nothing(filled, see, query):
    assert "Lote" in see("/search", {"q": query}).links


def test_the_heading_above_the_passage_is_shown_and_led_to(filled, see):
    page = see("/search?q=visibilidade")

    assert "Em português" in page.text
    assert page.links["Lote"].endswith("lote.md#em-portugues")


def test_a_note_that_no_longer_holds_says_so_and_held_on_its_day(filled, see):
    assert "No longer holds" in see("/search?q=RabbitMQ").text
    assert "No longer holds" not in see("/search?q=RabbitMQ&as_of=2026-02-01").text
    assert "Does not hold yet" in see("/search?q=RabbitMQ&as_of=2025-02-01").text


def test_htmx_gets_the_answer_alone_with_its_address(filled, person):
    answer = person.get("/search?q=zarabatana&type=&scope=&as_of=", headers=HTMX)
    html = answer.content.decode()

    assert "<html" not in html
    assert 'id="results"' in html
    assert 'hx-swap-oob="innerHTML">1 note found' in html
    assert answer["HX-Replace-Url"] == "/search?q=zarabatana"
    assert "HX-Request" in answer["Vary"]


def test_facets_count_what_the_words_find(filled, see):
    page = see("/search?q=lote rabbitmq&type=gotcha")

    assert '<a class="badge" href="/search?q=lote+rabbitmq">All</a>' in page.html
    assert "/search?q=lote+rabbitmq&amp;type=fact" in page.html


def test_nothing_found_says_which_word_and_offers_to_drop_a_filter(filled, see):
    page = see("/search?q=zarabatana&type=rule")

    assert "Nothing was found here." in page.text
    assert page.links["Search without the type: 1 note"] == "/search?q=zarabatana"
    assert "No note has “xilindró”" in see("/search?q=xilindró").text


def test_signs_without_a_word_find_nothing_and_break_nothing(filled, see):
    for query in ("---", '"', "*", "NEAR(", "'; DROP TABLE note", "%"):
        see("/search", {"q": query})


@pytest.mark.parametrize(("name", "value"), [("type", "poema"), ("as_of", "ontem"), ("scope", "a b")])
def test_a_filter_that_is_none_is_refused_with_what_to_do(filled, see, name, value):
    page = see("/search", {"q": "lote", name: value}, status=400)

    assert "Correct the argument" in page.text


def test_a_query_comes_back_as_text(filled, see):
    evil = '<script>alert(1)</script>"><img src=x onerror=alert(1)>'
    html = see("/search", {"q": evil}).html

    assert "<script>alert" not in html
    assert "<img" not in html


def test_without_a_query_there_is_the_form_alone(filled, see):
    page = see("/search")

    assert 'name="q"' in page.html
    assert "mark" not in page.text


def cells(html: str) -> list[list[str]]:
    """Return the rows of the tables of a page, cell by cell."""
    rows = re.findall(r"<tr>(.*?)</tr>", html, re.DOTALL)
    return [[re.sub(r"<[^>]+>", "", cell).strip() for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]  # fmt: skip


def test_each_hit_leads_to_why_it_stands_there_and_the_search_to_all(filled, see):
    page = see("/search?q=lote rabbitmq")

    assert page.links["Why here?"].startswith("/search?q=lote+rabbitmq&explain=1&open=")
    assert page.links["Explain the order"] == "/search?q=lote+rabbitmq&explain=1"
    assert '<details class="why"' not in page.html
    back = see("/search?q=lote rabbitmq&explain=1")
    assert back.links["Without the explanations"] == "/search?q=lote+rabbitmq"
    assert back.html.count('<details class="why">') == 2


def test_the_tables_of_a_hit_are_what_search_says_of_it(filled, see):
    page = see("/search?q=de xilindró visibilidades lote&type=gotcha&explain=1&open=1")
    asked = {"query": "de xilindró visibilidades lote", "types": ["gotcha"], "explain": True}
    (hit,) = operations.dispatch("search", Caller(Kind.HUMAN, "cli", Surface.CLI), asked).hits
    why, rows = hit.explanation, cells(page.html)

    assert page.html.count('<details class="why" open>') == 1
    assert why.summary in page.text
    (typed,) = (match for match in why.matches if match.term == "lote" and match.how == "typed")
    assert ["lote", "lote", "as typed", "title ×5, other names ×3, text ×1", f"{typed.points:.4f}"] in rows
    stems = [row for row in rows if row[0] == "visibilidades" and row[2] == "its stem"]
    assert {row[3] for row in stems} == {"stems ×1"}
    assert ["xilindró", "—", "not in this note", "—", "0.0000"] in rows
    assert ["de", "—", "says little, so it was not looked for", "—", "0.0000"] in rows
    assert ["Sum", f"{why.words:.4f}"] in rows
    assert ["Score", f"= {why.score:.4f}"] in rows
    assert [row[1:] for row in rows if row[0] == "any word, its forms and those spelled alike"] == [
        ["1", "1", f"{why.words:.4f}"]
    ]
    assert ["As it stands", "1"] in rows


def test_the_weights_of_ring_and_past_and_what_is_spelled_alike_are_told(brain, filled, see):
    brain.note("raw/articles/a.md", "Uma zarabatana.", trust="low")
    rows = cells(see("/search?q=RabbitMC&explain=1").html)

    assert ["RabbitMC", "rabbitmq", "spelled almost like it", "text ×1"] in [row[:4] for row in rows]
    assert ["Ring", "ring 2", "× 1.0000"] in rows
    assert ["Past", "it no longer holds on that day", "× 0.5000"] in rows
    assert [row[0] for row in rows if row[1:3] == ["0", "—"]] == ["all terms as typed"]
    assert ["Ring", "ring 4", "× 0.8000"] in cells(see("/search?q=zarabatana&explain=1").html)


def test_htmx_gets_the_explained_answer_with_its_address(filled, person):
    answer = person.get("/search?q=zarabatana&explain=1&open=1", headers=HTMX)

    assert answer["HX-Replace-Url"] == "/search?q=zarabatana&explain=1&open=1"
    assert '<details class="why" open>' in answer.content.decode()


@pytest.mark.parametrize("opened", ["", "0", "-1", "9", "x", "²", "9999999999"])
def test_a_place_that_is_none_opens_nothing(filled, see, opened):
    page = see("/search", {"q": "zarabatana", "explain": "1", "open": opened})

    assert '<details class="why">' in page.html


def test_filters_stay_explained_and_counts_are_not(filled, see):
    page = see("/search?q=lote rabbitmq&type=gotcha&explain=1&open=1")

    assert 'href="/search?q=lote+rabbitmq&amp;explain=1">All</a>' in page.html
    assert '<input type="hidden" name="explain" value="1">' in page.html
    nothing = see("/search?q=zarabatana&type=rule&explain=1")
    assert nothing.links["Search without the type: 1 note"] == "/search?q=zarabatana"
