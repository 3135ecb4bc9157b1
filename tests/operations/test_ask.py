"""ask: what it answers, what it costs, and whom it tells what."""

from __future__ import annotations

import json
import threading
from dataclasses import replace

import pytest
from answering import Answers, answer, claim
from calling import SECRETS, calling

from brain.caller import Caller, Kind, Surface
from brain.contracts.asking import Again, ClaimPart
from brain.errors import BrainError
from llm import switch
from llm.caps import used_in_hour
from llm.consent import Entry
from llm.failure import Code, Failure
from llm.limits import Limits
from llm.providers.base import Usage

NOTE = "memory/decisions/fila.md"
ONE = "O Projeto Atlas usa a fila Corvina desde maio por custo operacional menor."
TWO = "A equipe mediu a latência média da fila Corvina em doze milissegundos."
THREE = "Nenhum consumidor do Atlas precisou mudar o formato das mensagens gravadas."
QUESTION = "Que fila o Atlas usa e por quê?"
FALSE = "O Projeto Atlas usa a fila Sardinha desde janeiro por custo operacional menor."
GOOD = answer(claim("O Atlas usa a Corvina.", ONE))


@pytest.fixture
def filled(ready):
    ready.note(
        NOTE,
        f"# Fila\n\n{ONE} {TWO}\n\n{THREE}",
        id="01HZZZZZZZZZZZZZZZZZZZZZZ1",
        type="decision",
        title="Fila do Atlas",
        trust="high",
    )
    ready.commit()
    return ready


@pytest.fixture
def answers(ready, tmp_path, monkeypatch):
    on = Answers(tmp_path / "settings")
    monkeypatch.setattr(switch, "enabled", on.enabled)
    return on


def at_terminal(**more):
    return Caller(Kind.HUMAN, "cli", Surface.CLI, **more)


def test_an_answer_has_the_notes_own_words_behind_each_statement(filled, answers, agent):
    answers.says(answer(claim("Usa a Corvina.", ONE), claim("É rápida.", TWO.upper()), missing="o preço"))
    said = agent("ask", question=QUESTION)
    assert (said.status, said.unsupported_claims, said.removed_citations) == ("answered", 0, 0)
    assert said.answer == "Usa a Corvina. [1]\n\nÉ rápida. [2]"
    assert [(one.n, one.quote, one.path, one.trust) for one in said.citations] == [
        (1, ONE, NOTE, "high"),
        (2, TWO, NOTE, "high"),
    ]
    assert (said.citations[0].section, said.citations[0].related) == ("Fila", False)
    assert said.missing == "o preço"
    assert "passages" not in said.model_dump()
    assert "unavailable_reason" not in said.model_dump()
    assert list(said.model_dump())[0] == "data_notice"


def test_what_the_notes_do_not_say_does_not_come_out(filled, answers, agent):
    answers.says(
        answer(
            claim("Usa a Corvina.", ONE),
            claim("Usa a Sardinha.", FALSE),
            claim("É rápida.", TWO, ("S9", TWO)),
        )
    )
    said = agent("ask", question=QUESTION)
    assert (said.status, said.unsupported_claims, said.removed_citations) == ("answered", 1, 2)
    assert "Sardinha" not in said.model_dump_json()


def test_the_same_words_have_one_number_and_others_of_the_passage_another(filled, answers, agent):
    answers.says(answer(claim("A.", ONE, ONE), claim("B.", ONE), claim("C.", TWO)))
    said = agent("ask", question=QUESTION)
    assert [one.citations for one in said.claims] == [[1], [1], [2]]


def test_more_than_half_without_support_is_told_and_nothing_supported_is_not_found(filled, answers, agent):
    answers.says(answer(claim("A.", ONE), claim("B.", FALSE), claim("C.")))
    said = agent("ask", question=QUESTION)
    assert (said.status, len(said.claims)) == ("low_confidence", 1)
    assert [one.path for one in said.passages] == [NOTE]
    answers.says(answer(claim("B.", FALSE)))
    said = agent("ask", question=QUESTION)
    assert (said.status, said.answer, said.claims, said.citations) == ("not_found", None, [], [])
    assert [one.path for one in said.passages] == [NOTE]


def test_markup_and_addresses_of_the_model_do_nothing(filled, answers, agent):
    nasty = "Usa ![x](https://evil.example/a?d=1) <b>[[Privada]]</b> www.evil.example"
    answers.says(answer(claim(nasty, ONE), missing=f"{nasty} " * 9))
    said = agent("ask", question=QUESTION)
    for text in (said.answer.removesuffix("[1]"), said.claims[0].text, said.missing):
        assert "evil" not in text
        assert not {"[", "]", "<", ">"} & set(
            text.replace("\\[", "").replace("\\]", "").replace("\\<", "").replace("\\>", "")
        )
    assert len(said.missing) <= 240


