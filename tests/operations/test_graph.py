"""graph: what is linked to a note, how, and when."""

from __future__ import annotations

import json

import pytest

from brain.index.graph import mentions
from brain.note import tokens

ATLAS, SQS, RABBIT = "wiki/entities/Projeto Atlas.md", "wiki/entities/SQS.md", "wiki/entities/RabbitMQ.md"


@pytest.fixture
def atlas(ready):
    ready.note(ATLAS, "Faturamento da empresa.", type="entity", aliases=["Atlas"], uses=["[[SQS]]"])
    ready.note(SQS, "Fila gerenciada.", type="entity")
    ready.note(RABBIT, "Fila própria.", type="entity")
    ready.note("wiki/concepts/Lote.md", "Leitura agrupada com [[SQS]].\n", type="concept")
    ready.note(
        "memory/facts/rabbit.md",
        "Usou RabbitMQ.",
        type="fact",
        subject="[[Projeto Atlas]]",
        predicate="uses_queue",
        object="[[RabbitMQ]]",
        valid_from="2026-01-14",
        valid_until="2026-05-03",
        superseded_by=["[[sqs-fato]]"],
    )
    ready.note("memory/facts/sqs-fato.md", "Migrou.", type="fact", valid_from="2026-05-03", title="Migração da fila")
    return ready


def neighbours(answer):
    return {one.path: one for one in answer.neighbors}


def kinds(answer, path):
    return {(link.type, link.direction) for link in neighbours(answer)[path].links}


def test_a_relation_has_a_type_and_leads_out_of_one_note_and_into_the_other(atlas, agent):
    assert ("uses", "out") in kinds(agent("graph", node="Projeto Atlas"), SQS)
    assert ("uses", "in") in kinds(agent("graph", node="SQS"), ATLAS)


def test_a_link_says_where_it_stands(atlas, agent):
    link = neighbours(agent("graph", node="SQS"))["wiki/concepts/Lote.md"].links[0]
    assert (link.type, link.origin, link.stated_in, link.line) == ("wikilink", "body", "wiki/concepts/Lote.md", 5)
    assert link.model_dump()["from"] == "wiki/concepts/Lote.md"


def test_a_fact_binds_its_subject_its_object_and_its_note(atlas, agent):
    found = neighbours(agent("graph", node="Projeto Atlas", relation_types=["fact"], as_of="2026-02-01"))
    assert set(found) == {RABBIT, "memory/facts/rabbit.md"}
    link = found[RABBIT].links[0]
    assert (link.type, link.predicate, link.direction, link.validity) == ("fact", "uses_queue", "out", "current")


def test_the_validity_of_a_link_is_that_of_the_day_asked_for(atlas, agent):
    found = agent("graph", node="Projeto Atlas", relation_types=["fact"], as_of="2026-05-03")
    assert {link.validity for one in found.neighbors for link in one.links} == {"expired"}


def test_a_version_chain_is_seen_from_both_ends(atlas, agent):
    first = agent("graph", node="memory/facts/rabbit.md", relation_types=["superseded_by"])
    assert kinds(first, "memory/facts/sqs-fato.md") == {("superseded_by", "out")}
    second = agent("graph", node="memory/facts/sqs-fato.md", relation_types=["superseded_by"])
    assert kinds(second, "memory/facts/rabbit.md") == {("superseded_by", "in")}


def test_depth_2_goes_on_from_the_neighbours_and_keeps_the_shorter_distance(atlas, agent):
    near, far = agent("graph", node="Projeto Atlas"), agent("graph", node="Projeto Atlas", depth=2)
    assert "wiki/concepts/Lote.md" not in neighbours(near)
    assert neighbours(far)["wiki/concepts/Lote.md"].distance == 2
    assert neighbours(far)[SQS].distance == 1
    assert ATLAS not in neighbours(far)
    assert [one.distance for one in far.neighbors] == sorted(one.distance for one in far.neighbors)


@pytest.mark.parametrize(
    ("node", "how"),
    [(ATLAS, "path"), ("[[projeto atlas]]", "link"), ("ATLAS", "alias"), ("Projeto Atlas", "title"),
     ("entities/Projeto Atlas", "path")],
)  # fmt: skip
def test_a_node_is_found_by_each_of_its_names(atlas, agent, node, how):
    answer = agent("graph", node=node)
    assert (answer.node.path, answer.resolved_by) == (ATLAS, how)


def test_an_unknown_node_is_never_the_nearest_one_which_is_only_suggested(atlas, agent, refuses):
    error = refuses("not_found", agent, "graph", node="Projeto Atlante")
    assert "Projeto Atlas" in error.next_step


def test_an_unknown_relation_type_is_refused_with_the_known_ones(atlas, agent, refuses):
    error = refuses("invalid_argument", agent, "graph", node="SQS", relation_types=["gosta_de"])
    assert "part_of" in error.message


def test_a_relation_type_of_the_settings_is_known(atlas, agent):
    (atlas.root / ".cabecao.json").write_text(json.dumps({"schema_version": 1, "relation_types": ["lidera"]}))
    atlas.note("wiki/entities/Ana.md", "Chefe.", type="entity", lidera=["[[Projeto Atlas]]"])
    assert "wiki/entities/Ana.md" in neighbours(agent("graph", node="Atlas", relation_types=["lidera"]))


