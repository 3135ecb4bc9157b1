"""Lint: findings by rule, each leading to its place."""

from __future__ import annotations

import pytest


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
    assert page.html.count('aria-current="true"') == 1


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
