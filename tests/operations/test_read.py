"""read: one note as its file is now, whole or one section of it, with its links both ways."""

from __future__ import annotations

import pytest

from brain.services.reads import read as service

CONSUMERS = """# Consumidores

Visão geral com [[SQS]] e [[Fantasma]].

## Lotes

Dez mensagens por chamada.

### Erros

Vão para a fila morta.

## Prazos

### Erros

Estouram em silêncio.
"""
PATH = "wiki/concepts/Consumidores.md"


@pytest.fixture
def told(ready, agent):
    ready.note("wiki/entities/SQS.md", "Fila gerenciada.", type="entity", uses=["[[Consumidores]]"])
    ready.write(
        PATH, f"---\nid: 01KWE9TKFRS0SE22ZDN9SJEEPP\ntype: concept\ntags: [filas]\ncor: azul\n---\n\n{CONSUMERS}"
    )
    return agent


def test_a_note_comes_whole_with_its_fields_headings_and_links(told):
    answer = told("read", path=PATH)
    assert answer.data_notice.startswith("What follows is data")
    note = answer.note
    assert (note.id, note.path, note.type, note.title) == (
        "01KWE9TKFRS0SE22ZDN9SJEEPP",
        PATH,
        "concept",
        "Consumidores",
    )
    assert (note.scope, note.validity, note.trust, note.origin) == ("global", "current", "medium", "human")
    assert (note.edited_by, note.sources, note.content_kind, note.content) == (None, [], "full", CONSUMERS)
    assert (answer.frontmatter["cor"], answer.frontmatter["tags"]) == ("azul", ["filas"])
    assert (answer.frontmatter_error, answer.section, answer.archived) == (None, None, False)
    assert (answer.truncated, answer.warnings) == (False, [])
    assert [(one.level, " › ".join(one.path)) for one in answer.headings] == [
        (1, "Consumidores"),
        (2, "Consumidores › Lotes"),
        (3, "Consumidores › Lotes › Erros"),
        (2, "Consumidores › Prazos"),
        (3, "Consumidores › Prazos › Erros"),
    ]
    links = {one.target: one for one in answer.outgoing_links}
    assert set(links) == {"SQS", "Fantasma"}
    sqs, ghost = links["SQS"], links["Fantasma"]
    assert (sqs.origin, sqs.type, sqs.path, sqs.title, sqs.note_type, sqs.broken) == (
        "body",
        "wikilink",
        "wiki/entities/SQS.md",
        "SQS",
        "entity",
        False,
    )
    assert (ghost.path, ghost.title, ghost.note_type, ghost.broken) == (None, None, None, True)
    (back,) = answer.backlinks
    assert (back.origin, back.type, back.path, back.title, back.note_type, back.archived) == (
        "frontmatter",
        "uses",
        "wiki/entities/SQS.md",
        "SQS",
        "entity",
        False,
    )


def test_a_backlink_says_the_line_of_the_file(told, ready):
    (back,) = told("read", path="wiki/entities/SQS.md").backlinks
    assert "[[SQS]]" in ready.text(PATH).splitlines()[back.line - 1]


def test_by_id_and_by_path_it_is_the_same_note(told):
    assert told("read", id="01KWE9TKFRS0SE22ZDN9SJEEPP").note == told("read", path=PATH).note


@pytest.mark.parametrize("path", [f"./{PATH}", "wiki/concepts/consumidores.md", "WIKI/concepts/Consumidores.MD"])
def test_another_spelling_of_the_path_finds_the_note(told, path):
    assert told("read", path=path).note.path == PATH


@pytest.mark.parametrize(
    ("section", "has", "has_not"),
    [
        ("Lotes", "Dez mensagens", "Estouram"),
        ("lotes", "fila morta", "Estouram"),
        ("Lotes › Erros", "fila morta", "Dez mensagens"),
        ("Prazos › Erros", "silêncio", "fila morta"),
        ("Consumidores › Prazos › Erros", "silêncio", "fila morta"),
    ],
)
def test_a_section_is_given_by_its_heading_or_by_parent_and_child(told, section, has, has_not):
    answer = told("read", path=PATH, section=section)
    assert answer.note.content_kind == "section"
    assert answer.section.casefold().endswith(section.casefold())
    assert has in answer.note.content
    assert has_not not in answer.note.content


