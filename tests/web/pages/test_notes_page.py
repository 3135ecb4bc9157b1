"""The list of notes: narrowed, sorted, in pages."""

from __future__ import annotations

import pytest

from brain.index import listing


@pytest.fixture
def many(brain):
    for number in range(60):
        brain.note(
            f"memory/gotchas/g{number:02}.md", "Texto.", type="gotcha", title=f"Armadilha {number:02}",
            updated=f"2026-01-01T10:{number:02}:00Z", scope="project:atlas" if number % 2 else "global",
        )  # fmt: skip
    brain.note(
        "wiki/entities/a.md", "Texto.", type="entity", title="Ábaco", updated="2025-01-01T00:00:00Z", private=True
    )
    brain.write("solta.md", "Sem tipo.\n")
    brain.note("memory/_archive/velha.md", "Velha.", title="Velha")


def test_the_newest_come_first_and_a_page_holds_fifty(many, see):
    page = see("/notes?type=gotcha")

    assert list(page.links).index("Armadilha 59") < list(page.links).index("Armadilha 58")
    assert "Armadilha 09" not in page.links
    assert "Page 1 of 2" in page.text
    assert "Armadilha 09" in see("/notes?type=gotcha&page=2").links


def test_a_page_beyond_the_last_is_the_last(many, see):
    for number in ("99", "0", "-1", "x", "²", "9" * 30):
        assert see("/notes", {"page": number}).heads == ["Notes"]


def test_titles_are_sorted_without_regard_to_accents(many, see):
    links = list(see("/notes?sort=title").links)

    assert links.index("Ábaco") < links.index("Armadilha 00") < links.index("Armadilha 01")


def test_types_scopes_and_notes_without_a_type_can_be_chosen(many, see):
    assert "Ábaco" not in see("/notes?type=gotcha").links
    assert "Armadilha 01" not in see("/notes?scope=global&sort=title").links
    assert "solta" in see("/notes?type=none").links
    assert see("/notes?sort=title").links["Entity"] == "/notes?type=entity&sort=title"


def test_a_private_note_carries_its_lock_and_an_archived_one_is_left_out(many, see):
    page = see("/notes?type=entity")

    assert 'aria-label="Private"' in page.html
    assert "Velha" not in see("/notes?type=none").links


def test_notes_whose_fields_cannot_be_read_are_listed_beside_the_others(brain, see):
    brain.note("wiki/boa.md", "Texto.", type="concept", title="Boa")
    brain.write("wiki/ruim.md", "---\ntitle: a: b: c\n---\nTexto.\n")
    brain.write("wiki/latim.md", b"---\ntype: concept\n---\nConfigura\xe7\xe3o\n")

    assert {"Boa", "ruim", "latim"} <= see("/notes").links.keys()


def test_what_does_not_exist_says_so(many, see):
    assert "No note is like this." in see("/notes?type=poema").text


def test_an_empty_brain_has_an_empty_list(see):
    assert "There are no notes yet." in see("/notes").text


def test_names_of_many_paths_are_found_at_once(many, person):
    person.get("/notes")
    found = listing.nameplates(["wiki/entities/a.md", "solta.md", "nada.md"])

    assert {path: one.title for path, one in found.items()} == {"wiki/entities/a.md": "Ábaco", "solta.md": "solta"}
