"""cabecao eval --answers: what it counts, and what it says of a file that is none."""

from __future__ import annotations

import json

import pytest

from brain import config
from brain.contracts.asking import AskOutput, CitationItem, ClaimItem, Diagnostics, Omitted
from brain.services.evaluating import answers
from brain.services.evaluating.answers import Share
from brain.services.evaluating.questions import Question

NOTE = "memory/decisions/fila.md"


def said(status, *, cited=(), unsupported=0, removed=0, reason=None):
    about = {"id": None, "title": "Fila", "heading_path": [], "section": None, "quote": "fila", "validity": "current"}
    more = {"trust": "medium", "origin": "human", "edited_by": None, "related": False}
    cites = [CitationItem(n=place, path=path, **about, **more) for place, path in enumerate(cited, 1)]
    used = Diagnostics(
        provider="p", model="m", destination="d", search="keyword", retrieved=1, sent=1, requests=1, input_tokens=100,
        output_tokens=10, cost_usd=None, seconds=1.0, own_milliseconds=1, failure=None,
    )  # fmt: skip
    return AskOutput(
        data_notice="", question="q", status=status, answer=None, citations=cites, missing=None, omitted=Omitted(),
        claims=[ClaimItem(text="t", supported=True, citations=[one.n]) for one in cites], as_of="2026-12-03",
        unsupported_claims=unsupported, removed_citations=removed, unavailable_reason=reason, diagnostics=used,
        warnings=[], next_step=None,
    )  # fmt: skip


def measured(*pairs):
    replies = iter([reply for _question, reply in pairs])
    asked = [question for question, _reply in pairs]
    found = answers.measure(asked, lambda _given: next(replies), lambda _done, _all: None)
    return answers.figures(found, len(asked))


def question(*sources, answerable=True):
    return Question("q", answerable, frozenset(sources), {})


def test_each_figure_has_what_it_is_counted_over():
    told = measured(
        (question(NOTE), said("answered", cited=[NOTE, "b.md"], removed=1, unsupported=1)),
        (question(NOTE), said("low_confidence", cited=["b.md"], unsupported=2)),
        (question(NOTE), said("not_found")),
        (question(answerable=False), said("not_found")),
        (question(answerable=False), said("answered", cited=["b.md"])),
        (question(NOTE), said("unavailable", reason="provider_failed")),
    )
    assert told.valid_citations == Share(4, 5)
    assert told.unsupported_claims == Share(3, 7)
    assert told.right_source == Share(1, 2)
    assert told.correct_refusals == Share(1, 2)
    assert told.wrong_refusals == Share(1, 3)
    assert (told.unavailable, told.not_asked) == (1, 0)
    assert (told.input_tokens, told.output_tokens, told.cost_usd) == (500, 50, None)


def test_once_the_cap_is_reached_no_more_is_asked():
    told = measured(
        (question(), said("unavailable", reason="limit_reached")),
        (question(), said("answered")),
        (question(), said("answered")),
    )
    assert (told.questions, told.unavailable, told.not_asked) == (3, 1, 2)


@pytest.fixture
def file(brain, tmp_path):
    brain.write(NOTE, "A fila.\n")
    config.leave()
    return tmp_path / "questions.jsonl"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "no question"),
        ("{", "not JSON"),
        ("[1]", "no “question”"),
        ('{"question": " "}', "no “question”"),
        ('{"question": "q", "answerable": "no"}', "answerable"),
        ('{"question": "q", "sources": "x"}', "sources"),
        ('{"question": "q", "source": []}', "unknown key “source”"),
        ('{"question": "q"}\n{"question": "q", "sources": ["nada.md"]}', "Line 2"),
    ],
)
def test_what_is_wrong_in_the_file_is_told_before_anything_is_asked(call, brain, file, text, told):
    file.write_text(text, encoding="utf-8")
    ended = call("--brain", str(brain.root), "eval", "--answers", str(file))
    assert ended.code == 2
    assert told in ended.err


def test_a_file_that_is_not_there_is_an_error(call, brain, file):
    ended = call("--brain", str(brain.root), "eval", "--answers", str(file))
    assert ended.code == 1
    assert "questions.jsonl" in ended.err


def test_without_a_provider_nothing_is_measured(call, brain, file):
    file.write_text(json.dumps({"question": "fila", "sources": [NOTE]}), encoding="utf-8")
    ended = call("--brain", str(brain.root), "eval", "--answers", str(file), "--json")
    assert ended.code == 5
    shown = json.loads(ended.out)
    assert (shown["unavailable"], shown["answers"][0]["unavailable_reason"]) == (1, "not_configured")
    assert call("--brain", str(brain.root), "eval", "--answers", str(file)).code == 5
