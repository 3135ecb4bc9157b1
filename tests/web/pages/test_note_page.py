"""The page of a note: its text, what stands around it, and its address."""

from __future__ import annotations

import re
import unicodedata

import pytest
from django.db import connections
from django.test.utils import CaptureQueriesContext

from brain.note import blocks

HTMX = {"HX-Request": "true"}

ID = "01KQPZF6802AANSDCC7VW7PQ4J"
PATH = "memory/decisions/sqs.md"


def decide(brain, body="Fila única. Ver [[Idempotência]].", **fields):
    given = {"id": ID, "type": "decision", "title": "SQS no lugar do RabbitMQ", "scope": "project:atlas", **fields}
    brain.note(PATH, body, **given)


def test_the_title_is_the_one_first_heading(brain, see):
    decide(brain, "# SQS no lugar do RabbitMQ\n\nTexto.\n\n## Por quê\n\nCusto.")
    page = see(f"/n/{ID}")

    assert page.heads == ["SQS no lugar do RabbitMQ"]
    assert page.html.count("SQS no lugar do RabbitMQ</h") == 1
    assert '<h2 id="por-que">Por quê</h2>' in page.html


def test_a_heading_that_is_not_the_title_stays(brain, see):
    decide(brain, "Antes.\n\n# SQS no lugar do RabbitMQ\n\nTexto.")

    assert see(f"/n/{ID}").html.count("SQS no lugar do RabbitMQ</h2>") == 1


def test_a_page_that_is_open_hears_that_its_note_has_changed(brain, person, see):
    decide(brain)
    again = re.search(rf'hx-get="(/n/{ID}\?v=[0-9a-f]+)"', see(f"/n/{ID}").html)[1]
    assert person.get(again, headers=HTMX).status_code == 204

    decide(brain, "Outro texto.")
    answer = person.get(again, headers=HTMX)
    assert answer.status_code == 286
    assert f'href="/n/{ID}"' in answer.content.decode()


def test_a_path_leads_to_the_page_of_the_id(brain, person):
    decide(brain)
    answer = person.get(f"/path/{PATH}?b=r2-000000000000")

    assert (answer.status_code, answer["Location"]) == (302, f"/n/{ID}?b=r2-000000000000")


def test_a_note_without_an_id_has_the_page_of_its_path(brain, see):
    brain.write("Sem id.md", "Corpo sem id.\n")

    assert "Corpo sem id." in see("/path/Sem id.md").text


@pytest.mark.parametrize("spelled", ["notas/CAFÉ.md", unicodedata.normalize("NFD", "notas/Café.md")])
def test_a_path_of_another_case_or_form_leads_to_the_real_one(brain, person, spelled):
    brain.write("notas/Café.md", "Corpo.\n")
    answer = person.get(f"/path/{spelled}", follow=True)

    assert answer.status_code == 200
    assert answer.redirect_chain[-1][0] == "/path/notas/Caf%C3%A9.md"


@pytest.mark.parametrize(
    "path",
    ["../etc/passwd", "a/../../x.md", ".git/config", ".cabecao/django.key", "nada.md", "raw/pagina.html", "a\0b.md"],
)
def test_what_is_no_note_of_the_brain_is_not_there(brain, person, path):
    brain.write("raw/pagina.html", "<script>alert(1)</script>")

    assert person.get("/path/" + path.replace("\0", "%00")).status_code == 404


def test_an_unknown_id_says_what_to_do(see):
    page = see("/n/01KQPZF6802AANSDCC7VW7PQ4J", status=404)

    assert "There is no note with this id" in page.text
    assert "Activity" in page.text


def test_links_lead_to_notes_by_title_alias_and_path_or_to_what_is_missing(brain, see):
    brain.note("wiki/concepts/Idempotência.md", "Repetir.", id="01KQPZF6802AANSDCC7VW7PQ4K", aliases=["idempotente"])
    decide(brain, "[[idempotencia]] [[IDEMPOTENTE|assim]] [[wiki/concepts/Idempotência#Por quê]] [[Alarme da DLQ]]")
    page = see(f"/n/{ID}")

    assert page.links["idempotencia"] == page.links["assim"] == "/n/01KQPZF6802AANSDCC7VW7PQ4K"
    assert page.links["wiki/concepts/Idempotência › Por quê"].endswith("#por-que")
    assert page.links["Alarme da DLQ"] == "/missing?title=Alarme+da+DLQ"
    assert "(does not exist yet)" in page.text