def test_archived_notes_are_no_part_of_the_graph(atlas, agent, refuses):
    atlas.note("memory/_archive/velha.md", "Sobre [[SQS]] e Projeto Atlas.", type="gotcha", title="Velha")
    assert "memory/_archive/velha.md" not in neighbours(agent("graph", node="SQS"))
    assert "memory/_archive/velha.md" not in neighbours(agent("graph", node="Atlas"))
    refuses("not_found", agent, "graph", node="Velha")


@pytest.mark.parametrize(
    "text",
    [
        "Uma conversa sobre o PROJETO  ÁTLAS, no corredor.",
        "Uma conversa sobre o projeto\natlas.",
        "(Projeto Atlas)",
        "O Atlas parou.",
    ],
)
def test_a_name_in_the_text_is_a_mention_both_ways(atlas, agent, text):
    atlas.note("wiki/concepts/Crônica.md", text, type="concept")
    assert kinds(agent("graph", node="Projeto Atlas"), "wiki/concepts/Crônica.md") == {("mention", "in")}
    assert kinds(agent("graph", node="Crônica"), ATLAS) == {("mention", "out")}


@pytest.mark.parametrize(
    "text",
    [
        "Um `Projeto Atlas` em código.",
        "```\nProjeto Atlas\n```",
        "Os projetos Atlasianos.",
        "Veja [Projeto Atlas](https://example.org).",
        "O Projeto [[SQS]] Atlasiano.",
    ],
)
def test_what_is_code_or_link_or_part_of_a_word_is_no_mention(atlas, agent, text):
    atlas.note("wiki/concepts/Crônica.md", text, type="concept")
    assert "wiki/concepts/Crônica.md" not in neighbours(agent("graph", node="Projeto Atlas"))
    assert ATLAS not in neighbours(agent("graph", node="Crônica"))


def test_a_note_that_links_to_another_does_not_mention_it_too(atlas, agent):
    atlas.note("wiki/concepts/Crônica.md", "O [[Projeto Atlas]]: o Projeto Atlas cresceu.", type="concept")
    assert kinds(agent("graph", node="Projeto Atlas"), "wiki/concepts/Crônica.md") == {("wikilink", "in")}


def test_a_name_without_blanks_around_it_is_found_in_a_script_without_words(ready, agent):
    ready.note("wiki/entities/東京.md", "首都。", type="entity", title="東京")
    ready.note("wiki/concepts/旅.md", "昨日は東京に行った。", type="concept")
    assert kinds(agent("graph", node="東京"), "wiki/concepts/旅.md") == {("mention", "in")}
    assert kinds(agent("graph", node="旅"), "wiki/entities/東京.md") == {("mention", "out")}


def test_several_notes_of_one_name_are_said(ready, agent):
    ready.note("a/Fila.md", "Uma.")
    ready.note("b/Fila.md", "Outra.")
    answer = agent("graph", node="Fila")
    assert answer.node.path == "a/Fila.md"
    assert [one.code for one in answer.warnings] == ["ambiguous_name"]


def test_the_links_of_a_table_and_of_every_form_are_edges_and_those_in_code_are_not(ready, agent):
    ready.note("wiki/Fila.md", "Nada.")
    ready.note("wiki/a.md", "| [[Fila\\|a fila]] | x |\n|---|---|")
    ready.note("wiki/b.md", "[[Fila#Custos]]")
    ready.note("wiki/c.md", "```\n[[Fila]]\n```\n`[[Fila]]`")
    ready.note("wiki/d.md", "[[]] e [[#Local]]")
    found = neighbours(agent("graph", node="Fila", relation_types=["wikilink"]))
    assert set(found) == {"wiki/a.md", "wiki/b.md"}
    assert agent("graph", node="wiki/d.md").total == 0


@pytest.mark.parametrize("budget", [400, 700, 1500])
def test_the_answer_stays_inside_its_budget_and_counts_what_it_left_out(ready, agent, budget):
    for number in range(60):
        ready.note(f"wiki/concepts/Nota {number}.md", "Veja [[Hub]].", type="concept")
    ready.note("wiki/Hub.md", "Centro.")
    answer = agent("graph", node="Hub", limit=200, budget_tokens=budget)
    assert tokens.count(answer.model_dump_json()) <= budget + 10
    assert answer.total == 60
    assert answer.omitted == 60 - len(answer.neighbors) > 0
    assert answer.truncated


def test_neighbours_come_in_a_fixed_order_typed_relations_first(atlas, agent):
    first, second = agent("graph", node="Projeto Atlas"), agent("graph", node="Projeto Atlas")
    assert first == second
    assert first.neighbors[0].path == SQS


def test_words_that_every_text_has_are_no_names_to_look_for():
    assert not mentions.is_telling("de")
    assert not mentions.is_telling("2026")
    assert not mentions.is_telling("para que")
    assert mentions.is_telling("sqs")
    assert mentions.is_telling("東京")


@pytest.mark.parametrize(
    "arguments", [{"depth": 0}, {"depth": 3}, {"limit": 0}, {"limit": 201}, {"as_of": "2026-02-30"}, {"node": " "}]
)
def test_arguments_outside_their_bounds_are_refused(atlas, agent, refuses, arguments):
    refuses("invalid_argument", agent, "graph", **{"node": "SQS", **arguments})
