"""Search: what is found and how it is shown, and why nothing is."""

from __future__ import annotations

import pytest

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