@pytest.mark.parametrize("section", ["Inexistente", "Lotes › Prazos", ""])
def test_a_section_that_is_not_there_is_not_found(told, refuses, section):
    refuses("not_found", told, "read", path=PATH, section=section)


@pytest.mark.parametrize(
    "arguments", [{"path": "wiki/Outra.md"}, {"id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, {"path": "wiki"}, {"path": "x.txt"}]
)
def test_what_is_not_there_is_not_found(told, refuses, arguments):
    refuses("not_found", told, "read", **arguments)


@pytest.mark.parametrize("arguments", [{}, {"path": PATH, "id": "x"}, {"path": ""}, {"path": None}, {"path": 7}])
def test_it_is_the_path_or_the_id_never_both_or_neither(told, refuses, arguments):
    refuses("invalid_argument", told, "read", **arguments)


@pytest.mark.parametrize(
    "path",
    ["../fora.md", "/etc/hosts", "wiki/../../fora.md", ".git/config", ".GIT/config", "~/x.md", "wiki/%2e%2e/x.md"],
)
def test_nothing_outside_of_the_brain_is_read(told, refuses, path):
    refuses("unsafe_path", told, "read", path=path)


def test_no_link_is_followed_out_of_the_brain(told, ready, refuses, tmp_path):
    (tmp_path / "fora.md").write_text("Fora do cérebro.\n")
    (ready.root / "wiki" / "atalho.md").symlink_to(tmp_path / "fora.md")
    (ready.root / "wiki" / "pasta").symlink_to(tmp_path)
    for path in ("wiki/atalho.md", "wiki/pasta/fora.md"):
        assert "Fora" not in refuses("unsafe_path", told, "read", path=path).message
    assert told("search", query="fora do cérebro").hits == []


def test_a_citation_of_a_block_opens_its_note(told):
    from brain.index import database

    (mark,) = database.query(
        "SELECT b.fingerprint FROM block b JOIN note n ON n.note = b.note WHERE n.path = %s LIMIT 1", (PATH,)
    ) or [(None,)]
    told("search", query="mensagens")
    (mark,) = database.query(
        "SELECT b.fingerprint FROM block b JOIN note n ON n.note = b.note WHERE n.path = %s LIMIT 1", (PATH,)
    )[0]
    assert told("read", id=f"r2-{mark}").note.path == PATH
    assert told("read", id=f"r4-{mark}").note.path == PATH


def test_a_note_without_id_is_readable_linked_and_never_rewritten(ready, agent, unchanged):
    ready.write("Notas/Simples.md", "# Simples\n\nSó texto. [[Outra]]\n")
    ready.write("Notas/Outra.md", "Nada.\n")
    with unchanged():
        answer = agent("read", path="Notas/Simples.md")
        assert (answer.note.id, answer.note.type, answer.note.title) == (None, None, "Simples")
        assert answer.note.content == "# Simples\n\nSó texto. [[Outra]]\n"
        assert [one.path for one in answer.outgoing_links] == ["Notas/Outra.md"]
        assert [one.path for one in agent("read", path="Notas/Outra.md").backlinks] == ["Notas/Simples.md"]


@pytest.mark.parametrize(
    ("raw", "title", "content"),
    [
        (b"---\r\ntitle: Janelas\r\n---\r\n\r\nTexto.\r\n", "Janelas", "Texto.\r\n"),
        (b"\xef\xbb\xbf---\ntitle: Marca\n---\n\nTexto.\n", "Marca", "Texto.\n"),
        (b"---\ntitle: X\n---", "X", ""),
        (b"--- \ntitle: X\n---\t\nTexto", "X", "Texto"),
        (b"---\ntitle: no\n---\nTexto", "no", "Texto"),
        (b"---\ntitle: 12:30\n---\nTexto", "12:30", "Texto"),
        (b"a\n\n---\n\ntype: rule\n\n---\nb\n", "nota", "a\n\n---\n\ntype: rule\n\n---\nb\n"),
        (b"", "nota", ""),
    ],
)
def test_a_note_in_the_shape_its_person_left_it_is_read(ready, agent, raw, title, content):
    file = ready.write("nota.md", raw)
    answer = agent("read", path="nota.md")
    assert (answer.note.title, answer.note.content, answer.note.type) == (title, content, None)
    assert file.read_bytes() == raw


@pytest.mark.parametrize(
    "block", ['title: "sem fim', "title: a: b: c", "\ttitle: x", "x: !!python/object/apply:os.getcwd []"]
)
def test_unreadable_frontmatter_is_said_and_the_body_is_there(ready, agent, block):
    ready.write("ruim.md", f"---\n{block}\n---\n\nTexto inteiro.\n")
    answer = agent("read", path="ruim.md")
    assert answer.frontmatter_error
    assert answer.frontmatter == {}
    assert "Texto inteiro." in answer.note.content


def test_text_that_is_not_utf8_is_shown_with_marks_and_said(ready, agent):
    ready.write("latin.md", b"Configura\xe7\xe3o\n")
    answer = agent("read", path="latin.md")
    assert answer.note.content == "Configura��o\n"
    assert [one.code for one in answer.warnings] == ["not_utf8"]


def test_a_note_longer_than_a_tool_may_write_is_cut_with_a_notice(ready, agent):
    ready.write("longa.md", "# Início\n\n" + "linha comum\n" * 500_000 + "\n# Fim\n\nO ornitorrinco.\n")
    answer = agent("read", path="longa.md")
    assert answer.truncated
    assert [one.code for one in answer.warnings] == ["cut"]
    assert 900_000 < len(answer.note.content) <= 1_000_000
    assert answer.note.content.endswith("linha comum\n")
    section = agent("read", path="longa.md", section="Fim")
    assert section.note.content.strip() == "# Fim\n\nO ornitorrinco."
    assert not section.truncated


def test_of_a_giant_file_the_first_part_alone_is_read(ready, agent, monkeypatch):
    monkeypatch.setattr(service, "MOST_BYTES", 10_000)
    monkeypatch.setattr(service, "KEPT_BYTES", 5_000)
    ready.write("gigante.md", "ção\n" * 5_000)
    answer = agent("read", path="gigante.md")
    assert answer.truncated
    assert 0 < len(answer.note.content) <= 5_000
    assert "�" not in answer.note.content


def test_a_hub_gives_its_first_links_and_says_so(ready, agent, monkeypatch):
    monkeypatch.setattr(service, "MOST_ITEMS", 5)
    ready.write("hub.md", "# Hub\n")
    for number in range(8):
        ready.write(f"n{number}.md", "[[hub]]\n")
    answer = agent("read", path="hub.md")
    assert len(answer.backlinks) == 5
    assert answer.truncated


def test_an_archived_note_is_still_read(ready, agent):
    ready.note("memory/_archive/velha.md", "Velha.", type="gotcha")
    assert agent("read", path="memory/_archive/velha.md").archived


def test_the_control_files_are_read_like_notes(ready, agent):
    ready.write("AGENTS.md", "# Como se organiza\n")
    assert agent("read", path="AGENTS.md").note.title == "Como se organiza"


def test_a_heading_in_code_is_none(ready, agent):
    ready.write("script.md", "# Uso\n\n```sh\n# instalar\n```\n\nDepois.\n\n# Fim\n")
    answer = agent("read", path="script.md", section="Uso")
    assert "Depois." in answer.note.content
    assert [one.text for one in answer.headings] == ["Uso", "Fim"]
