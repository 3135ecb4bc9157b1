"""Ask: a question goes out only where a person sent it, and what comes back is shown as text with its quotes."""

from __future__ import annotations

import asyncio
import http.client
import json
import re
import socket
import threading
from urllib.parse import urlencode

import pytest
import uvicorn
from answering import Answers, answer, claim
from calling import SECRETS
from django.core.asgi import get_asgi_application
from django.test import AsyncClient

from brain.web import streaming
from llm import consent, folders, switch
from llm.caps import used_in_hour
from llm.failure import Code, Failure
from llm.limits import Limits
from llm.providers.base import Delta

ONE = "O Projeto Atlas usa a fila Corvina desde maio por custo operacional menor."
TWO = "A equipe mediu a latência média da fila Corvina em doze milissegundos."
FALSE = "O Projeto Atlas usa a fila Sardinha desde janeiro por custo operacional menor."
QUESTION = "Que fila o Atlas usa e por quê?"
HOST = "cabecao.localhost:8765"
STREAM = {"accept": "text/event-stream"}


@pytest.fixture
def filled(brain):
    brain.note("memory/decisions/fila.md", f"# Fila\n\n## Por quê\n\n{ONE}\n\n{TWO}", type="decision", title="Fila do Atlas",
               origin="agent:claude-code", trust="high", id="01KPTMDA406MCFZVF48S027CR0")  # fmt: skip
    brain.note(
        "memory/facts/caixa.md", "A caixa do Atlas guarda a fila Xilindró.", type="fact", title="Caixa", private=True
    )
    brain.commit()


@pytest.fixture
def answers(stranger, filled, tmp_path, monkeypatch):
    """Answers are on, with a model of the test's own."""
    on = Answers(tmp_path / "settings")
    monkeypatch.setattr(switch, "enabled", on.enabled)
    on.says(answer(claim("O Atlas usa a Corvina.", ONE)))
    return on


def events(response) -> list[tuple[str, str]]:
    """Take a stream apart into the names and the texts of its events."""
    text = b"".join(response.streaming_content).decode()
    found = [block.split("\n") for block in text.split("\n\n") if block.startswith("event: ")]
    return [(lines[0][7:], "\n".join(line[6:] for line in lines[1:])) for lines in found]


def named(found, name: str) -> list[str]:
    return [text for one, text in found if one == name]


