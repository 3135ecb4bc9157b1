"""Search: what a person or an agent types is text, and finds what is there."""

from __future__ import annotations

import unicodedata
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.index import fulltext, refresh
from brain.index.fulltext import Answer, Query, snippet
from brain.index.fulltext.snippet import Sought


def search(text: str, **more: object) -> Answer:
    assert refresh.catch_up(seconds=60).warning is None
    return fulltext.search(Query(text, **more))


def paths(text: str, **more: object) -> list[str]:
    return [one.path for one in search(text, **more).found]


def test_a_note_with_all_terms_hides_those_with_some(brain):
    brain.note("wiki/lote.md", "Leitura em lote economiza chamadas.")
    brain.note("wiki/espera.md", "Espera longa economiza energia.")
    both, either, nothing = search("lote chamadas"), search("lote energia"), search("paralelepípedo")
    assert (both.mode, [one.path for one in both.found]) == ("and", ["wiki/lote.md"])
    assert (either.mode, {one.path for one in either.found}) == ("or", {"wiki/lote.md", "wiki/espera.md"})
    assert (nothing.mode, nothing.found) == ("none", [])
    assert both.terms == ("lote", "chamadas")


@pytest.mark.parametrize("typed", ["migracao estacao", "MIGRAÇÃO", unicodedata.normalize("NFD", "migração")])
@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_accents_case_and_unicode_form_make_no_difference(brain, typed, form):
    brain.note("wiki/a.md", unicodedata.normalize(form, "A migração da estação começou."))
    assert paths(typed) == ["wiki/a.md"]


@pytest.mark.parametrize(
    "typed",
    ["ADR-016", "foo-bar", "a/b", "GB/s", "grammar::fa", "don't", '"abc', "(x", "a*", "*", "NOT x", "NEAR(a b)", "C++",
     "^a", "{a b}", "title:x", "-x", "health.base", "@x", 'a"b', "", "   ", "\n", "🚀", "***", "«»", "\0", "a\0b", "_"],
)  # fmt: skip
def test_no_sign_is_syntax(brain, typed):
    brain.note("wiki/nada.md", "Outra coisa.")
    assert paths(typed) == []


@pytest.mark.parametrize("typed", ["ADR-016", "ADR-016 fila", "016", "adr 016"])
def test_a_hyphen_excludes_nothing(brain, typed):
    for number in range(10, 30):
        brain.note(f"wiki/d{number}.md", f"Decisão número {number} sobre a fila.", title=f"ADR-{number:03} Outra")
    brain.note("wiki/d16.md", "Decisão sobre mensagens.", title="ADR-016 Fila")
    assert paths(typed)[0] == "wiki/d16.md"


@pytest.mark.parametrize(
    "typed", ["src/main.py", "AGENTS.md", "main.py", "d'água", "d’agua", "O'Brien", "guarda-chuva"]
)
def test_names_with_dots_slashes_and_apostrophes_are_found(brain, typed):
    brain.note("wiki/a.md", "Veja src/main.py e AGENTS.md; a caixa d'água da O'Brien e o guarda-chuva.")
    assert paths(typed) == ["wiki/a.md"]


@pytest.mark.parametrize("typed", ["AND OR NOT", "portas AND circuitos", "NOT portas", "portas NEAR circuitos"])
def test_operators_are_words(brain, typed):
    brain.note("wiki/portas.md", "Portas lógicas: AND, OR e NOT em circuitos.")
    assert paths(typed) == ["wiki/portas.md"]


@pytest.mark.parametrize(
    ("typed", "path"),
    [("消息队列", "wiki/zh.md"), ("息", "wiki/zh.md"), ("单", "wiki/zh.md"), ("キュー", "wiki/ja.md"), ("SQS", "wiki/zh.md"),
     ("SQS消息", "wiki/zh.md"), ("ЗАКАЗЫ очередь", "wiki/ru.md")],
)  # fmt: skip
def test_words_of_every_script_are_found(brain, typed, path):
    brain.note("wiki/zh.md", "我们决定使用SQS消息队列来处理订单。")
    brain.note("wiki/ja.md", "注文の処理にはメッセージキューを使います。")
    brain.note("wiki/ru.md", "Очередь сообщений хранит заказы клиентов.")
    assert paths(typed) == [path]


