"""Whom a question goes to: those that are on, in their order, the next one only while no text has come."""

from __future__ import annotations

import pytest
from asking import VARIABLE, made_for
from servers import PIECES, TEXT, Step, anthropic, ollama, openai

from llm import consent
from llm.attempts import Attempts
from llm.consent import Entry, Settings
from llm.failure import Code, Failure
from llm.limits import Limits
from llm.providers.base import Delta
from llm.switch import Off, On, Reason, enabled


def on(tmp_path, *providers):
    return On(tmp_path, Limits(timeout_ms=20_000), tuple(one.entry for one in providers), tuple(providers))


def text_of(pieces):
    return "".join(one.text for one in pieces if isinstance(one, Delta))


def failure_of(pieces):
    with pytest.raises(Failure) as raised:
        list(pieces)
    return raised.value


def test_nothing_is_on_until_it_was_turned_on(own_folder):
    for person in (True, False):
        assert enabled(caller_is_person=person, environ={}) == Off(Reason.NOT_CONFIGURED)


@pytest.mark.parametrize("name", ["CABECAO_CONFIG_DIR", "XDG_CONFIG_HOME", "HOME"])
def test_a_redirected_folder_is_for_the_person_alone_and_for_an_agent_not_read(name, own_folder, tmp_path, monkeypatch):
    below = {"CABECAO_CONFIG_DIR": ".", "XDG_CONFIG_HOME": "cabecao", "HOME": ".config/cabecao"}[name]
    folder = tmp_path / below
    folder.mkdir(parents=True, exist_ok=True)
    consent.save(folder, Settings((Entry("ollama", "m", "http://localhost:11434"),)), ["ollama"])
    environ = {name: str(tmp_path)}
    found = enabled(caller_is_person=True, environ=environ)
    assert isinstance(found, On)
    assert found.folder == folder
    monkeypatch.setattr(consent, "_closed_text", lambda file: pytest.fail(f"read {file}"))
    assert enabled(caller_is_person=False, environ=environ) == Off(Reason.REDIRECTED)


def test_the_environment_of_the_process_counts_where_none_is_given(own_folder, tmp_path, monkeypatch):
    monkeypatch.setenv("CABECAO_CONFIG_DIR", str(tmp_path))
    assert enabled(caller_is_person=False) == Off(Reason.REDIRECTED)


def test_a_folder_below_a_file_is_no_reason_to_fail(own_folder, tmp_path):
    (tmp_path / "file").write_text("")
    found = enabled(caller_is_person=True, environ={"CABECAO_CONFIG_DIR": str(tmp_path / "file" / "config")})
    assert isinstance(found, Off)


@pytest.mark.parametrize("person", [True, False])
def test_a_question_goes_from_the_file_to_the_server(person, serve, question, own_folder):
    server = serve(openai())
    entry = Entry("compatible", "modelo-1", server.address, f"variable:{VARIABLE}")
    consent.save(own_folder, Settings((entry,)), ["compatible"])
    found = enabled(caller_is_person=person, environ={VARIABLE: "chave-do-teste"})
    assert text_of(found.stream(question, found.attempts())) == TEXT
    assert server.received[0].headers["authorization"] == "Bearer chave-do-teste"
    assert "chave-do-teste" not in repr(found)


def test_the_first_that_answers_is_the_last_that_is_asked(serve, key, question, tmp_path):
    first, second = serve(openai()), serve(anthropic())
    here = on(tmp_path, made_for("openai", first.address, key), made_for("anthropic", second.address, key))
    assert text_of(here.stream(question, here.attempts())) == TEXT
    assert (len(first.received), len(second.received)) == (1, 0)


@pytest.mark.parametrize(
    "step", [Step(401), Step(302, framing="length"), Step(404), Step(), Step(pieces=[b"data: {\n\n"]), Step(400)]
)
def test_the_next_is_asked_where_one_fails_before_its_first_word(step, serve, key, question, tmp_path):
    first, second = serve(step), serve(anthropic())
    here = on(tmp_path, made_for("openai", first.address, key), made_for("anthropic", second.address, key))
    asked = []
    assert text_of(here.stream(question, here.attempts(), turn=asked.append)) == TEXT
    assert [one.name for one in asked] == ["openai", "anthropic"]
    assert (len(first.received), len(second.received)) == (1, 1)


