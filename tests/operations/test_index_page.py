"""The catalogue page: every note as a link, by type and title, made on demand."""

from __future__ import annotations

from brain.services import shown
from brain.services.reads import catalogue


def test_a_new_brain_has_an_empty_catalogue(ready):
    assert catalogue.text() == "# All notes\n"


def test_notes_are_listed_by_type_and_title_and_those_of_no_known_type_last(ready):
    ready.note("memory/gotchas/b.md", "Um.", type="gotcha", title="Zebra")
    ready.note("memory/gotchas/a.md", "Dois.", type="gotcha", title="abacaxi")
    ready.note("wiki/SQS.md", "Fila.", type="entity")
    ready.note("wiki/odd.md", "Estranha.", type="poema")
    ready.write("solta.md", "# A [solta] | nota\n")
    ready.note("memory/_archive/velha.md", "Velha.", type="gotcha")
    assert catalogue.text().split("\n") == [
        "# All notes", "",
        "## gotcha", "", "- [[memory/gotchas/a|abacaxi]]", "- [[memory/gotchas/b|Zebra]]", "",
        "## entity", "", "- [[wiki/SQS|SQS]]", "",
        "## Other notes", "", "- [[solta|A (solta) / nota]]", "- [[wiki/odd|odd]]", "",
    ]  # fmt: skip


def test_every_note_of_a_large_brain_is_listed(ready, monkeypatch):
    monkeypatch.setattr(catalogue, "_PAGE", 7)
    for number in range(30):
        ready.write(f"n{number}.md", "x\n")
    assert catalogue.text().count("- [[") == 30


def test_it_is_never_written_into_the_brain(ready, agent, unchanged):
    with unchanged():
        catalogue.text()


def test_only_the_newest_notes_shown_are_remembered(ready, agent, monkeypatch):
    monkeypatch.setattr(shown, "_MOST", 3)
    for number in range(5):
        ready.write(f"n{number}.md", f"Texto {number}.\n")
        agent("read", path=f"n{number}.md")
    assert len(shown._seen) == 3