def words(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_a_whole_answer_comes_without_scripts(answers, send):
    answers.says(answer(claim("O Atlas usa a Corvina.", ONE), claim("É rápida e barata.", TWO, ONE), missing="o preço"))
    page = send("/ask", {"question": QUESTION})
    html, text = page.content.decode(), words(page.content.decode())

    assert page.status_code == 200
    assert "2 statements, each with its quotes" in text
    assert f'<blockquote dir="auto">{ONE}</blockquote>' in html
    assert html.count("<blockquote") == 2  # a quote that comes twice stands under the first
    assert 'href="#quote-1"' in html
    assert 'href="/n/01KPTMDA406MCFZVF48S027CR0#por-que"' in html
    assert "Holds today High trust Claude Code" in text
    assert "Missing in the brain: o preço" in text
    assert "The quotes were checked; what follows from them was not." in text
    assert QUESTION in re.search(r"<textarea[^>]*>(.*?)</textarea>", html, re.DOTALL)[1]


def test_the_person_sees_where_it_went_and_what_it_took(answers, send):
    text = words(send("/ask", {"question": QUESTION}).content.decode())

    assert "Goes to: Ollama on this machine (localhost:11434), model fake-1." in text
    assert "Questions in the last hour: 1 of 30." in text
    assert "cost unknown" in text
    assert "Tokens sent 120 Tokens received 30" in text
    assert "Requests 1" in text


def test_claims_come_one_by_one_with_their_quotes(answers, send):
    answers.says(answer(claim("Usa a Corvina.", ONE), claim("É rápida.", TWO)))
    response = send("/ask", {"question": QUESTION}, **STREAM)
    found = events(response)

    assert response["Content-Type"] == "text/event-stream"
    assert response["Cache-Control"] == "no-store"
    assert [name for name, _text in found] == ["state", "state", "claim", "claim", "use", "end", "state"]
    first, second = named(found, "claim")
    assert "Usa a Corvina." in first
    assert ONE in first
    assert TWO in second
    assert "1 of 30" in named(found, "use")[0]
    assert named(found, "state")[-1] == "2 statements, each with its quotes"


def test_a_false_quote_is_counted_and_not_shown(answers, send):
    answers.says(answer(claim("Usa a Corvina.", ONE), claim("É rápida.", TWO), claim("Usa a Sardinha.", FALSE)))
    text = words(send("/ask", {"question": QUESTION}).content.decode())

    assert "2 statements, each" in text
    assert "Sardinha" not in text
    assert "1 statement was left out: nothing in the notes stands behind it." in text
    assert "1 citation was dropped" in text


def test_what_a_model_writes_is_text(answers, send):
    said = "<img src=x onerror=alert(1)> [aqui](https://evil.example/x) **forte** \\ & <b>"
    answers.says(answer(claim(said, ONE), missing="<script>alert(2)</script>"))
    for html in (send("/ask", {"question": QUESTION}).content.decode(),
                 "".join(text for _name, text in events(send("/ask", {"question": QUESTION}, **STREAM)))):  # fmt: skip
        assert "&lt;img src=x onerror=alert(1)&gt; [aqui]((link removed) **forte** \\ &amp; &lt;b&gt;" in html
        assert "&lt;script&gt;alert(2)&lt;/script&gt;" in html
        assert "evil.example" not in html
        assert "<b>" not in html


def test_what_came_is_taken_back_where_it_is_asked_for_again(answers, send):
    broken = json.dumps({"claims": [claim("Usa a Corvina.", ONE)]}, ensure_ascii=False)[:-3]
    answers.says(broken, answer(claim("É rápida.", TWO)))
    found = events(send("/ask", {"question": QUESTION}, **STREAM))
    shown: list[str] = []
    for name, text in found:
        shown = [] if name == "again" else [*shown, text] if name == "claim" else shown

    assert named(found, "again") == [""]
    assert len(shown) == 1
    assert "É rápida." in shown[0]


def test_what_came_is_taken_back_where_no_whole_answer_comes(answers, send):
    broken = json.dumps({"claims": [claim("Usa a Corvina.", ONE)]}, ensure_ascii=False)[:-3]
    answers.says(broken, Failure(Code.OFFLINE))
    found = events(send("/ask", {"question": QUESTION}, **STREAM))

    assert [name for name, _text in found if name in ("claim", "again")][-1] == "again"
    assert "No answer was made." in named(found, "state")[-1]
    assert "The provider could not be reached." in named(found, "end")[0]
    assert "Fila do Atlas" in named(found, "end")[0]


@pytest.mark.parametrize(
    ("said", "state"),
    [
        (answer(), "The brain does not have this."),
        (answer(claim("Usa a Sardinha.", FALSE), claim("E o bagre.", FALSE), claim("Usa a Corvina.", ONE)), "Hardly supported"),
        (Failure(Code.UNAUTHORIZED), "No answer was made."),
    ],
)  # fmt: skip
def test_each_way_without_a_good_answer_has_its_own_face_and_the_passages(answers, send, said, state):
    answers.says(said)
    text = words(send("/ask", {"question": QUESTION}).content.decode())

    assert state in text
    assert "Passages found Fila do Atlas" in text


def test_at_the_cap_the_passages_come_and_no_call_goes_out(answers, send):
    answers.limits = Limits(max_calls_per_hour=0)
    text = words(send("/ask", {"question": QUESTION}).content.decode())

    assert "0 questions in an hour are reached" in text
    assert "Passages found" in text
    assert answers.model.asked == []


def test_what_would_be_sent_is_shown_and_nothing_is(answers, send):
    html = send("/ask", {"question": QUESTION, "show": "1"}).content.decode()

    assert "What would be sent" in html
    assert html.count("Nothing was sent.") == 1
    assert ONE in html
    assert "Xilindró" not in html
    assert "1 of private notes, or that name one" in html
    assert answers.model.asked == []
    assert used_in_hour(answers.folder) == 0


@pytest.mark.parametrize("text", ["", "a", "a\n\nb\n", "a\u2028b\x0bc", " a: b"])
def test_an_event_keeps_its_lines(text):
    sent = streaming.event("claim", text)
    name, *lines = sent.removesuffix("\n\n").split("\n")
    assert name == "event: claim"
    assert all(line.startswith("data: ") for line in lines)
    assert "\n".join(line[6:] for line in lines) == text
    assert streaming.event("claim", "a\r\nb\rc") == streaming.event("claim", "a\nb\nc")


def test_only_what_is_sent_by_the_form_asks(answers, see, person, token):
    assert QUESTION in see("/ask", {"question": QUESTION}).text  # an address fills the form in, no more
    person.head("/ask", {"question": QUESTION})
    assert person.post("/ask", {"question": QUESTION}).status_code == 403
    foreign = {"origin": "https://evil.example", **STREAM}
    assert person.post("/ask", {"question": QUESTION, "csrfmiddlewaretoken": token}, headers=foreign).status_code == 403
    assert answers.model.asked == []


def test_a_stranger_gets_no_answer(answers, stranger):
    assert stranger.post("/ask", {"question": QUESTION}, headers=STREAM).status_code in {401, 403}
    assert answers.model.asked == []


@pytest.mark.parametrize(
    ("typed", "said"),
    [({"question": "  "}, "question"), ({"question": "a" * 2001}, "2000"), ({"question": "A?", "as_of": "ontem"}, "as_of"),
     ({"question": "A?", "limit": "21"}, "limit"), ({"question": "A?", "limit": "muitas"}, "limit"),
     ({"question": "A?", "type": "nada"}, "types"), ({"question": "A?", "scope": "nem isso"}, "scope")],
)  # fmt: skip
def test_what_cannot_be_taken_is_said_and_the_form_stays(answers, send, typed, said):
    page = send("/ask", typed)

    assert page.status_code == 422
    assert 'role="alert"' in page.content.decode()
    assert said in words(page.content.decode())
    found = events(send("/ask", typed, **STREAM))
    assert 'role="alert"' in named(found, "end")[0]
    assert answers.model.asked == []


def test_a_secret_in_the_question_is_not_sent(answers, send):
    page = send("/ask", {"question": f"O que é {SECRETS['github']}?"})

    assert page.status_code == 422
    assert "nothing was sent" in page.content.decode()
    assert answers.model.asked == []


def test_the_question_can_be_narrowed(answers, send, see):
    html = see("/ask").html
    assert '<option value="decision">' in html
    html = send("/ask", {"question": QUESTION, "type": "fact", "scope": "global", "as_of": "2026-02-01", "limit": "3"})
    html = html.content.decode()
    assert '<option value="fact" selected>' in html
    assert '<details class="ask-narrow" open>' in html
    assert "Fila do Atlas" not in html
    assert answers.model.asked == []  # the one fact is private


def test_where_answers_are_off_the_page_says_how_to_turn_them_on_and_finds_the_passages(answers, see, send):
    answers.is_on = False
    page = see("/ask")
    assert "No model answers here" in page.text
    assert "cabecao llm on" in page.text
    assert "Find the passages" in page.text
    text = words(send("/ask", {"question": QUESTION}).content.decode())
    assert "No answer was made." in text
    assert "Passages found" in text
    assert "Fila do Atlas" in text


def test_where_the_brain_allows_nobody_the_page_says_so(answers, brain, see):
    brain.write(".cabecao.json", json.dumps({"schema_version": 1, "llm_policy": {"allow": "none"}}))
    page = see("/ask")
    assert "llm_policy lets nobody have its notes" in page.text
    assert "Only you turn them on" not in page.text


class Endless:
    """A model that goes on until it is told to stop."""

    name, model, destination = "fake", "fake-1", "here"

    def __init__(self):
        self.stopped = threading.Event()

    def stream(self, _request, attempts):
        attempts.take()
        yield Delta(answer(claim("Usa a Corvina.", ONE)).partition(', "missing"')[0])
        try:
            attempts.wait(30)
        except Failure:
            if attempts.is_cancelled:
                self.stopped.set()
            raise


@pytest.fixture
def endless(answers):
    answers.model = Endless()
    return answers.model


def test_who_goes_away_ends_the_request(endless, send):
    response = send("/ask", {"question": QUESTION}, **STREAM)
    for part in response.streaming_content:
        if part.startswith(b"event: claim"):
            break
    response.close()
    assert endless.stopped.wait(20)


def test_who_goes_away_ends_the_request_of_a_server_with_an_event_loop(endless, person, token):
    async def ask():
        client = AsyncClient(headers={"host": HOST})
        client.cookies = person.cookies
        response = await client.post("/ask", {"question": QUESTION, "csrfmiddlewaretoken": token}, headers=STREAM)
        parts = response.streaming_content
        async for part in parts:
            if part.startswith(b"event: claim"):
                break
        await parts.aclose()

    asking = threading.Thread(target=lambda: asyncio.run(ask()))  # a browser's tests may have left a loop in this one
    asking.start()
    asking.join(60)
    assert endless.stopped.wait(20)


def test_a_real_server_sends_each_part_at_once_and_ends_the_request_of_who_hangs_up(endless, person, token):
    server = uvicorn.Server(uvicorn.Config(get_asgi_application(), log_config=None, lifespan="off"))
    with socket.create_server(("127.0.0.1", 0)) as listening:
        serving = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        serving.start()
        cookies = "; ".join(f"{one.key}={one.value}" for one in person.cookies.values())
        headers = {"Host": HOST, "Cookie": cookies, "Content-Type": "application/x-www-form-urlencoded", **STREAM}
        connection = http.client.HTTPConnection(*listening.getsockname(), timeout=60)
        connection.request("POST", "/ask", urlencode({"question": QUESTION, "csrfmiddlewaretoken": token}), headers)
        answered = connection.getresponse()
        lines = iter(answered.readline, b"")
        assert any(line == b"event: claim\n" for line in lines)
        assert not endless.stopped.is_set()
        answered.close()
        connection.close()
        assert endless.stopped.wait(20)
        server.should_exit = True
        serving.join(30)
    assert not serving.is_alive()


@pytest.fixture
def folder(own_home, monkeypatch):
    """The user's own folder of settings."""
    mine = own_home / "config" / "cabecao"
    monkeypatch.setattr(folders, "own", lambda: mine)
    folders.make(mine)
    return mine


def turn_on(folder, monkeypatch):
    monkeypatch.setenv("SEGREDO", "chave-de-teste-0123456789-abcd")
    entry = consent.Entry("compatible", "fake-1", "https://modelos.example/v1", "variable:SEGREDO")
    consent.save(folder, consent.Settings((entry,)), on=["compatible"])


def test_the_settings_say_where_answers_go_and_turn_them_off(folder, monkeypatch, see, send):
    turn_on(folder, monkeypatch)
    page = see("/settings/answers")
    assert "Answers are on" in page.text
    assert "modelos.example" in page.text
    assert "the variable SEGREDO · ••••abcd" in page.text
    assert "chave-de-teste" not in page.html
    assert "0 / 30" in page.text

    assert send("/settings/answers/off")["Location"] == "/settings/answers"
    page = see("/settings/answers")
    assert "nothing leaves any more" in page.text
    assert "Answers are turned off." in page.text
    assert "cabecao llm on" in page.text
    assert 'action="/settings/answers/off"' not in page.html
    assert isinstance(switch.enabled(caller_is_person=False), switch.Off)


def test_the_settings_without_a_provider_say_how_to_turn_answers_on(folder, see):
    page = see("/settings/answers")
    assert "Answers are not turned on." in page.text
    assert "cabecao llm on" in page.text
    assert "may be asked" in page.text.lower()


def test_settings_that_cannot_be_taken_are_said(folder, see, brain):
    (folder / "llm.json").write_text("{")
    brain.write(".cabecao.json", json.dumps({"schema_version": 1, "llm_policy": {"allow": "x"}}))
    text = see("/settings/answers").text
    assert "llm.json cannot be taken" in text
    assert "Its llm_policy cannot be taken as it is, so nothing leaves." in text


def test_a_folder_that_the_environment_names_is_not_looked_into(folder, tmp_path, monkeypatch, see):
    other = tmp_path / "other"
    folders.make(other)
    turn_on(other, monkeypatch)
    monkeypatch.setenv("CABECAO_CONFIG_DIR", str(other))
    page = see("/settings/answers")
    assert "Answers use your own settings folder alone" in page.text
    assert "modelos.example" not in page.text


def test_a_server_in_another_environment_turns_nothing_off(folder, tmp_path, monkeypatch, send):
    turn_on(folder, monkeypatch)
    monkeypatch.setenv("CABECAO_CONFIG_DIR", str(tmp_path / "other"))
    send("/settings/answers/off")
    monkeypatch.delenv("CABECAO_CONFIG_DIR")
    assert isinstance(switch.consented(caller_is_person=False), switch.Consented)


def test_every_page_says_whether_questions_leave_this_machine(folder, monkeypatch, see):
    assert "Only on this machine" in see("/notes").text
    turn_on(folder, monkeypatch)
    there = see("/notes").text
    assert "Questions go to" in there
    assert "Only on this machine" not in there
    local = consent.Entry("ollama", "llama3.2", "http://localhost:11434")
    consent.save(folder, consent.Settings((local,)), on=["ollama"])
    assert "Only on this machine" in see("/notes").text
    cloud = consent.Entry("ollama", "gpt-oss:120b-cloud", "http://localhost:11434")
    consent.save(folder, consent.Settings((cloud,)), on=["ollama"])
    assert "Questions go to Ollama" in see("/notes").text
