"""move_page: a note gets another path or title, and every link and relation to it goes on meaning it."""

from __future__ import annotations

import unicodedata

import pytest

from brain.errors import BrainError
from brain.store import files

NOTE = "wiki/Fila.md"
TEXT = "---\nid: 01KPTMDA406MCFZVF48S027CR9\ntype: concept\n---\n\nVer [[SQS]] e [custos](../notas/custos.md).\n"


@pytest.fixture
def fila(ready):
    ready.write(NOTE, TEXT)
    ready.write("wiki/SQS.md", "Serviço.\n")
    ready.write(
        "notas/custos.md",
        "Ver [a fila](../wiki/Fila.md#uso), [x](<../wiki/Fila.md>) e [[Fila|ela]], ![[wiki/Fila.md#Uso]].\n",
    )
    ready.write(
        "notas/fato.md",
        '---\ntype: fact\nsubject: "[[Fila]]"\npredicate: p\nobject: Fila\nuses: [Fila]\nvisto: "[[Fila#Uso]]" # meu\n---\n\nTexto.\n',
    )
    ready.write("raw/artigo.md", "Ver [[Fila]].\n")
    ready.commit()
    return ready


def test_links_relations_and_facts_follow_in_one_commit(fila, person):
    count = int(fila.git("rev-list", "--count", "HEAD"))
    answer = person("move_page", path=NOTE, to="conceitos/Fila de espera.md")
    assert answer.path == "conceitos/Fila de espera.md"
    assert not (fila.root / NOTE).exists()
    assert int(fila.git("rev-list", "--count", "HEAD")) == count + 1
    assert fila.text("notas/custos.md") == (
        "Ver [a fila](../conceitos/Fila%20de%20espera.md#uso), [x](<../conceitos/Fila de espera.md>) e "
        "[[Fila de espera|ela]], ![[conceitos/Fila de espera.md#Uso]].\n"
    )
    fact = fila.text("notas/fato.md")
    assert 'subject: "[[Fila de espera]]"\n' in fact
    assert "object: Fila de espera\n" in fact
    assert "[[Fila de espera#Uso]]" in fact
    assert "- Fila de espera\n" in fact or "[Fila de espera]" in fact
    assert [one.code for one in answer.warnings] == ["links_followed"]
    assert person("lint", rules=["broken_link"]).total == 0


def test_raw_material_stays_as_it_came(fila, person):
    person("move_page", path=NOTE, to="wiki/Espera.md")
    assert fila.text("raw/artigo.md") == "Ver [[Fila]].\n"


def test_its_own_relative_links_lead_where_they_led(fila, person):
    person("move_page", path=NOTE, to="wiki/a/b/Fila.md")
    assert fila.text("wiki/a/b/Fila.md") == TEXT.replace("../notas/", "../../../notas/")


PICTURES = (
    '![um](img/a.png) e ![](<img/b c.png> "título") [pdf](../docs/x.pdf#page=2)\n\n'
    "[![dentro](./img/a.png)](https://example.org/) `![código](img/a.png)` ![falta](img/nada.png)\n\n"
    "![raiz](/wiki/img/a.png) [fora](../../fora.png) [nada](#uso) ![][ref]\n\n[ref]: img/a.png\n"
)


def test_its_pictures_and_files_are_the_same_ones_in_another_folder(fila, person):
    for path in ("wiki/img/a.png", "wiki/img/b c.png", "docs/x.pdf"):
        fila.write(path, b"\x89PNG")
    fila.write("wiki/Fotos.md", PICTURES)
    fila.commit()
    done = person("move_page", path="wiki/Fotos.md", to="wiki/a/Fotos.md")
    assert fila.text("wiki/a/Fotos.md") == (
        '![um](../img/a.png) e ![](<../img/b c.png> "título") [pdf](../../docs/x.pdf#page=2)\n\n'
        "[![dentro](../img/a.png)](https://example.org/) `![código](img/a.png)` ![falta](img/nada.png)\n\n"
        "![raiz](/wiki/img/a.png) [fora](../../fora.png) [nada](#uso) ![][ref]\n\n[ref]: ../img/a.png\n"
    )
    person("undo", op=done.op)
    assert fila.text("wiki/Fotos.md") == PICTURES