def test_each_claim_is_told_as_soon_as_it_is_checked(filled, answers):
    heard = []
    text = answer(claim("Usa a Corvina.", ONE), claim("Falsa.", FALSE), claim("É rápida.", TWO), claim("Sim.", THREE))
    model = answers.says(text)
    caller = at_terminal(tell=lambda part: heard.append((part, model.given)))
    calling(caller)("ask", question=QUESTION)
    assert [part.claim.text for part, _given in heard] == ["Usa a Corvina.", "É rápida.", "Sim."]
    assert [[one.n for one in part.citations] for part, _given in heard] == [[1], [2], [3]]
    for part, given in heard:
        assert given <= text.index(part.claim.text) + len(part.claim.text) + 160, "told long after it was complete"
    assert heard[0][1] < text.index("É rápida.")


def test_words_of_one_note_do_not_stand_behind_a_quote_from_another(filled, answers, agent):
    filled.note(
        "memory/gotchas/outra.md", "A fila do Atlas enche toda semana no inverno.", type="gotcha", title="Outra"
    )
    answers.says(answer(claim("Certa.", ONE)))
    agent("ask", question="fila Atlas")
    label = next(name for name, text in answers.model.passages.items() if ONE not in text)
    right = next(name for name, text in answers.model.passages.items() if ONE in text)
    answers.says(answer(claim("Trocada.", (label, ONE)), claim("Certa.", (right, ONE))))
    said = agent("ask", question="fila Atlas")
    assert [one.text for one in said.claims] == ["Certa."]
    assert said.removed_citations == 1


def test_a_wrong_form_is_asked_for_once_more_and_what_came_is_taken_back(filled, answers):
    heard = []
    whole = answer(claim("Usa a Corvina.", ONE), claim("É rápida.", TWO))
    model = answers.says(whole[: whole.index("rápida")], GOOD)
    said = calling(at_terminal(tell=heard.append))("ask", question=QUESTION, verbose=True)
    assert (said.status, said.answer, len(model.asked)) == ("answered", "O Atlas usa a Corvina. [1]", 2)
    assert [type(part) for part in heard] == [ClaimPart, Again, ClaimPart]
    assert (said.diagnostics.requests, said.diagnostics.input_tokens) == (2, 240)


@pytest.mark.parametrize(
    "said", ["nada", '{"claims": [', '{"claims": [{"text": 1}], "missing": ""}', "[]", "<html>", ""]
)
def test_what_is_no_answer_is_unavailable_with_what_was_found(filled, answers, agent, said):
    model = answers.says(said)
    told = agent("ask", question=QUESTION)
    assert (told.status, told.unavailable_reason, told.answer) == ("unavailable", "provider_failed", None)
    assert [one.path for one in told.passages] == [NOTE]
    assert len(model.asked) == 2


def test_an_agent_learns_nothing_of_the_provider_and_the_person_does(filled, answers, agent):
    answers.says(Failure(Code.UNAUTHORIZED, status=401))
    told = agent("ask", question=QUESTION)
    assert told.unavailable_reason == "provider_failed"
    assert told.next_step == "Answer from `passages`, and say which note each statement is from."
    told = calling(at_terminal())("ask", question=QUESTION, verbose=True)
    assert "key" in told.next_step
    assert told.diagnostics.failure == "unauthorized"
    answers.says(GOOD)
    script = Caller(Kind.AGENT, "script", Surface.CLI)
    assert "diagnostics" not in calling(script)("ask", question=QUESTION, verbose=True).model_dump()


def test_an_unknown_price_is_unknown_and_tokens_of_two_requests_are_added(filled, answers):
    model = answers.says("nada", GOOD)
    found = calling(at_terminal())("ask", question=QUESTION, verbose=True).diagnostics
    assert (found.cost_usd, found.output_tokens) == (None, 60)
    assert found.provider == "fake"
    model.usage = Usage(1, 2, 0.5)
    answers.says(GOOD)
    assert calling(at_terminal())("ask", question=QUESTION, verbose=True).diagnostics.cost_usd == 0.5


def test_answers_are_off_until_somebody_turns_them_on(filled, agent, monkeypatch, tmp_path):
    monkeypatch.setenv("CABECAO_CONFIG_DIR", str(tmp_path / "nothing"))
    for call in (agent, calling(at_terminal())):
        told = call("ask", question=QUESTION)
        assert (told.status, told.unavailable_reason) == ("unavailable", "not_configured")
        assert [one.path for one in told.passages] == [NOTE]
    assert "cabecao llm on" in told.next_step


def test_a_secret_in_the_question_is_refused(filled, answers, agent):
    model = answers.says(GOOD)
    with pytest.raises(BrainError) as raised:
        agent("ask", question=f"{QUESTION} {SECRETS['aws']}")
    assert raised.value.code == "secret_detected"
    assert SECRETS["aws"] not in raised.value.message
    assert not model.asked


