"""Lint: findings by rule, each leading to its place."""

from __future__ import annotations

import pytest

from brain.services.health import checkup


@pytest.fixture
def faulty(brain):
    brain.write("quebrada.md", "---\ntype: [gotcha\n---\n\nTexto.\n")
    brain.note("memory/gotchas/fila.md", "Um.\n\nVer [[Nada disso]].", type="gotcha", title="Fila")
    for number, place in enumerate(("Praça da Sé", "Rua do Ouvidor")):
        brain.note(
            f"memory/facts/sede-{number}.md", "Sede.", type="fact", title=f"Sede {number}",
            subject="Empresa", predicate="tem_sede", object=place,
        )  # fmt: skip


def test_the_worst_comes_first_and_each_finding_leads_to_its_line(faulty, see):
    page = see("/lint")

    assert page.html.index(">Fields that cannot be read <span") < page.html.index(">Broken links <span")
    assert page.html.index(">Facts that contradict each other <span") < page.html.index(">Broken links <span")
    assert page.links["Fila"] == "/path/memory/gotchas/fila.md?line=8"
    assert "There is no note “Nada disso”." in page.text
    assert "Write the note, correct the name, or take the link away." in page.text
    assert "1 error" in page.text


def test_the_page_of_a_line_marks_the_passage_that_holds_it(faulty, see):
    page = see("/path/memory/gotchas/fila.md?line=8")

    cited = page.html.partition('id="cited"')[2].partition("</div>")[0]
    assert "Nada disso" in cited
    assert "Um." not in cited


@pytest.mark.parametrize("line", ["0", "2", "999", "x", "²", "9" * 30])
def test_a_line_outside_the_text_marks_nothing(faulty, see, line):
    assert 'id="cited"' not in see("/path/memory/gotchas/fila.md", {"line": line}).html


def test_one_rule_is_shown_alone_with_the_notes_beside_it(faulty, see):
    page = see("/lint?rule=fact_contradiction")

    assert "Fila" not in page.links
    assert page.links["Sede 0"] == "/path/memory/facts/sede-0.md"
    assert page.links["Sede 1"] == "/path/memory/facts/sede-1.md"
    assert page.html.count('aria-current="true"') == 2  # the tab, and the rule


def test_of_many_findings_of_a_rule_the_first_are_shown_with_the_way_to_all(brain, see):
    for number in range(20):
        brain.note(f"memory/gotchas/g{number:02}.md", "Texto.", type="gotcha", title=f"Armadilha {number:02}")
    brain.note("memory/gotchas/ver.md", "[[Nada]]", type="gotcha", title="Ver")
    page = see("/lint")

    assert "Armadilha 14" in page.links
    assert "Armadilha 15" not in page.links
    assert page.links["All 20"] == "/lint?rule=orphan_note"
    assert "Armadilha 19" in see("/lint?rule=orphan_note").links


def test_a_brain_without_faults_says_when_it_looked(brain, see):
    brain.note("a.md", "Ver [[b]].", title="a")
    brain.note("b.md", "Ver [[a]].", title="b")

    assert "Nothing to mend." in see("/lint").text
    assert "2 notes looked at just now." in see("/lint").text
    assert "This rule finds nothing." in see("/lint?rule=broken_link").text


def test_a_rule_that_does_not_exist_counts_as_not_said(faulty, see):
    assert "Fila" in see("/lint?rule=poesia").links


@pytest.fixture
def mendable(brain):
    brain.note("wiki/Apache Kafka.md", "Fila.", type="entity", title="Apache Kafka")
    brain.note("wiki/nota.md", "Ver [[Apache Kafca]] e [[Outra coisa]].", type="concept", title="Nota")
    brain.commit()
    return brain


def test_what_has_one_mend_is_mended_by_a_plain_form_and_can_be_undone(mendable, send, see):
    page = see("/lint?rule=broken_link")
    assert page.html.count('action="/lint/mend"') == 1

    answer = send("/lint/mend", {"rule": "broken_link", "path": "wiki/nota.md", "line": "6", "shown": "broken_link"})
    assert (answer.status_code, answer["Location"]) == (302, "/lint?rule=broken_link")
    assert "[[wiki/Apache Kafka]]" in (mendable.root / "wiki/nota.md").read_text(encoding="utf-8")
    after = see("/lint?rule=broken_link")
    assert "Mended in wiki/nota.md." in after.text
    assert "Outra coisa" in after.text
    assert 'action="/lint/mend"' not in after.html


def test_what_has_no_mend_is_refused_and_nothing_changes(mendable, send):
    before = (mendable.root / "wiki/nota.md").read_bytes()
    for rule, line in (("broken_link", "1"), ("orphan_note", "6"), ("broken_link", "9" * 9), ("broken_link", "x")):
        answer = send("/lint/mend", {"rule": rule, "path": "wiki/nota.md", "line": line})
        assert answer.status_code in (400, 404)
        assert (mendable.root / "wiki/nota.md").read_bytes() == before


def test_nothing_is_mended_by_get_or_without_the_token(mendable, person):
    assert person.get("/lint/mend").status_code == 405
    assert person.post("/lint/mend", {"rule": "broken_link", "path": "wiki/nota.md"}).status_code == 403


def test_the_doctor_stands_beside_the_findings_with_what_mends_each_fault(brain, see, monkeypatch):
    assert see("/lint").links["Doctor"] == "/lint/doctor"
    monkeypatch.setattr(checkup, "LEAST_SPACE", 1 << 62)
    (brain.root / ".git" / "MERGE_HEAD").write_text("0" * 40 + "\n")
    page = see("/lint/doctor")
    assert page.links["Findings"] == "/lint"
    order = [page.html.index(f">{name}</span>") for name in ("repository_busy", "disk_space", "sqlite")]
    assert order == sorted(order)
    assert "git merge --abort" in page.text
