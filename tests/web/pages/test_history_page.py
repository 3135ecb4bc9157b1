"""The versions of a note, compared."""

from __future__ import annotations

import pytest

HTMX = {"HX-Request": "true"}
PATH = "memory/gotchas/fila.md"


@pytest.fixture
def versions(brain):
    names = []
    for text in ("Primeira linha.\nIgual.", "Segunda linha.\nIgual.", "Terceira linha.\nIgual."):
        brain.note(PATH, text, type="gotcha", title="Fila")
        names.append(brain.commit(text[:8])[:10])
    return names


def test_the_newest_two_are_compared(versions, see):
    page = see(f"/path/{PATH}/history")

    assert "<del>Segunda</del>" in page.html
    assert "<ins>Terceira</ins>" in page.html
    assert page.html.count('name="from"') == 3


def test_any_two_are_compared_and_htmx_gets_the_difference_alone(versions, see):
    html = see(f"/path/{PATH}/history?from={versions[0]}&to={versions[2]}", **HTMX).html

    assert "<del>Primeira</del>" in html
    assert "<form" not in html


def test_the_file_as_it_is_counts_as_a_version_until_it_is_recorded(versions, brain, see):
    assert 'value="now"' not in see(f"/path/{PATH}/history").html
    brain.note(PATH, "Quarta linha.\nIgual.", type="gotcha", title="Fila")

    assert "<ins>Quarta</ins>" in see(f"/path/{PATH}/history").html


@pytest.mark.parametrize("odd", ["--help", "HEAD", "0000000000", "../x", "a" * 5000])
def test_a_version_that_is_not_listed_is_not_looked_for(versions, see, odd):
    assert "is not on this page" in see(f"/path/{PATH}/history", {"from": odd, "to": versions[0]}).text


def test_a_renamed_note_keeps_its_versions(versions, brain, see):
    brain.git("mv", PATH, "memory/gotchas/nova.md")
    brain.commit("Move")

    assert see("/path/memory/gotchas/nova.md/history").html.count('name="to"') == 4


def test_a_version_of_an_agent_names_it_and_leads_to_its_operation(brain, agent, see):
    brain.commit()
    done = agent("remember", content="A fila ficou sem dono.", type="gotcha", title="Fila")
    page = see(f"/n/{done.id}/history")

    assert "Claude Code wrote" in page.text
    assert f"/activity/{done.op}" in page.links.values()


def test_a_note_without_versions_says_so(brain, see):
    brain.commit()
    brain.write("solta.md", "Texto.\n")

    assert "No version of this note is recorded" in see("/path/solta.md/history").text


def test_a_history_of_nothing_is_not_found(brain, person):
    assert person.get("/path/nada.md/history").status_code == 404
    assert person.get("/n/nada/history").status_code == 404