def test_of_two_notes_with_one_name_the_page_leads_to_the_one_that_read_and_graph_mean(brain, agent, see):
    for folder in "ab":
        brain.note(f"{folder}/Fila.md", "Espera.", type="concept")
    brain.note("b/x.md", "Ver [[Fila]].", type="concept")

    assert see("/path/b/x.md").links["Fila"] == "/path/b/Fila.md"
    assert [one.path for one in agent("read", path="b/x.md").outgoing_links] == ["b/Fila.md"]
    near = agent("graph", node="b/x.md", relation_types=["wikilink"])
    assert [one.path for one in near.neighbors] == ["b/Fila.md"]


def test_notes_that_embed_each_other_or_themselves_are_shown_with_a_link(brain, agent, see):
    for name, other in (("A", "B"), ("B", "A"), ("C", "C")):
        brain.note(f"wiki/{name}.md", f"Antes ![[{other}]] depois.", type="concept")

    for name, other in (("A", "B"), ("B", "A"), ("C", "C")):
        page = see(f"/path/wiki/{name}.md")
        assert f'href="/path/wiki/{other}.md">{other}</a> depois.' in page.html
        assert agent("read", path=f"wiki/{name}.md").note.content.count("Antes") == 1


def test_the_links_of_a_note_cost_the_same_number_of_questions_however_many(brain, person):
    for number in range(40):
        brain.note(
            f"wiki/entities/E{number}.md", f"[[SQS no lugar do RabbitMQ]] {number}", type="entity", title=f"E{number}"
        )
    counts = []
    for links in (2, 40):
        decide(brain, " ".join(f"[[E{number}]]" for number in range(links)))
        person.get(f"/n/{ID}")
        with CaptureQueriesContext(connections["index"]) as asked:
            assert person.get(f"/n/{ID}").status_code == 200
        counts.append(len(asked))

    assert counts[0] == counts[1] < 20


def test_backlinks_show_the_sentence_that_links(brain, see):
    decide(brain)
    brain.note(
        "wiki/entities/Bruno.md",
        "Entrou em maio. Cuida da [[SQS no lugar do RabbitMQ|virada]] toda semana. Gosta de mate.",
    )
    brain.note("wiki/entities/Atlas.md", "Projeto.", title="Atlas", decided_by=["[[SQS no lugar do RabbitMQ]]"])
    page = see(f"/n/{ID}")

    assert "Cuida da <mark>virada</mark> toda semana." in page.html
    assert "Entrou em maio" not in page.text
    assert "was decided by" in page.text
    assert 'Linked from <span class="count">2</span>' in page.html


def test_a_missing_note_shows_who_links_to_it(brain, see, person):
    decide(brain, "O aviso ainda não existe: [[Alarme da DLQ]].")
    page = see("/missing?title=Alarme da DLQ")

    assert page.heads == ["Alarme da DLQ"]
    assert page.links["SQS no lugar do RabbitMQ"] == f"/n/{ID}"
    assert "<mark>Alarme da DLQ</mark>" in page.html

    brain.note("memory/gotchas/alarme.md", "Agora existe.", title="Alarme da DLQ")
    assert person.get("/missing?title=alarme da dlq")["Location"] == "/path/memory/gotchas/alarme.md"


def test_the_provenance_names_writer_approver_and_editor(brain, see):
    decide(
        brain, origin="agent:claude-code", created="2026-05-03T13:00:00Z", approved_by="user",
        approved_at="2026-05-03T14:00:00Z",
    )  # fmt: skip
    page = see(f"/n/{ID}")

    assert "<strong>Claude Code</strong> wrote it on" in page.html
    assert "<strong>You</strong> approved it on the same day." in page.html


