import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brain.errors import AlreadyExists
from brain.note.naming import file_name, is_portable, twin_key


def free(_name):
    return False


@pytest.mark.parametrize(
    ("title", "slug", "page"),
    [
        ("Sempre em português", "sempre-em-portugues.md", "Sempre em português.md"),
        ("Projeto Atlas uses_queue Kafka", "projeto-atlas-uses-queue-kafka.md", "Projeto Atlas uses_queue Kafka.md"),
        ("CON", "note-con.md", "note-CON.md"),
        ("nul", "note-nul.md", "note-nul.md"),
        ("aux.x", "aux-x.md", "note-aux.x.md"),
        ("a:b", "a-b.md", "a b.md"),
        ("a?b", "a-b.md", "a b.md"),
        ("fim.", "fim.md", "fim.md"),
        ("fim ", "fim.md", "fim.md"),
        ("🚀", "note.md", "note.md"),
        ("???", "note.md", "note.md"),
        ("---", "note.md", "note.md"),
        ("。。", "note.md", "note.md"),
        ("../../fora", "fora.md", "fora.md"),
        (".git", "git.md", "git.md"),
        ("日本語の題", "日本語の題.md", "日本語の題.md"),
        ("Nota.md", "nota.md", "Nota.md"),
        ("COM¹", "note-com1.md", "note-COM¹.md"),
    ],
)
def test_each_title_has_a_name_that_every_system_can_hold(title, slug, page):
    assert (file_name(title, free), file_name(title, free, slug=False)) == (slug, page)


def test_a_long_title_is_cut_between_signs_and_within_its_bytes():
    for slug in (True, False):
        name = file_name("日本-" * 60, free, slug=slug)
        assert len(name.encode()) <= 200
        assert name.startswith("日本")
        assert name.endswith(".md")
    assert len(file_name("ção-" * 60, free).encode()) <= 200


def test_two_long_titles_with_the_same_start_have_two_names():
    first = file_name("a" * 240 + "b", free)
    second = file_name("a" * 240 + "c", {first}.__contains__)
    assert first != second
    assert second.endswith("-2.md")
    assert len(second.encode()) <= 200


def test_a_name_that_is_taken_gets_a_number():
    taken = {twin_key("Fila.md"), twin_key("fila 2.md")}
    assert file_name("FILA", lambda name: twin_key(name) in taken, slug=False) == "FILA 3.md"


def test_names_without_end_are_an_error():
    with pytest.raises(AlreadyExists):
        file_name("x", lambda name: True)


def test_twins_are_equal_in_case_and_composition():
    assert twin_key("Configurac\u0327a\u0303o.md") == twin_key("CONFIGURAÇÃO.md")
    assert twin_key("a.md") != twin_key("b.md")


@pytest.mark.parametrize("name", ["CON", "con.md", "LPT1.txt", "a.", " a", "a ", "a:b", "a\\b", "a\x00", "", "x" * 256])
def test_a_name_that_windows_refuses_is_not_portable(name):
    assert not is_portable(name)


@example("Ꭰ", True)
@given(st.text(max_size=300), st.booleans())
def test_any_title_has_a_portable_name(title, slug):
    name = file_name(title, free, slug=slug)
    assert is_portable(name)
    assert name.endswith(".md")
    assert len(name.encode()) <= 200
    assert not name.startswith((".", "-"))
    assert unicodedata.is_normalized("NFC", name)
    assert not slug or name == name.lower()
