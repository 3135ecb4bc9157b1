"""Search beyond the words as they were typed: other forms, parts, beginnings, slips of the pen, quoted phrases."""

from __future__ import annotations

import pytest

from brain.index import fulltext, refresh
from brain.index.fulltext import Answer, Query, spelling, stems


def search(text: str, **more: object) -> Answer:
    assert refresh.catch_up(seconds=60).warning is None
    return fulltext.search(Query(text, **more))


def paths(text: str, **more: object) -> list[str]:
    return [one.path for one in search(text, **more).found]


@pytest.mark.parametrize(
    ("typed", "marked"),
    [("configuracoes", "«configuração»"), ("configurando", "«configuração»"), ("vazamentos", "«vazamento»"),
     ("animais", "«animal»"), ("meeting", "«meetings»")],
)  # fmt: skip
def test_a_word_is_found_in_another_form_and_marked(brain, typed, marked):
    brain.note("wiki/a.md", "A configuração do vazamento; um animal e os meetings da semana.")
    answer = search(typed)
    assert [one.path for one in answer.found] == ["wiki/a.md"]
    assert marked in answer.found[0].snippet


def test_notes_with_all_terms_come_first_then_those_with_other_forms_of_all(brain):
    brain.note("wiki/a.md", "Os encanadores e os vazamentos, os vazamentos, os vazamentos.")
    brain.note("wiki/b.md", "O encanador consertou o vazamento.")
    brain.note("wiki/c.md", "O encanador ligou.")
    answer = search("encanador vazamento")
    assert (answer.mode, [one.path for one in answer.found]) == ("and", ["wiki/b.md", "wiki/a.md"])
    assert answer.found[0].score > answer.found[1].score
    assert "«encanadores»" in answer.found[1].snippet


def test_the_word_as_typed_beats_a_form_and_a_form_beats_a_beginning(brain):
    brain.note("wiki/a.md", "Sobre vazamentozinho e rotina.")
    brain.note("wiki/b.md", "Sobre vazamento e rotina.")
    brain.note("wiki/c.md", "Sobre vazamentos e rotina.")
    assert paths("vazamentos inexistentes", any_term=True) == ["wiki/c.md", "wiki/b.md", "wiki/a.md"]


@pytest.mark.parametrize("typed", ["parseLocalDate", "local date", "parse dates", "parselocaldate"])
def test_an_identifier_is_found_whole_and_by_its_parts(brain, typed):
    brain.note("wiki/a.md", "Chame parseLocalDate antes.")
    brain.note("wiki/b.md", "Outra coisa.")
    assert paths(typed) == ["wiki/a.md"]


@pytest.mark.parametrize("typed", ["parse_local_date", "parse local date", "PARSE_LOCAL_DATE", "local_date"])
def test_parts_between_low_lines_are_words(brain, typed):
    brain.note("wiki/a.md", "Chame parse_local_date antes.")
    assert paths(typed) == ["wiki/a.md"]


@pytest.mark.parametrize(
    ("typed", "marked"),
    [("porcelanto", "«porcelanato»"), ("prorogação", "«prorrogação»"), ("procelanato", "«porcelanato»"),
     ("rporrogação", "«prorrogação»")],
)  # fmt: skip
def test_a_misspelled_word_finds_what_is_spelled_almost_so(brain, typed, marked):
    brain.note("wiki/a.md", "O porcelanato da cozinha e a prorrogação do contrato.")
    (found,) = search(typed).found
    assert marked in found.snippet


def test_a_word_that_is_there_is_not_taken_for_another(brain):
    brain.note("wiki/a.md", "O porcelanato.")
    brain.note("wiki/b.md", "O porcelanito.")
    assert paths("porcelanito") == ["wiki/b.md"]


def test_a_quoted_phrase_is_required_where_a_note_has_it(brain):
    brain.note("wiki/a.md", "A fila longa do banco.")
    brain.note("wiki/b.md", "A longa fila do banco; o banco da fila.")
    for typed in ('"fila longa"', "“fila longa” banco", "«fila longa» dinheiro"):
        assert paths(typed) == ["wiki/a.md"], typed
    assert set(paths('"banco longa" fila')) == {"wiki/a.md", "wiki/b.md"}


def test_four_thousand_signs_find_nothing_and_break_nothing(brain):
    brain.note("wiki/a.md", "Texto.")
    answer = search('"*^()-:{}+~' * 363)
    assert (answer.mode, answer.terms, answer.found) == ("none", (), [])


@pytest.mark.parametrize(
    ("one", "other", "far"), [("casa", "casa", 0), ("casa", "caza", 1), ("casa", "csaa", 1), ("casa", "cas", 1)]
)
def test_letters_wrong_missing_or_changed_over_are_one_mistake(one, other, far):
    assert spelling.distance(one, other, 2) == far


def test_words_far_apart_are_told_apart_early():
    assert spelling.distance("abcdefgh", "zzzzzzzz", 2) > 2


def test_the_stems_of_a_text_say_no_word_twice():
    assert stems.column("gato") != ""
    assert "gato" not in stems.column("gato").split()
    assert stems.column("de para 2026") == ""
    assert stems.forms("a" * 500) == ()


def test_what_is_kept_of_words_is_bounded(monkeypatch):
    monkeypatch.setattr(stems, "_MOST_KEPT", 3)
    monkeypatch.setattr(stems, "_KNOWN", stems._Known())
    said = stems.column("gatos cachorros vazamentos encanadores configurações")
    assert len(stems._KNOWN) <= 3
    assert {"vazament", "configur"} <= set(said.split())
