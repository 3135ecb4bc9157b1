import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brain.note.document import parse
from brain.note.fields import read
from brain.note.links import anchor, fold, names, retargeted, target_key, written_path
from brain.note.structure import scan


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Configuração", "configuracao"),
        ("Configurac\u0327a\u0303o.md", "configuracao"),
        ("  CAFÉ \u00a0 com\tleite ", "cafe com leite"),
        ("Straße", "strasse"),
        ("Ёлка", "елка"),
        ("日本", "日本"),
        ("a.md.MD", "a"),
        (".md", ""),
    ],
)
def test_names_are_compared_without_accents_case_and_extension(text, expected):
    assert fold(text) == expected


def test_hiragana_keeps_the_marks_that_make_another_sound():
    assert fold("が") != fold("か")


@given(st.text(max_size=20))
@example("İ")
@example("a .md .md")
@example("ͅ")
def test_folding_twice_is_folding_once(text):
    assert fold(fold(text)) == fold(text)


@pytest.mark.parametrize("target", ["Fila", "fila", " Fila ", "Fila.md", "FILA.MD", "./Fila", "/Fila"])
def test_the_forms_of_a_target_have_one_key(target):
    assert target_key(target) == "fila"


def test_a_path_with_backslashes_is_a_path():
    assert target_key("wiki\\Fila.md") == "wiki/fila"


def test_a_note_is_named_by_its_path_its_file_its_title_and_its_aliases():
    document = parse(b"---\ntitle: A Fila\naliases: [Queue, SQS]\n---\n")
    path = "wiki/concepts/Fila Única.md"
    assert names(path, read(document, path)) == [
        ("wiki/concepts/fila unica", "path"),
        ("fila unica", "stem"),
        ("a fila", "title"),
        ("queue", "alias"),
        ("sqs", "alias"),
    ]


@pytest.mark.parametrize(
    ("text", "within", "expected"),
    [
        ("[x](b.md)", "wiki/a.md", "wiki/b.md"),
        ("[x](../raw/b.md)", "wiki/a.md", "raw/b.md"),
        ("[x](/raw/b.md)", "wiki/a.md", "raw/b.md"),
        ("[x](b.md)", "a.md", "b.md"),
        ("[[b]]", "wiki/a.md", "b"),
    ],
)
def test_a_markdown_link_is_relative_to_the_folder_of_its_note(text, within, expected):
    (link,) = scan(text).links
    assert written_path(link, within=within) == expected


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[[Fila]]", "[[Novo]]"),
        ("![[ Fila ]]", "![[Novo]]"),
        ("[[Fila\\|a fila]]", "[[Novo\\|a fila]]"),
        ("[[Fila|a # b]]", "[[Novo|a # b]]"),
        ("[[Fila#Custos|c]]", "[[Novo#Custos|c]]"),
        ("[[Fila^b]]", "[[Novo^b]]"),
    ],
)
def test_a_rename_changes_the_target_of_a_wikilink_alone(before, after):
    assert retargeted(before, "Novo") == after


def test_a_heading_has_an_id_of_plain_words():
    assert anchor("Decisões – **método** [[x|y]]") == "decisoes-metodo-x-y"
    assert anchor("???") == "section"
