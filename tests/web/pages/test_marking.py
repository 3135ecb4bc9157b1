"""Marked stretches of text, bars of validity, and who a client is."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brain.note.fields import Fields
from brain.web.viewmodels import marking, people
from brain.web.viewmodels.note import validity


def text_of(stretches):
    return "".join(one.text for one in stretches)


def test_what_was_found_is_marked_and_other_quotations_stay():
    found = marking.hits("Disse «olá» à «fila» de [[Espera|«filas»]].", ["fila"])

    assert [one.text for one in found if one.is_marked] == ["fila", "filas"]
    assert text_of(found) == "Disse «olá» à fila de filas."


def test_a_mark_keeps_the_spelling_of_the_text():
    assert marking.hits("Em «Português».", ["portugues"])[1] == marking.Stretch("Português", is_marked=True)


@given(st.text(alphabet="«»[]|ab \n#*", max_size=60), st.lists(st.text(alphabet="ab", max_size=3), max_size=3))
def test_no_text_breaks_the_marks(snippet, terms):
    assert all(one.text for one in marking.hits(snippet, terms))


def test_a_sentence_is_cut_out_of_its_line():
    found = marking.sentence("- Antes. O **Atlas** usa [[SQS|a fila]], que [[X]] paga. Depois.", frozenset({"sqs"}))

    assert text_of(found) == "O Atlas usa a fila, que X paga."
    assert found[1] == marking.Stretch("a fila", is_marked=True)


def test_a_line_that_names_another_note_has_no_sentence():
    assert marking.sentence("Ver [[X]].", frozenset({"sqs"})) == ()


def test_a_long_sentence_is_cut_on_both_sides():
    found = marking.sentence("a " * 400 + "[[SQS]]" + " b" * 400, frozenset({"sqs"}))

    assert len(text_of(found)) < 320
    assert found[0].text.startswith("…")


@given(st.text(max_size=200))
def test_no_line_breaks_the_sentence(line):
    marking.sentence(line, frozenset({"a"}))


TODAY = date(2026, 12, 2)


@pytest.mark.parametrize(
    ("note", "is_open", "is_past"),
    [
        (Fields("t", valid_from=date(2026, 5, 3)), True, False),
        (Fields("t", valid_from=TODAY), True, False),
        (Fields("t", valid_from=date(2027, 5, 3)), True, False),
        (Fields("t", valid_from=date(2026, 1, 1), valid_until=date(2026, 5, 3)), False, True),
        (Fields("t", expires_at=date(2027, 5, 3)), False, False),
        (
            Fields("t", valid_from=date(2026, 1, 1), valid_until=date(2027, 1, 1), expires_at=date(2026, 12, 2)),
            False,
            False,
        ),
        (Fields("t", valid_from=date(2026, 5, 3), valid_until=date(2026, 5, 3)), False, True),
    ],
)
def test_the_bar_of_a_note_lies_on_its_scale(note, is_open, is_past):
    bar = validity.bar(note, written=None, today=TODAY)

    assert (bar.is_open, bar.is_past) == (is_open, is_past)
    assert all(0 <= place <= 160 for place in (bar.start, bar.until, bar.today))


def test_a_note_without_days_has_no_bar():
    assert validity.bar(Fields("t"), written=TODAY, today=TODAY) is None


def test_the_last_day_is_the_earlier_of_both_ends():
    note = Fields("t", valid_until=date(2026, 5, 3), expires_at=date(2026, 5, 9))

    assert validity.last_day(note) == date(2026, 5, 2)


@pytest.mark.parametrize(("origin", "name"), [("agent:claude-code", "Claude Code"), ("agent:novo", "novo"), ("human", "Você"), ("ingest:x", None), (None, None)])  # fmt: skip
def test_an_origin_names_who_wrote(origin, name):
    who = people.of_origin(origin)

    assert (who.name if who else None) in (name, "You" if name == "Você" else name)