def test_one_without_a_key_is_passed_over_and_costs_no_request(serve, question, tmp_path):
    first, second = serve(openai()), serve(ollama())
    without = made_for("openai", first.address, "x")
    without.keys.environ.clear()
    here = on(tmp_path, without, made_for("ollama", second.address))
    attempts = here.attempts()
    assert text_of(here.stream(question, attempts)) == TEXT
    assert (len(first.received), attempts.used) == (0, 1)


def test_once_text_has_come_no_other_is_asked(serve, key, question, tmp_path):
    first, second = serve(Step(pieces=openai().pieces[:4], ending="cut")), serve(anthropic())
    here = on(tmp_path, made_for("openai", first.address, key), made_for("anthropic", second.address, key))
    pieces = here.stream(question, here.attempts())
    assert next(pieces) == Delta(PIECES[0])
    failure = failure_of(pieces)
    assert (failure.code, failure.partial) == (Code.OFFLINE, True)
    assert second.received == []


def test_three_requests_are_all_over_all_providers(serve, key, question, tmp_path, at_once):
    for steps in ([Step(500)], [Step(401)], [Step(is_silent=True)], [Step(429, headers=(("Retry-After", "0"),))]):
        servers = [serve(*steps) for _ in range(5)]
        names = ("openai", "anthropic", "gemini", "groq", "compatible")
        here = on(tmp_path, *(made_for(name, one.address, key) for name, one in zip(names, servers, strict=True)))
        attempts = here.attempts()
        failure = failure_of(here.stream(question, attempts))
        assert not failure.partial
        assert failure.code is not Code.SPENT  # what the last one said is told
        assert sum(len(one.received) for one in servers) == attempts.used == 3


def test_a_cancelled_question_and_one_whose_time_is_over_ask_nobody_more(serve, key, question, tmp_path):
    hangs, second = serve(Step(ending="hang")), serve(anthropic())
    here = on(tmp_path, made_for("openai", hangs.address, key), made_for("anthropic", second.address, key))
    assert failure_of(here.stream(question, Attempts(seconds=0.3))).code is Code.TIMEOUT
    attempts = here.attempts()
    attempts.cancel()
    assert failure_of(here.stream(question, attempts)).code is Code.CANCELLED
    assert second.received == []
    assert attempts.used == 0


def test_closing_the_answer_ends_the_request(serve, key, question, tmp_path):
    server = serve(Step(pieces=openai().pieces[:4], ending="hang"))
    here = on(tmp_path, made_for("openai", server.address, key))
    pieces = here.stream(question, here.attempts())
    next(pieces)
    pieces.close()
    assert server.log.has_lost_client.wait(20)


def test_a_policy_may_leave_only_the_installed_agent_or_this_machine(tmp_path):
    entries = (
        Entry("claude-code", "haiku", program="/opt/claude"),
        Entry("openai", "m", "https://api.openai.com/v1", "file"),
        Entry("ollama", "m", "http://localhost:11434"),
        Entry("lmstudio", "m", "https://provider.example/v1"),
        Entry("compatible", "m", "http://127.0.0.1:9/v1"),
    )
    here = On(tmp_path, Limits(), entries, tuple(range(len(entries))))  # type: ignore[arg-type]
    assert [one.provider for one in here.only(installed_agent=True).entries] == ["claude-code"]
    local = here.only(local=True)
    assert [one.provider for one in local.entries] == ["ollama", "compatible"]
    assert local.providers == (2, 4)
    assert here.only() == here
    assert local.only(installed_agent=True) is None
    assert here.only(installed_agent=True, local=True) is None


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "qwen3-coder:480B-CLOUD", "glm:cloud"])
def test_a_model_in_the_cloud_is_not_on_this_machine(model, tmp_path):
    here = On(tmp_path, Limits(), (Entry("ollama", model, "http://localhost:11434"),), (1,))  # type: ignore[arg-type]
    assert here.only(local=True) is None