def test_what_was_found_is_marked_in_every_script(brain):
    brain.note("wiki/zh.md", "我们决定使用消息队列来处理订单。")
    brain.note("wiki/pt.md", "Responda em Português do Brasil. " + "Outra frase. " * 60)
    assert "«消息队列»" in search("消息队列").found[0].snippet
    assert search("portugues").found[0].snippet.startswith("Responda em «Português» do Brasil.")


def test_text_far_down_is_found_shown_and_placed(brain):
    filler = "\n\n".join(f"Parágrafo {number} com assunto corriqueiro." for number in range(3000))
    brain.note("wiki/longa.md", f"# Longa\n\n{filler}\n\n## Fim\n\nO ornitorrinco aparece só aqui.")
    (found,) = search("ornitorrinco assunto").found
    assert "«ornitorrinco»" in found.snippet
    assert found.heading_path == ("Longa", "Fim")
    assert len(found.snippet) < 400


def test_a_word_in_a_heading_is_placed_under_it(brain):
    brain.note("wiki/a.md", "# Um\n\nTexto.\n\n## Custos\n\nDez reais.")
    assert search("custos").found[0].heading_path == ("Um", "Custos")


def test_titles_aliases_tags_and_file_names_are_found(brain):
    brain.note("wiki/SQS.md", "Fila.", title="Simple Queue Service", aliases=["fila da Amazônia"], tags=["mensageria"])
    for typed in ("simple queue", "amazonia", "SQS", "mensageria"):
        assert paths(typed) == ["wiki/SQS.md"]


def test_a_project_brings_the_global_notes_and_global_only_them(brain):
    for name, scope in (("comum", "global"), ("atlas", "project:atlas"), ("casa", "project:casa")):
        brain.note(f"wiki/{name}.md", "O relógio do servidor atrasa.", scope=scope)
    assert set(paths("relógio", scope="project:atlas")) == {"wiki/atlas.md", "wiki/comum.md"}
    assert paths("relógio", scope="global") == ["wiki/comum.md"]


def test_only_the_wanted_types_come_and_archived_notes_never(brain):
    brain.note("wiki/a.md", "O fuso.", type="gotcha")
    brain.note("wiki/b.md", "O fuso.", type="decision")
    brain.note("memory/_archive/c.md", "O fuso.", type="decision")
    assert paths("fuso", types=("decision",)) == ["wiki/b.md"]
    assert set(paths("fuso")) == {"wiki/a.md", "wiki/b.md"}


def test_the_limit_holds_and_says_that_there_is_more(brain):
    for number in range(14):
        brain.note(f"wiki/{number}.md", "Ficha catalográfica.")
    assert len(search("ficha", limit=3).found) == 3
    assert search("ficha", limit=3).more
    assert not search("ficha", limit=100).more


def test_the_day_decides_validity_and_what_is_past_comes_later(brain):
    brain.note("wiki/a-velho.md", "O contrato de suporte.", valid_until="2026-08-01")
    brain.note("wiki/b-novo.md", "O contrato de suporte.")
    found = search("contrato", on=date(2026, 9, 1)).found
    assert [(one.path, one.validity) for one in found] == [
        ("wiki/b-novo.md", "current"),
        ("wiki/a-velho.md", "expired"),
    ]
    assert search("contrato", on=date(2026, 7, 31)).found[0].path == "wiki/a-velho.md"


def test_words_that_say_little_do_not_decide(brain):
    brain.note("wiki/a.md", "O que é de onde e para que, com a de um.")
    brain.note("wiki/b.md", "Migração.")
    assert paths("de onde veio a migração") == ["wiki/b.md"]


