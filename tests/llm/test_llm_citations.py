"""A quote passes when the passage says it, and what is shown is the passage's own text."""

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from llm import citations
from llm.folding import fold

NOTE = (
    "O Projeto Atlas usa a fila Corvina desde maio por custo operacional menor. A equipe mediu a latência média da fila "
    "Corvina em 1.200 milissegundos. Nenhum consumidor do Atlas precisou mudar o formato das mensagens gravadas."
)
words = st.text(st.sampled_from("abcdeéãç ABC«»“”'\n0123"), min_size=40, max_size=200)


def shown(quote, passage=NOTE, **options):
    spans = citations.found(quote, passage, **options)
    return None if spans is None else citations.SHOWN_BETWEEN.join(passage[start:end] for start, end in spans)


def test_a_quote_differs_in_accents_case_quotation_marks_and_spaces():
    loose = "  A  EQUIPE mediu a latencia media da\nfila corvina"
    assert shown(loose) == "A equipe mediu a latência média da fila Corvina"
    assert shown("a dona disse 'fila corvina' ontem", "A dona disse “fila Corvina” ontem.") is not None


@pytest.mark.parametrize(
    "quote",
    [
        "O Projeto Atlas usa a fila Sardinha desde maio",  # another word
        "usa a fila Atlas desde maio por custo",  # stitched
        "a fila Corvina",  # too short
        "por custo operacional",  # two words that say something
        "a latência média da fila Corvina em 1.300",
        "",
        "....",
    ],
)
def test_what_the_passage_does_not_say_is_dropped(quote):
    assert shown(quote) is None


@pytest.mark.parametrize(
    ("quote", "whole"),
    [
        ("a latência média da fila Corvina em 1", "a latência média da fila Corvina em 1.200"),
        ("a latência média da fila Corvina em 1.20", "a latência média da fila Corvina em 1.200"),
        ("200 milissegundos. Nenhum consumidor do Atlas", "1.200 milissegundos. Nenhum consumidor do Atlas"),
        ("consumidor do Atlas precisou mudar o form", "Nenhum consumidor do Atlas precisou mudar o formato"),
    ],
)
def test_a_quote_is_shown_with_the_number_and_the_negation_that_it_cut(quote, whole):
    assert shown(quote) == whole


@pytest.mark.parametrize(
    ("quote", "whole"),
    [
        ("usa a fila Corvina em produção", "O Atlas não usa a fila Corvina em produção"),
        ("run the Corvina queue in production", "We do not run the Corvina queue in production"),
    ],
)
def test_a_negation_before_a_quote_is_shown(quote, whole):
    assert whole.endswith(shown(quote, whole))
    assert shown(quote, whole).split()[0] in {"não", "not"}


def test_up_to_three_pieces_in_order():
    one, two, three = (
        "usa a fila Corvina desde maio",
        "mediu a latência média da fila",
        "Nenhum consumidor do Atlas precisou",
    )
    assert shown(f"{one} … {two} ... {three}") == f"{one} … {two} … {three}"
    assert shown(f"{two} ... {one}") is None
    assert shown(f"{one} ... por custo operacional menor ... {two} ... {three}") is None
    assert shown(f"{one} ... a fila") is None
    assert shown(f"... {one} [...]") == one


def test_a_quote_of_outside_text_may_keep_the_sign_between_its_words():
    assert shown("usa^a^fila^Corvina^desde^maio", marked=True) == "usa a fila Corvina desde maio"
    assert shown("usa^a^fila^Corvina^desde^maio") is None


def test_text_without_spaces_counts_by_its_signs():
    passage = "アトラス計画は五月から運用費用を抑えるためにコルビナ待ち行列を使っています。"
    assert shown(passage, passage) == passage


@given(words, st.data())
def test_any_substring_that_is_long_enough_passes(passage, data):
    start = data.draw(st.integers(0, len(passage) - 1))
    end = data.draw(st.integers(start + 1, len(passage)))
    quote = passage[start:end]
    assume(citations.says_enough(fold(quote).text.strip(" '")))
    spans = citations.found(quote, passage)
    assert spans is not None
    assert fold(quote).text.strip(" '") in fold(passage[spans[0][0] : spans[0][1]]).text


@given(st.integers(0, len(NOTE) - 1), st.sampled_from("abcxyz0189"))
def test_any_changed_letter_fails(place, other):
    assume(NOTE[place].isalnum() and fold(NOTE[place]).text != other)
    assert shown(NOTE[:place] + other + NOTE[place + 1 :]) is None


@given(words)
def test_folding_never_changes_what_is_shown(passage):
    for form in ("NFC", "NFD"):
        text = unicodedata.normalize(form, passage)
        assume(citations.says_enough(fold(text).text.strip(" '")))
        spans = citations.found(text.upper(), text)
        assert spans is not None
        assert text[spans[0][0] : spans[0][1]].strip() in text


@given(st.text(max_size=300))
def test_every_folded_sign_has_its_place(text):
    folded = fold(text)
    assert len(folded.text) == len(folded.starts) == len(folded.ends)
    assert all(0 <= start < end <= len(text) for start, end in zip(folded.starts, folded.ends, strict=True))
    assert list(folded.starts) == sorted(folded.starts)
