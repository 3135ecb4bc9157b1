"""Why a note stands where it stands: the parts and factors that are told are those that made its score."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.index import fulltext, refresh
from brain.index.fulltext import Found, Query
from brain.index.fulltext.ranking import Ranked, in_order

WORDS = ["fila", "filas", "configuração", "configuracoes", "lote", "leitura", "parseLocalDate", "local", "SQS", "d'água",
         "src/main.py", "消息", "confguração", "de", "a", '"leitura em lote"', "migração"]  # fmt: skip


@pytest.fixture
def filled(brain):
    brain.note("wiki/Fila.md", "A fila de mensagens. Leitura em lote.", type="concept", aliases=["SQS"])
    brain.note("wiki/lote.md", "Leitura em lote das filas; parseLocalDate em src/main.py.", title="Configurações")
    brain.note("memory/rules/r.md", "Leia a fila em lote.", type="rule", title="Regra da fila", origin="human")
    brain.note("memory/facts/f.md", "A fila antiga tem configuração.", type="fact", valid_until="2026-01-01")
    brain.note("memory/gotchas/g.md", "A caixa d'água 消息队列 e a fila.", type="gotcha", superseded_by="[[Fila]]")
    brain.note("raw/articles/x.md", "Leitura de configuração local em lote na migração das filas.", trust="low")
    for number in range(12):
        brain.note(f"wiki/n{number}.md", f"Assunto {number} sem nada disso.")
    assert refresh.catch_up(seconds=60).warning is None
    return brain


def explained(text: str, **more: object) -> list[Found]:
    return fulltext.search(Query(text, explained=True, **more)).found


def parts(one: Found) -> dict[tuple[str, str], tuple[str, ...]]:
    return {(match.part.word, match.part.how): match.fields for match in one.explanation.matches}


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words=st.lists(st.sampled_from(WORDS), min_size=1, max_size=7), limit=st.sampled_from([1, 3, 10]))
def test_the_points_of_the_parts_add_up_to_the_rank_and_the_factors_to_the_score(filled, words, limit):
    for place, one in enumerate(explained(" ".join(words), limit=limit), 1):
        why, ranked = one.explanation, one.explanation.ranked
        assert sum(match.points for match in why.matches) == pytest.approx(ranked.words, rel=1e-6, abs=1e-9)
        product = ranked.share * ranked.ring_weight * ranked.past_weight * ranked.follow_weight
        assert one.score == ranked.score == pytest.approx(product, abs=1e-6)
        assert why.places.final == place
        assert all(match.fields for match in why.matches)
        assert sum(rank.words == ranked.words for rank in why.passes) >= 1


@pytest.mark.parametrize(
    "text", ["fila", "configuracoes de fila", "leitura lote local", '"leitura em lote"', "confguração"]
)
def test_to_explain_changes_nothing_of_what_is_found(filled, text):
    plain = [(one.path, one.score, one.snippet) for one in fulltext.search(Query(text)).found]
    assert [(one.path, one.score, one.snippet) for one in explained(text)] == plain
    assert plain


def test_each_field_in_which_a_word_stands_is_named(filled):
    by_path = {one.path: parts(one) for one in explained("fila")}
    assert by_path["wiki/Fila.md"][("fila", "typed")] == ("title", "body")
    assert by_path["memory/rules/r.md"][("fila", "typed")] == ("title", "body")
    assert {one.path: parts(one) for one in explained("SQS")} == {"wiki/Fila.md": {("SQS", "typed"): ("names",)}}


@pytest.mark.parametrize(
    ("typed", "word", "how", "field"),
    [
        ("configuracoes", "configuracoes", "typed", "title"),
        ("configuração", "configuraca", "form", "stems"),
        ("LocalDate", "date", "part", "stems"),
        ("parseLocalDates", "parselocaldat", "beginning", "body"),
        ("migrasão", "migracao", "alike", "body"),
        ("消息", "消息", "typed", "pieces"),
    ],
)
def test_how_a_word_was_found_is_told(filled, typed, word, how, field):
    found = {key: fields for one in explained(f"{typed} xilindró") for key, fields in parts(one).items()}
    assert field in found.get((word, how), ()), found


def test_words_that_are_missing_or_say_little_are_told_apart(filled):
    (best, *_others) = explained("de xilindró lote")
    assert (best.explanation.missing, best.explanation.ignored) == (("xilindró",), ("de",))
    assert best.explanation.ranked.words > 0


def test_the_passes_that_were_tried_are_told_in_their_order(filled):
    one = explained("fila xilindró")[0].explanation
    assert [(rank.name, rank.found > 0) for rank in one.passes] == [("all", False), ("any", True)]
    assert (one.passes[0].place, one.passes[0].words) == (None, None)
    assert one.passes[1].place >= 1
    quoted = explained('"leitura em lote"')[0].explanation
    assert quoted.passes[0].has_phrase


def test_a_note_of_other_forms_comes_after_and_says_what_that_weighs(filled):
    found = explained("filas")
    ahead = [one for one in found if one.explanation.ranked.follow_weight == 1]
    behind = [one for one in found if one.explanation.ranked.follow_weight < 1]
    assert {"wiki/lote.md", "raw/articles/x.md"} == {one.path for one in ahead}
    assert behind
    assert min(one.score for one in ahead) > max(one.score for one in behind)
    assert all(one.explanation.passes[0].place is None for one in behind)
    assert all(parts(one) for one in behind)


def test_what_a_weight_moves_is_told_with_the_place_without_it(filled):
    filled.note("memory/facts/f.md", "A fila, fila, fila.", type="fact", title="Fila", valid_until="2026-01-01")
    refresh.catch_up(seconds=60)
    by_path = {one.path: one.explanation for one in explained("fila")}
    past, replaced, rule = (by_path[path] for path in ("memory/facts/f.md", "memory/gotchas/g.md", "memory/rules/r.md"))
    assert (past.ranked.past_weight, replaced.ranked.past_weight) == (0.5, 0.5)
    assert (past.places.by_words, past.places.without_past) == (1, 2)  # then the rule alone stands above it
    assert past.places.final > 2
    assert (rule.ranked.ring, rule.ranked.ring_weight) == (0, 1.15)
    assert rule.places.without_ring >= rule.places.final


def test_an_order_without_a_weight_is_made_by_the_same_rule(filled):
    notes = [one.note for one in explained("fila")][:3]
    first = [Ranked(notes[0], 2.0, 1.0, 2, 1.0, 0.5), Ranked(notes[1], 1.9, 0.95, 2, 1.0, 1.0)]
    behind = [Ranked(notes[2], 9.0, 1.0, 0, 1.15, 1.0), Ranked(notes[0], 3.0, 0.4, 2, 1.0, 0.5)]
    assert [one.note for one in in_order(first, behind)] == [notes[1], notes[0], notes[2]]
    assert in_order(first, behind)[-1].score < 0.5
    assert in_order([], behind) == []