def test_where_no_word_matches_those_that_begin_alike_do(brain):
    brain.note("wiki/a.md", "As configurações do servidor.")
    assert paths("configuraçã") == ["wiki/a.md"]
    assert paths("serv") == ["wiki/a.md"]
    assert paths("erv") == []


def test_a_very_long_question_is_answered(brain):
    brain.note("wiki/a.md", "O ornitorrinco.")
    assert paths(" ".join(f"palavra{number}" for number in range(60)) + " ornitorrinco " + "x" * 3000) == ["wiki/a.md"]


def test_a_hit_carries_what_an_answer_needs(brain):
    brain.note("wiki/SQS.md", "# Custos\n\nA fila cobra.", type="entity", title="SQS", sources=["[[AWS]]"], trust="high",
               origin="human", id="01ARZ3NDEKTSV4RRFFQ69G5FAV", valid_from="2026-01-02")  # fmt: skip
    (found,) = search("fila").found
    note = found.note
    assert (note.id, note.type, note.title, note.scope) == ("01ARZ3NDEKTSV4RRFFQ69G5FAV", "entity", "SQS", "global")
    assert (note.trust, note.origin, note.edited_by, note.sources) == ("high", "human", None, ("[[AWS]]",))
    assert note.valid_from == date(2026, 1, 2)
    assert found.citation.startswith("r2-")
    assert len(found.citation) == 15


@pytest.mark.parametrize("typed", ["ornitorrinco assunto", "ORNITORRÍNCO", "ornitorrincus"])
def test_a_very_long_note_full_of_the_word_is_shown_where_the_rarest_stands(brain, typed):
    filler = "Parágrafo com assunto corriqueiro.\n\n" * 40_000
    brain.note("wiki/longa.md", f"# Longa\n\n{filler}## Fim\n\nO ornitorrínco e o 消息队列.")
    (found,) = search(typed).found
    assert "«ornitorrínco»" in found.snippet
    assert found.heading_path == ("Longa", "Fim")
    assert "«消息队列»" in search("消息队列").found[0].snippet


@given(
    st.text(alphabet="ab çÇ\n._", max_size=900),
    st.lists(st.text(alphabet="abc", min_size=1, max_size=3), max_size=3),
)
def test_a_passage_is_short_and_holds_the_body_as_it_is(body, words):
    shown = snippet.cut_plain(body, Sought(words=frozenset(words))).text
    plain = shown.replace("«", "").replace("»", "").removeprefix("… ").removesuffix(" …")
    assert plain in " ".join(body.split())
    assert len(plain) <= snippet.LONGEST


@pytest.mark.parametrize("form", ["NFC", "NFD"])
def test_a_passage_marks_accented_words_in_either_unicode_form(form):
    body = unicodedata.normalize(form, "Antes da MIGRAÇÃO. A Ênfase não mudou a Éfeso.")
    sought = Sought(words=frozenset(["migracao", "enfase"]), beginnings=frozenset(["efes"]))
    shown = unicodedata.normalize("NFC", snippet.cut_plain(body, sought).text)
    assert shown == "Antes da «MIGRAÇÃO». A «Ênfase» não mudou a «Éfeso»."


_SIGNS = st.text(alphabet="aAãÃçÇeéêoõöbcfilñnsštz_-«» .\n0ϕЖ漢\u0303", max_size=120)


@given(body=_SIGNS, starts=st.frozensets(st.text(alphabet="acefilnost0", min_size=1, max_size=3), max_size=4))
def test_the_quick_way_to_find_words_and_the_thorough_one_find_the_same(body, starts):
    thorough = snippet._pattern(starts, apart=True)
    wanted = [match.span() for match in thorough.finditer(snippet._plain(body))] if thorough else []
    assert sorted(snippet._candidates(body, starts)) == wanted