def test_in_the_same_folder_pictures_stay_to_the_letter(fila, person):
    fila.write("wiki/img/a.png", b"\x89PNG")
    fila.write("wiki/Foto.md", "![um](./img/../img/a.png)\n")
    fila.commit()
    person("move_page", path="wiki/Foto.md", to="wiki/Imagem.md")
    assert fila.text("wiki/Imagem.md") == "![um](./img/../img/a.png)\n"


def test_another_folder_alone_leaves_links_by_name(fila, person):
    person("move_page", path="01KPTMDA406MCFZVF48S027CR9", to="conceitos/Fila.md")
    assert "[[Fila|ela]], ![[conceitos/Fila.md#Uso]]" in fila.text("notas/custos.md")
    assert "object: Fila\n" in fila.text("notas/fato.md")


def test_a_link_that_meant_another_note_goes_on_meaning_it(fila, person):
    fila.write("a/Espera.md", "Outra.\n")
    fila.write("b/c/d/Nota.md", "Ver [[Espera]] e [[Fila]].\n")
    fila.commit()
    person("move_page", path=NOTE, to="b/c/d/Espera.md")
    assert fila.text("b/c/d/Nota.md") == "Ver [[a/Espera]] e [[b/c/d/Espera]].\n"


def test_a_title_changes_with_the_links_by_it(fila, person):
    fila.write("wiki/t-1.md", "---\ntitle: Título antigo\n---\n\nTexto.\n")
    fila.write("wiki/A.md", "Ver [[Título antigo]].\n")
    fila.commit()
    person("move_page", path="wiki/t-1.md", to="wiki/t-1.md", title="Título novo")
    assert "title: Título novo\n" in fila.text("wiki/t-1.md")
    assert fila.text("wiki/A.md") == "Ver [[Título novo]].\n"


@pytest.mark.parametrize("to", ["wiki/FILA.md", "Wiki/fila.md"])
def test_a_name_may_change_in_case_alone(fila, person, to):
    done = person("move_page", path=NOTE, to=to)
    name = to.removeprefix("Wiki/").removeprefix("wiki/")
    assert sorted(one.name for one in (fila.root / "wiki").iterdir()) == sorted(["SQS.md", name])
    assert done.path == f"wiki/{name}"
    assert person("read", path=done.path).note.id == "01KPTMDA406MCFZVF48S027CR9"
    assert person("lint", rules=["broken_link", "case_twin"]).total == 0
    assert {one.path for one in person("read", path="notas/custos.md").outgoing_links} == {done.path}
    assert NOTE in fila.git("log", "--follow", "--name-only", "--format=", "--", done.path)
    assert fila.git("status", "--porcelain") == ""
    person("undo", op=done.op)
    assert fila.text(NOTE) == TEXT
    assert not (fila.root / done.path).exists()


def test_where_the_system_takes_both_names_for_one_file_the_case_stays(fila, person, refuses, monkeypatch):
    monkeypatch.setattr(files, "exists", lambda _root, _path: True)
    error = refuses("invalid_argument", person, "move_page", path=NOTE, to="wiki/fila.md")
    assert "another name first" in error.next_step


def test_a_decomposed_name_that_is_typed_composed_is_the_same_place(fila, person):
    path = f"wiki/{unicodedata.normalize('NFD', 'Configuração')}.md"
    fila.write(path, "Texto.\n")
    fila.commit()
    done = person("move_page", path=path, to="wiki/Configuração.md", title="Ajustes")
    assert done.path == path
    assert "title: Ajustes\n" in fila.text(path)


def test_a_note_that_links_to_itself_goes_on_doing_so(fila, person):
    fila.write(NOTE, TEXT + "\nVer [[Fila]], [[Fila#Uso|aqui]] e [a mesma](Fila.md).\n")
    fila.commit()
    person("move_page", path=NOTE, to="wiki/Espera.md")
    assert "Ver [[Espera]], [[Espera#Uso|aqui]] e [a mesma](Espera.md).\n" in fila.text("wiki/Espera.md")


def test_a_link_in_a_table_follows_and_keeps_its_cell_and_those_in_code_stay(fila, person):
    table, code = "| [[Fila\\|a fila]] | x |\n|---|---|\n", "`[[Fila]]`\n\n```\n[[Fila]]\n```\n\n    [[Fila]]\n"
    fila.write("wiki/tabela.md", table + "\n" + code)
    fila.commit()
    person("move_page", path=NOTE, to="wiki/Espera.md")
    assert fila.text("wiki/tabela.md") == table.replace("Fila\\", "Espera\\") + "\n" + code


