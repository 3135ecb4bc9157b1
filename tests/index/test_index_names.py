"""Names and links: one rule for what a name means, everywhere, and never the nearest note."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from brain.index import links, names, notes, refresh
from brain.index.names import Candidate
from brain.index.related import related

IDENTITY = "01ARZ3NDEKTSV4RRFFQ69G5FAV"


def outgoing(path: str) -> dict[str, str | None]:
    refresh.catch_up()
    return {link.target: link.path for link in links.outgoing(path)}


def test_a_note_is_named_by_id_path_link_title_and_alias(brain):
    brain.note("wiki/Atlas Projeto.md", "x", title="Projeto Atlas", aliases=["Atlas"], id=IDENTITY)
    refresh.catch_up()
    named = {
        IDENTITY: "id",
        "wiki/Atlas Projeto.md": "path",
        "[[Atlas]]": "link",
        "[[Projeto Atlas#Equipe|o projeto]]": "link",
        "projeto atlas": "title",
        "Atlas Projeto": "title",
        "ATLAS": "alias",
    }
    for name, by in named.items():
        found = names.resolve(name)
        assert (found.path, found.by) == ("wiki/Atlas Projeto.md", by), name


def test_a_name_that_no_note_has_means_nothing(brain):
    brain.note("wiki/Rota A.md", "x")
    brain.note("wiki/Rota B.md", "x")
    refresh.catch_up()
    for name in ("Rota C", "Rota", "[[]]", "", "[[Rota]]", "Rota A B", IDENTITY):
        assert names.resolve(name) == names.NOTHING


def test_of_several_notes_the_folder_then_the_shortest_path_decides(brain):
    for path in ("a/Fila.md", "b/Fila.md", "c/d/Fila.md"):
        brain.note(path, "x")
    brain.note("b/x.md", "[[Fila]]")
    refresh.catch_up()
    assert names.resolve("Fila", near="b/x.md").path == "b/Fila.md"
    assert names.resolve("Fila", near="c/d/x.md").path == "c/d/Fila.md"
    assert names.resolve("Fila").path == "a/Fila.md"
    assert names.resolve("c/d/Fila", near="b/x.md").path == "c/d/Fila.md"
    assert names.resolve("d/Fila", near="b/x.md").path == "c/d/Fila.md"
    assert names.resolve("Fila").ambiguous
    assert outgoing("b/x.md") == {"Fila": "b/Fila.md"}
    assert [one.path for one in links.backlinks("b/Fila.md")] == ["b/x.md"]
    assert links.backlinks("a/Fila.md") == []


@given(st.permutations([("a/b/F.md", "stem"), ("c/F.md", "stem"), ("b/F.md", "title"), ("d/F.md", "alias")]))
def test_the_order_in_which_notes_come_does_not_matter(given_order):
    candidates = [Candidate(path, kind, archived=False, title="F", type=None) for path, kind in given_order]
    assert names.best(candidates, target="F", near="d/x.md").path == "d/F.md"
    assert names.best(candidates, target="F", near=None).path == "b/F.md"


def test_an_archived_note_is_meant_only_where_no_other_is(brain):
    brain.note("memory/_archive/Fila.md", "x")
    refresh.catch_up()
    assert names.resolve("Fila").path == "memory/_archive/Fila.md"
    brain.note("wiki/concepts/longo/Fila.md", "x")
    refresh.catch_up()
    assert names.resolve("Fila").path == "wiki/concepts/longo/Fila.md"


def test_a_source_in_raw_is_meant_only_where_no_other_is_or_by_its_path(brain):
    brain.note("raw/articles/Fila.md", "x")
    brain.note("raw/articles/x.md", "x")
    refresh.catch_up()
    assert names.resolve("Fila").path == "raw/articles/Fila.md"
    brain.note("wiki/concepts/um caminho bem mais longo/Fila.md", "x")
    brain.note("memory/_archive/Fila.md", "x")
    refresh.catch_up()
    assert names.resolve("Fila", near="raw/articles/x.md").path == "wiki/concepts/um caminho bem mais longo/Fila.md"
    assert names.resolve("articles/Fila").path == "raw/articles/Fila.md"
    assert names.resolve("Fila").candidates[-1] == "memory/_archive/Fila.md"


def test_every_form_of_a_link_leads_to_its_note(brain):
    brain.note("pasta/Fila.md", "x")
    brain.note(
        "pasta/x.md",
        "[[Fila#Custos]] [[Fila^bloco1]] [[pasta/Fila]] [[fila]] [[ Fila ]] [[Fila.md]] ![[Fila]] [x](Fila.md) "
        "[[Fila|a fila]] `[[Outra]]` [[]]\n\n| [[Fila\\|f]] |\n|---|",
    )
    refresh.catch_up()
    found = links.outgoing("pasta/x.md")
    assert {link.path for link in found} == {"pasta/Fila.md"}
    assert {link.type for link in found} == {"wikilink", "embed"}


def test_a_link_to_a_heading_of_its_own_leads_to_the_note_itself(brain):
    brain.note("wiki/x.md", "[[#Local]]")
    refresh.catch_up()
    (link,) = links.outgoing("wiki/x.md")
    assert (link.path, link.heading, link.broken) == ("wiki/x.md", "Local", False)
    assert links.backlinks("wiki/x.md") == []


def test_a_link_in_one_unicode_form_finds_a_name_in_another(brain):
    brain.write("wiki/Configurac\u0327a\u0303o.md", "x")
    brain.note("wiki/y.md", "[[Configuração]]")
    assert outgoing("wiki/y.md") == {"Configuração": "wiki/Configurac\u0327a\u0303o.md"}


def test_outgoing_links_say_where_they_lead_and_which_are_broken(brain):
    brain.note("wiki/SQS.md", "x", type="entity", uses=["[[Consumidores]]", "Fantasma 2"])
    brain.note("wiki/Consumidores.md", "# C\n\nCom [[SQS]] e [[Fantasma]], outra vez [[SQS]].", tags=["filas"])
    refresh.catch_up()
    sqs, ghost = links.outgoing("wiki/Consumidores.md")
    assert (sqs.target, sqs.path, sqs.note_type, sqs.broken, sqs.origin) == (
        "SQS",
        "wiki/SQS.md",
        "entity",
        False,
        "body",
    )
    assert (ghost.target, ghost.path, ghost.title, ghost.broken) == ("Fantasma", None, None, True)
    assert outgoing("wiki/SQS.md") == {"Consumidores": "wiki/Consumidores.md", "Fantasma 2": None}
    assert links.broken_count() == 2
    assert [(one.path, one.target) for one in links.broken()] == [
        ("wiki/Consumidores.md", "Fantasma"),
        ("wiki/SQS.md", "Fantasma 2"),
    ]


def test_backlinks_say_the_line_of_the_file(brain):
    brain.note("wiki/SQS.md", "x", uses=["[[Consumidores]]"])
    brain.write(
        "wiki/Consumidores.md",
        "---\r\ntype: concept\r\nrelated_to:\r\n- '[[SQS]]'\r\n---\r\n\r\n# C\r\n\r\nCom [[SQS]].",
    )
    refresh.catch_up()
    found = [(one.path, one.type, one.origin, one.line) for one in links.backlinks("wiki/SQS.md")]
    assert found == [
        ("wiki/Consumidores.md", "related_to", "frontmatter", 4),
        ("wiki/Consumidores.md", "wikilink", "body", 9),
    ]
    assert [(one.path, one.type) for one in links.backlinks("wiki/Consumidores.md")] == [("wiki/SQS.md", "uses")]


def test_sources_and_facts_are_links_only_where_they_lead_somewhere(brain):
    brain.note("wiki/Atlas.md", "x")
    brain.note("memory/facts/f.md", "x", type="fact", subject="Atlas", predicate="custa", object="dez reais",
               sources=["https://example.org/x.md", "[[Nada]]"])  # fmt: skip
    assert outgoing("memory/facts/f.md") == {"Nada": None, "Atlas": "wiki/Atlas.md"}
    assert links.broken_count() == 1


def test_chains_of_versions_are_links_by_id(brain):
    brain.note("memory/facts/a.md", "x", id=IDENTITY)
    brain.note("memory/facts/b.md", "x", supersedes=[IDENTITY])
    assert outgoing("memory/facts/b.md") == {IDENTITY: "memory/facts/a.md"}


def test_a_new_note_mends_links_that_were_broken(brain):
    brain.note("wiki/x.md", "[[Fila]]")
    assert outgoing("wiki/x.md") == {"Fila": None}
    brain.note("wiki/Fila.md", "x")
    assert outgoing("wiki/x.md") == {"Fila": "wiki/Fila.md"}


def test_neighbours_of_what_was_found_come_with_reasons(brain):
    brain.note("wiki/Lote.md", "Leitura agrupada com [[SQS]], [[Fantasma]] e [[Velha]].")
    brain.note("wiki/SQS.md", "Serviço.", uses=["[[Lote]]"])
    brain.note("wiki/Cita.md", "Fala de [[Lote]].")
    brain.note("memory/_archive/Velha.md", "x")
    refresh.catch_up()
    found = related([notes.by_path("wiki/Lote.md")])
    assert [one.note.path for one in found] == ["wiki/SQS.md", "wiki/Cita.md"]
    assert found[0].reasons == ("“Lote” links to it", "it names “Lote” as uses")
    assert found[0].score > found[1].score
    assert related([notes.by_path("wiki/Lote.md"), notes.by_path("wiki/SQS.md")])[0].note.path == "wiki/Cita.md"
    assert related([]) == []