def test_a_name_in_the_provenance_is_text(brain, see):
    decide(brain, origin="ingest:<img src=x onerror=alert(1)>", approved_by="<script>alert(1)</script>")
    page = see(f"/n/{ID}")

    assert "<img" not in page.html
    assert "<script>alert" not in page.html


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"valid_from": "2026-01-14", "valid_until": "2026-05-03"}, "It no longer holds"),
        ({"valid_from": "2999-01-01"}, "It does not hold yet"),
        ({"superseded_by": ["[[Nova]]"], "valid_until": "2026-05-03"}, "Another note took its place"),
        ({"supersedes": ["[[Velha]]"]}, "It replaces an older note"),
        ({"origin": "human", "edited_by": "agent:cursor"}, "Cursor changed what you wrote"),
        ({"trust": "low"}, "Untrusted source: data, not an instruction"),
        ({"origin": "ingest:site.example"}, "Untrusted source: data, not an instruction"),
        ({"private": True}, "You marked this note to stay on this machine"),
        ({"type": "rule"}, "This rule is not in force"),
    ],
)
def test_what_one_should_know_stands_above_the_text(brain, see, fields, said):
    decide(brain, **fields)

    assert said in see(f"/n/{ID}").text


def test_a_plain_note_has_no_notice(brain, see):
    decide(brain, origin="human", trust="high")

    assert "callout" not in see(f"/n/{ID}").html


def test_unreadable_fields_show_the_file_and_the_line_at_fault(brain, see):
    brain.write("quebrada.md", "---\ntype: [gotcha\ntitle: x\n---\n\nTexto <script>alert(1)</script>.\n")
    page = see("/path/quebrada.md")

    assert "The fields of this note cannot be read" in page.text
    assert page.html.count('class="at-fault"') == 1
    assert "Texto &lt;script&gt;" in page.html
    assert "Holds today" not in page.text


def test_bytes_that_are_not_utf8_are_said_and_the_rest_is_shown(brain, see):
    brain.write("bytes.md", b"Antes \xff\xfe depois.\n")

    assert "The file is not UTF-8" in see("/path/bytes.md").text


def test_a_citation_marks_its_passage(brain, see):
    decide(brain, "Primeiro.\n\nSegundo parágrafo.\n\nTerceiro.")
    citation = blocks.citation(2, ID, 0, "Segundo parágrafo.")
    page = see(f"/n/{ID}?b={citation}")

    cited = page.html.partition('id="cited"')[2].partition("</div>")[0]
    assert "Segundo parágrafo." in cited
    assert "Primeiro" not in cited
    assert "Terceiro" in page.text


def test_a_citation_of_another_note_marks_nothing(brain, see):
    decide(brain)

    assert 'id="cited"' not in see(f"/n/{ID}?b=r2-ffffffffffff").html


def test_no_payload_in_a_field_is_live(brain, see):
    evil = '"><img src=x onerror=alert(1)><script>alert(1)</script>'
    decide(
        brain, f"[[{evil}|{evil}]] [a](javascript:alert(1)) {evil}", title=evil, tags=[evil], aliases=[evil], subject=evil,
        predicate=evil, object=evil, sources=[evil, "javascript:alert(1)"], scope=evil, edited_by=f"agent:{evil}",
        uses=[f"[[{evil}]]"],
    )  # fmt: skip
    for path in (f"/n/{ID}", f"/n/{ID}/history", "/notes", "/", "/search?q=img", f"/missing?title={evil}x"):
        page = see(path)
        assert "<img" not in page.html, path
        assert "<script>alert" not in page.html, path
        assert 'href="javascript:' not in page.html.lower(), path


def test_the_panel_of_versions_comes_by_itself(brain, see):
    decide(brain)
    brain.commit()
    page = see(f"/n/{ID}/versions", **HTMX)

    assert "You edited the file" in page.text
    assert "<html" not in page.html


def test_an_empty_note_says_so(brain, see):
    decide(brain, "")

    assert "This note has fields and no text." in see(f"/n/{ID}").text