def test_it_is_undone_in_one(fila, person):
    before = {path: fila.text(path) for path in (NOTE, "notas/custos.md", "notas/fato.md")}
    done = person("move_page", path=NOTE, to="conceitos/Espera.md")
    person("undo", op=done.op)
    assert {path: fila.text(path) for path in before} == before
    assert not (fila.root / "conceitos/Espera.md").exists()


def test_the_text_of_a_moved_note_stays_byte_for_byte(fila, person):
    raw = b"\xef\xbb\xbf---\r\ntype:  concept # meu\r\n---\r\nTexto.   \r\n"
    fila.write("wiki/Crua.md", raw)
    person("move_page", path="wiki/Crua.md", to="wiki/x/Crua.md")
    assert (fila.root / "wiki/x/Crua.md").read_bytes() == raw


def test_the_same_place_writes_nothing(fila, person, unchanged):
    with unchanged():
        assert not person("move_page", path=NOTE, to=NOTE).changed


@pytest.mark.parametrize(
    ("code", "to"),
    [
        ("already_exists", "wiki/SQS.md"),
        ("already_exists", "wiki/sqs.md"),
        ("unsafe_path", "../fora.md"),
        ("unsafe_path", "/tmp/fora.md"),
        ("unsafe_path", ".git/fora.md"),
        ("unsafe_path", ".cabecao/fora.md"),
        ("invalid_path", "AGENTS.md"),
        ("invalid_path", "index.md"),
        ("invalid_path", "log/2026.md"),
        ("invalid_path", "wiki/CLAUDE.md"),
        ("invalid_path", "raw/Fila.md"),
        ("invalid_path", "memory/_archive/Fila.md"),
        ("invalid_path", "wiki/Fila"),
        ("invalid_path", "wiki/Fila.conflict-maq-20261112-100000.md"),
        ("invalid_path", "wiki/.Fila.md"),
    ],
)
def test_where_no_note_may_go_it_does_not(fila, person, refuses, code, to):
    refuses(code, person, "move_page", path=NOTE, to=to)


@pytest.mark.parametrize("path", ["raw/artigo.md", "AGENTS.md", "memory/_archive/x.md"])
def test_what_has_its_place_stays_there(fila, person, refuses, path):
    fila.write(path, "Texto.\n")
    refuses("invalid_path", person, "move_page", path=path, to="wiki/Nova.md")


def test_a_rule_wants_a_fresh_proof_and_is_not_vouched_for_unseen(fila, person):
    fila.write("memory/rules/r.md", "---\nid: r\ntype: rule\n---\n\nSirva quente.\n")
    fila.commit()
    person("move_page", path="memory/rules/r.md", to="memory/rules/servir.md")
    assert [one.path for one in person("attest").residents] == ["memory/rules/servir.md"]
    person("attest", yes=True)
    person("move_page", path="memory/rules/servir.md", to="memory/rules/quente.md", title="Quente")
    assert person("attest").residents == []


def test_a_link_placed_by_another_is_never_followed_out(fila, person):
    (fila.root / "fora").symlink_to("/tmp")
    with pytest.raises(BrainError) as raised:
        person("move_page", path=NOTE, to="fora/Fila.md")
    assert raised.value.code == "unsafe_path"
    assert fila.text(NOTE) == TEXT


def test_fields_that_cannot_be_rewritten_safely_are_left_and_said(fila, person):
    fila.write("notas/odd.md", "---\nuses: &a [Fila]\npart_of: *a\n---\n\nVer [[Fila]].\n")
    fila.commit()
    answer = person("move_page", path=NOTE, to="wiki/Espera.md")
    assert fila.text("notas/odd.md").endswith("Ver [[Espera]].\n")
    assert (
        "links_left" in [one.code for one in answer.warnings] or "Espera" in fila.text("notas/odd.md").split("---")[1]
    )


def test_an_agent_never_does_it(fila, agent, refuses):
    refuses("human_only", agent, "move_page", path=NOTE, to="wiki/Outra.md")