def test_a_cap_is_kept_and_what_sends_nothing_costs_nothing(filled, answers, agent):
    answers.limits = Limits(max_calls_per_hour=2)
    model = answers.says(GOOD)
    assert agent("ask", question="zzqx qwpfgj").status == "not_found"
    assert used_in_hour(answers.folder) in {0, None}
    assert [agent("ask", question=QUESTION).status for _ in range(3)] == ["answered", "answered", "unavailable"]
    assert len(model.asked) == 2
    assert agent("ask", question=QUESTION).unavailable_reason == "limit_reached"


def test_a_failure_before_any_request_gives_the_place_back(filled, answers, agent):
    class NotThere(type(answers.model)):
        def stream(self, request, attempts):
            raise Failure(Code.NOT_INSTALLED)

    answers.model = NotThere()
    assert agent("ask", question=QUESTION).unavailable_reason == "provider_failed"
    assert used_in_hour(answers.folder) == 0
    answers.model = Answers(answers.folder).model
    answers.says(Failure(Code.SERVER))
    agent("ask", question=QUESTION)
    assert used_in_hour(answers.folder) == 1


def test_a_session_of_a_client_has_a_cap_of_its_own(filled, answers, agent, other_agent, person):
    answers.limits = Limits(max_calls_per_session=1)
    answers.says(GOOD)
    assert [agent("ask", question=QUESTION).status for _ in range(2)] == ["answered", "unavailable"]
    assert other_agent("ask", question=QUESTION).status == "answered"
    assert [person("ask", question=QUESTION).status for _ in range(2)] == ["answered", "answered"]


@pytest.mark.parametrize(
    ("policy", "reason"),
    [
        ({"allow": "none"}, "disabled_for_brain"),
        ({"allow": "agent"}, "disabled_for_brain"),
        ({"allow": "talvez"}, "disabled_for_brain"),
        ([], "disabled_for_brain"),
        ({"exclude_types": ["decision"]}, "disabled_for_brain"),
    ],
)
def test_the_brain_may_keep_its_notes(filled, answers, agent, policy, reason):
    filled.write(".cabecao.json", json.dumps({"schema_version": 1, "llm_policy": policy}))
    model = answers.says(GOOD)
    told = agent("ask", question=QUESTION)
    assert (told.status, told.unavailable_reason) == ("unavailable", reason)
    assert told.passages
    assert not model.asked


def test_a_policy_for_the_installed_agent_lets_that_one_be_asked(filled, answers, agent):
    filled.write(".cabecao.json", json.dumps({"schema_version": 1, "llm_policy": {"allow": "agent"}}))
    answers.entry = Entry("claude-code", "haiku", program="/usr/bin/claude")
    answers.says(GOOD)
    assert agent("ask", question=QUESTION).status == "answered"


def test_a_consolidation_that_runs_by_itself_asks_nobody(filled, answers):
    model = answers.says(GOOD)
    alone = Caller(Kind.AGENT, "claude-code", Surface.MCP, consolidation="c1")
    with pytest.raises(BrainError) as raised:
        calling(alone)("ask", question=QUESTION)
    assert raised.value.code == "human_only"
    assert not model.asked


def test_nothing_is_written_but_a_line_for_the_person(filled, answers, agent, unchanged):
    answers.says(GOOD)
    with unchanged():
        agent("ask", question=QUESTION)
    (line,) = (answers.folder / "ask.log").read_text().splitlines()
    kept = json.loads(line)
    assert (kept["status"], kept["by"], kept["provider"], kept["sent"]) == ("answered", "agent:claude-code", "fake", 1)
    assert "Corvina" not in line
    assert "Que fila" not in line
    assert (answers.folder / "ask.log").stat().st_mode & 0o777 == 0o600


def test_whoever_goes_ends_the_request(filled, answers):
    gone, waiting = threading.Event(), threading.Event()

    class Slow(type(answers.model)):
        def stream(self, request, attempts):
            attempts.take()
            waiting.set()
            while True:
                attempts.check()
                attempts.wait(0.01)
                yield from ()

    answers.model = Slow()
    threading.Thread(target=lambda: (waiting.wait(20), gone.set()), daemon=True).start()
    caller = replace(at_terminal(), gone=gone)
    told = calling(caller)("ask", question=QUESTION)
    assert (told.status, told.unavailable_reason) == ("unavailable", "provider_failed")


def test_a_look_at_the_context_sends_nothing_and_needs_no_provider(filled, answers):
    model = answers.says(GOOD)
    for on in (True, False):
        answers.is_on = on
        shown = calling(at_terminal())("ask", question=QUESTION, show_context=True)
        assert shown.status == "shown"
        assert ONE in shown.context.text
        assert shown.context.passages == 1
    assert not model.asked


@pytest.mark.parametrize(
    "given", [{"limit": 0}, {"limit": 21}, {"as_of": "ontem"}, {"types": ["x"]}, {"question": "q" * 2001}]
)
def test_what_cannot_be_asked_is_an_invalid_argument(filled, answers, refuses, agent, given):
    refuses("invalid_argument", agent, "ask", **{"question": QUESTION, **given})
