"""Notes that are too big for a page: each page answers, says what it leaves out, and loses nothing."""

from __future__ import annotations

import re

import pytest

from brain.note import markdown
from brain.services.editing import merging
from brain.services.linting import linking, mending

ID = "01KQPZF6802AANSDCC7VW7PQ4J"
PATH = "wiki/concepts/grande.md"
TABLE = "| a | b |\n|---|---|\n" + "| 1 | 2 |\n" * 50_000
PLAIN = "This text is too big to be laid out."


@pytest.fixture
def big(brain, monkeypatch):
    """A note that no parser may be given."""
    monkeypatch.setattr(markdown, "_parser", None)
    brain.note(PATH, TABLE, id=ID, type="concept", title="Grande")
    brain.commit()
    return brain


def test_a_text_too_big_to_be_laid_out_is_shown_whole_as_it_is_typed(big, see):
    page = see(f"/n/{ID}")

    assert PLAIN in page.text
    assert page.html.count("| 1 | 2 |") == 50_000


def test_its_editor_and_preview_say_so_too(big, see, send):
    assert PLAIN in see(f"/n/{ID}/edit").text
    preview = send(f"/n/{ID}/preview", {"text": TABLE + "fim\n", "base": ""})
    assert PLAIN in preview.content.decode()


def test_a_passage_of_it_is_still_marked(big, see):
    page = see(f"/n/{ID}?line=400")

    assert PLAIN in page.text
    assert re.search(r'<div class="cited"[^>]*><pre tabindex="0">\|', page.html)


def test_a_difference_shows_its_beginning_and_says_where_the_rest_is(brain, see):
    brain.note(PATH, "Antes.", id=ID, type="concept", title="Grande")
    brain.commit()
    brain.note(PATH, "\n".join(f"linha {number}" for number in range(20_000)), id=ID, type="concept", title="Grande")
    brain.commit()
    page = see(f"/n/{ID}/history")

    assert "too much to show here" in page.text
    assert "+20000" in page.text
    assert page.html.count('<tr class="added">') < 2_000


def test_a_conflict_in_very_many_places_is_one_to_choose_whole():
    mine = "".join(f"minha {number}\nigual {number}\n" for number in range(merging.MOST_PLACES + 1))
    theirs = mine.replace("minha", "outra")
    found = merging.stretches(mine, theirs)

    assert [one.number for one in found] == [0, None]
    assert merging.chosen(found, {0: "mine"}) == mine
    assert merging.chosen(found, {0: "theirs"}) == theirs


def test_a_text_of_the_largest_size_reaches_the_editor_and_a_larger_request_is_told_in_its_own_words(big, send, post):
    text = "é" * 2_600_000
    answer = send(f"/n/{ID}/preview", {"text": text, "base": ""})
    assert answer.status_code == 200

    answer = send(f"/n/{ID}/preview", {"text": "a" * 16_000_001, "base": ""})
    assert answer.status_code == 413
    assert "Nothing was changed" in answer.content.decode()
    assert "several smaller notes" in answer.content.decode()
    error = post("search", '{"query": "%s"}' % ("a" * 16_000_001)).json()["error"]
    assert error["code"] == "invalid_argument"
    assert "several smaller notes" in error["next_step"]


def test_very_many_broken_links_are_all_named_and_few_of_them_compared_with_other_names(
    brain, person, agent, monkeypatch
):
    asked = []
    monkeypatch.setattr(mending, "nearest", lambda name, _known: asked.append(name))
    brain.note(PATH, "\n".join(f"[[Nota {number}]]" for number in range(5_000)), id=ID, type="concept", title="Grande")
    found = agent("lint", rules=["broken_link"])

    assert found.total == 5_000
    assert len(asked) == linking._MOST_NEAREST
