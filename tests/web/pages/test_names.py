"""The notes that a link being typed may mean."""

from __future__ import annotations

from brain.index import names


def asked(person, text, near=""):
    answer = person.get("/names", {"q": text, "near": near})
    assert answer.status_code == 200
    return answer.json()["names"]


def test_names_begin_as_it_was_typed_whatever_accents_and_case(brain, person):
    brain.note("wiki/p.md", "Texto.", type="concept", title="Português")
    brain.note("wiki/q.md", "Texto.", type="concept", title="Outra", aliases=["Portugal"])
    for text in ("portugues", "PORTUGUÊ", "português"):
        assert [one["title"] for one in asked(person, text)] == ["Português"]
    assert {one["title"] for one in asked(person, "portug")} == {"Português", "Outra"}
    assert asked(person, "português")[0] == {
        "title": "Português", "type": "Concept", "path": "wiki/p.md", "link": "Português",
    }  # fmt: skip


def test_ten_at_most_and_each_link_means_its_note(brain, person):
    for number in range(15):
        brain.note(f"wiki/n{number}.md", "Texto.", type="concept", title=f"Nota {number:02}")
    for folder in "ab":
        brain.note(f"wiki/{folder}/Igual.md", "Texto.", type="concept", title="Igual")
    brain.note("wiki/c.md", "Texto.", type="concept", title="Com ]] sinais")
    assert len(asked(person, "nota")) == 10
    assert len(asked(person, "")) == 10
    found = asked(person, "igual") + asked(person, "com")
    assert len(found) == 3
    for one in found:
        assert names.resolve(f"[[{one['link']}]]").path == one["path"]


def test_archived_notes_are_not_offered_and_odd_questions_find_nothing(brain, person, stranger):
    brain.note("memory/_archive/wiki/Velha.md", "Texto.", type="concept", title="Velha")
    assert asked(person, "velha") == []
    assert asked(person, "%_'\"\\") == []
    assert asked(person, "x" * 5000, near="../..") == []


def test_a_stranger_is_told_no_name(brain, stranger):
    brain.note("wiki/Segredo.md", "Texto.", type="concept")
    answer = stranger.get("/names", {"q": "seg"})
    assert answer.status_code == 403
    assert "Segredo" not in answer.content.decode()
