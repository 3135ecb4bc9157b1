"""Each provider asks as its protocol says, and reads what comes: text in order, what it used, or a failure."""

from __future__ import annotations

import json
import logging
import traceback

import pytest
from asking import asked, failed, made_for
from servers import GIVEN, NDJSON, PIECES, SSE, TAKEN, TEXT, Step, anthropic, event, gemini, line, ollama, openai

from llm import costs
from llm.attempts import Attempts
from llm.failure import Code, Failure
from llm.providers.base import Delta, Usage

ANSWERS = {
    "openai": openai, "openrouter": openai, "groq": openai, "lmstudio": openai, "compatible": openai,
    "anthropic": anthropic, "gemini": gemini, "ollama": ollama,
}  # fmt: skip
HEADERS = {
    "openai": "authorization", "openrouter": "authorization", "groq": "authorization", "compatible": "authorization",
    "anthropic": "x-api-key", "gemini": "x-goog-api-key",
}  # fmt: skip
PATHS = {
    "anthropic": "/v1/messages", "gemini": "/models/modelo-1:streamGenerateContent?alt=sse", "ollama": "/api/chat",
}  # fmt: skip
OF_EACH_PROTOCOL = ("openai", "anthropic", "gemini", "ollama")


@pytest.mark.parametrize("name", ANSWERS)
def test_the_text_comes_in_order_and_what_it_used_at_the_end(name, serve, key, question):
    server = serve(ANSWERS[name]())
    text, usage = asked(made_for(name, server.address, key), question)
    assert text == TEXT
    assert (usage.input_tokens, usage.output_tokens) == (GIVEN, TAKEN)
    assert [one.path for one in server.received] == [PATHS.get(name, "/chat/completions")]


@pytest.mark.parametrize("name", OF_EACH_PROTOCOL)
@pytest.mark.parametrize("size", [1, 7, 100_000])
def test_the_text_is_the_same_however_the_bytes_are_cut(name, size, serve, key, question):
    server = serve(ANSWERS[name]().recut(size))
    assert asked(made_for(name, server.address, key), question)[0] == TEXT


@pytest.mark.parametrize("name", OF_EACH_PROTOCOL)
def test_a_piece_is_given_before_the_answer_ends(name, serve, key, question):
    whole = ANSWERS[name]()
    begun = next(at for at, piece in enumerate(whole.pieces) if json.dumps(PIECES[0])[1:-1].encode() in piece)
    server = serve(Step(pieces=whole.pieces[: begun + 1], kind=whole.kind, ending="hang"))
    pieces = made_for(name, server.address, key).stream(question, Attempts(seconds=20))
    assert next(pieces) == Delta(PIECES[0])
    pieces.close()
    assert server.log.has_lost_client.wait(20)


@pytest.mark.parametrize("name", HEADERS)
def test_the_key_is_in_its_header_and_nowhere_else(name, serve, key, question):
    server = serve(ANSWERS[name]())
    provider = made_for(name, server.address, key)
    asked(provider, question)
    [received] = server.received
    said = received.headers.pop(HEADERS[name])
    assert said == (f"Bearer {key}" if HEADERS[name] == "authorization" else key)
    assert key not in received.everything
    assert key not in repr(provider)


@pytest.mark.parametrize("name", ["ollama", "lmstudio", "compatible"])
def test_without_a_key_no_header_carries_one(name, serve, question):
    server = serve(ANSWERS[name]())
    asked(made_for(name, server.address), question)
    assert not {"authorization", "x-api-key", "cookie"} & set(server.received[0].headers)


@pytest.mark.parametrize("status", [400, 401, 403, 500])
@pytest.mark.parametrize("name", HEADERS)
def test_a_provider_that_repeats_the_key_does_not_bring_it_out(name, status, serve, key, question, caplog, at_once):
    caplog.set_level(logging.DEBUG)
    for logger in ("httpx2", "httpcore2", "httpcore2.http11", "httpcore2.connection"):
        caplog.set_level(logging.DEBUG, logger)
    body = json.dumps({"error": {"message": f"Incorrect API key provided: {key}"}}).encode()
    headers = (("X-Url", f"http://example.org/?key={key}"), ("Retry-After", "0"))
    server = serve(Step(status, [body], "application/json", headers))
    provider = made_for(name, server.address, key)
    failure = failed(provider, question)
    assert failure.status == status
    told = "".join(traceback.format_exception(failure)) + repr(failure) + repr(vars(failure)) + repr(provider)
    assert key not in told
    assert "Incorrect" not in told
    assert key not in caplog.text
    assert 1 <= len(server.received) <= 3


def body_of(name, serve, key, question):
    server = serve(ANSWERS[name]())
    asked(made_for(name, server.address, key), question)
    [received] = server.received
    assert received.headers["content-type"] == "application/json"
    return received.json


@pytest.mark.parametrize("name", ["openai", "openrouter", "groq", "lmstudio", "compatible"])
def test_a_chat_completion_asks_for_the_schema_the_model_and_a_limit(name, serve, key, question):
    body = body_of(name, serve, key, question)
    assert body["model"] == "modelo-1"
    assert body["messages"] == [
        {"role": "system", "content": question.system},
        {"role": "user", "content": question.user},
    ]
    assert body["response_format"]["json_schema"]["schema"] == question.schema
    assert body["response_format"]["json_schema"]["strict"] is True
    assert body["max_completion_tokens" if name in {"openai", "groq"} else "max_tokens"] == 321
    assert body["stream"] is True
    assert body["stream_options"] == {"include_usage": True}
    assert not {"tools", "user", "metadata"} & set(body)


def test_openai_is_told_to_store_nothing(serve, key, question):
    assert body_of("openai", serve, key, question)["store"] is False


def test_openrouter_is_told_to_use_only_providers_that_do_not_collect(serve, key, question):
    assert body_of("openrouter", serve, key, question)["provider"]["data_collection"] == "deny"


def test_anthropic_is_asked_for_the_schema_the_model_and_a_limit(serve, key, question):
    body = body_of("anthropic", serve, key, question)
    assert (body["model"], body["max_tokens"], body["system"]) == ("modelo-1", 321, question.system)
    assert body["messages"] == [{"role": "user", "content": question.user}]
    assert body["output_config"]["format"] == {"type": "json_schema", "schema": question.schema}
    assert "tools" not in body


def test_gemini_is_asked_for_the_schema_and_a_limit(serve, key, question):
    body = body_of("gemini", serve, key, question)
    asks = body["generationConfig"]
    assert (asks["responseJsonSchema"], asks["maxOutputTokens"]) == (question.schema, 321)
    assert asks["responseMimeType"] == "application/json"
    assert body["systemInstruction"]["parts"] == [{"text": question.system}]
    assert body["contents"] == [{"role": "user", "parts": [{"text": question.user}]}]


def test_ollama_is_asked_for_the_schema_a_limit_and_a_context_that_holds_the_question(serve, key, question):
    body = body_of("ollama", serve, key, question)
    assert (body["model"], body["format"], body["options"]["num_predict"]) == ("modelo-1", question.schema, 321)
    assert body["options"]["num_ctx"] >= len((question.system + question.user).encode()) / 4 + 321


@pytest.mark.parametrize("name", ["lmstudio", "compatible"])
def test_a_compatible_service_that_knows_no_schema_is_asked_once_more_without(name, serve, key, question):
    server = serve(Step(400, [b"{}"], "application/json"), openai())
    assert asked(made_for(name, server.address, key), question)[0] == TEXT
    assert ["response_format" in one.json for one in server.received] == [True, False]
    assert server.received[1].json["max_tokens"] == 321


def test_openai_is_never_asked_without_its_schema(serve, key, question):
    server = serve(Step(400, [b"{}"], "application/json"), openai())
    assert failed(made_for("openai", server.address, key), question).code is Code.REJECTED
    assert len(server.received) == 1


def test_a_compatible_service_may_answer_in_one_piece(serve, key, question):
    whole = {"choices": [{"message": {"content": TEXT}}], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    server = serve(Step(pieces=[json.dumps(whole).encode()], kind="application/json; charset=utf-8", framing="length"))
    assert asked(made_for("compatible", server.address, key), question) == (TEXT, Usage(3, 4, 0.0))


def test_nothing_after_the_end_of_the_events_is_waited_for(serve, key, question):
    server = serve(Step(pieces=openai().pieces, ending="hang"))
    assert asked(made_for("openai", server.address, key), question)[0] == TEXT


ODD = [b"", b"{", b"<html><body>Bad gateway</body></html>", b"null", b"[]", b"7", b'"texto"', b'{"other": 1}', b"\xff\xfe\x00",
       b"[" * 100_000, b'{"choices": 5, "candidates": 5, "message": 5, "type": 5}', b'{"choices": [5], "candidates": [5]}',
       b'{"choices": {"a": 1}, "candidates": {"a": 1}, "message": []}', b'{"choices": [], "candidates": []}',
       b'{"choices": [{"delta": 5}], "candidates": [{"content": {"parts": 5}}], "message": {"content": 5}, "usage": 5}',
       b'{"choices": [{"delta": {"content": 5}}], "candidates": [{"content": {"parts": [5, {"text": 5}]}}], "usage": {}}',
       b'{"choices": [{"delta": []}], "candidates": [{"content": []}], "usageMetadata": [], "done": true, "eval_count": "x"}',
       b'{"type": "content_block_delta", "delta": {"text": {}}}', b'{"type": "message_start", "message": {"usage": []}}',
       b'{"error": {"message": "overloaded"}}', b'{"error": "x"}', b'{"type": "error", "error": "x"}']  # fmt: skip


@pytest.mark.parametrize("body", ODD, ids=range(len(ODD)))
@pytest.mark.parametrize("name", OF_EACH_PROTOCOL)
def test_what_is_no_answer_gives_no_text_and_ends_in_a_failure_at_most(name, body, serve, key, question):
    piece = body if name == "ollama" else b"data: " + body + b"\n\n"
    for said, kind, framing in (
        (piece, SSE, "chunked"),
        (body, "application/json", "length"),
        (body, "text/html", "close"),
    ):
        server = serve(Step(pieces=[said] if said else [], kind=kind, framing=framing))
        assert text_or_nothing(made_for(name, server.address, key), question) == ""
        assert len(server.received) == 1


def text_or_nothing(provider, question):
    try:
        return asked(provider, question)[0]
    except Failure as failure:
        return "" if failure.code in {Code.MALFORMED, Code.SERVER, Code.REJECTED} else failure.code.value


@pytest.mark.parametrize("name", OF_EACH_PROTOCOL)
def test_an_answer_without_an_answer_is_malformed(name, serve, key, question):
    for body in (b"", b"{", b"{}", b"<html></html>"):
        server = serve(Step(pieces=[body] if body else [], kind=NDJSON))
        assert failed(made_for(name, server.address, key), question).code is Code.MALFORMED


DECLINED = {
    "openai": event({"choices": [{"delta": {"refusal": "Não posso."}}]}),
    "compatible": event({"choices": [{"delta": {}, "finish_reason": "content_filter"}]}),
    "anthropic": event({"type": "message_delta", "delta": {"stop_reason": "refusal"}}),
    "gemini": event({"promptFeedback": {"blockReason": "SAFETY"}}),
}


@pytest.mark.parametrize("name", DECLINED)
def test_a_model_that_declines_is_told_apart(name, serve, key, question):
    server = serve(Step(pieces=[DECLINED[name]]))
    assert failed(made_for(name, server.address, key), question).code is Code.FILTERED
    assert len(server.received) == 1


def test_an_error_in_the_midst_of_the_events_is_a_failure(serve, key, question):
    ended = {"anthropic": {"type": "error", "error": {"type": "overloaded_error"}}, "openai": {"error": {"code": 500}},
             "gemini": {"error": {"code": 503}}}  # fmt: skip
    for name, said in ended.items():
        server = serve(Step(pieces=[*ANSWERS[name]().pieces[:3], event(said)]))
        assert failed(made_for(name, server.address, key), question).code is Code.SERVER
    server = serve(Step(pieces=[ollama().pieces[0], line({"error": "out of memory"})], kind=NDJSON))
    assert failed(made_for("ollama", server.address), question).code is Code.SERVER


def test_an_unknown_price_is_unknown_and_never_nothing(serve, key, question):
    for name in ("anthropic", "gemini"):
        assert asked(made_for(name, serve(ANSWERS[name]()).address, key), question)[1].cost_usd is None
    assert costs.price("openai", "gpt-9", 10, 10) is None
    for name in ("openai", "groq", "openrouter", "compatible"):
        elsewhere = made_for(name, "https://provider.example/v1", key)
        assert elsewhere._usage({"usage": {"prompt_tokens": 1, "completion_tokens": 2}}) == Usage(1, 2, None)
    cloud = made_for("ollama", serve(ollama()).address, model="gpt-oss:120b-cloud")
    assert asked(cloud, question)[1].cost_usd is None


def test_a_price_is_for_a_million_tokens(monkeypatch):
    monkeypatch.setattr(costs, "_PRICES", {("anthropic", "m"): costs.Price(1.0, 5.0)})
    assert costs.price("anthropic", "m", 3000, 200) == pytest.approx(0.004)
    assert costs.price("anthropic", "m", None, 200) is None


def test_a_local_server_costs_nothing_and_openrouter_says_what_it_cost(serve, key, question):
    assert asked(made_for("ollama", serve(ollama()).address), question)[1].cost_usd == 0.0
    used = event({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 2, "cost": 0.0012}})
    server = serve(Step(pieces=[*openai().pieces[:-2], used]))
    assert asked(made_for("openrouter", server.address, key), question)[1] == Usage(1, 2, 0.0012)


def test_what_a_provider_does_not_say_is_unknown_and_not_nothing(serve, key, question):
    for name in OF_EACH_PROTOCOL:
        whole = ANSWERS[name]()
        server = serve(
            Step(
                pieces=[one for one in whole.pieces if PIECES[1][:9].encode() in one.replace(b"\\", b"")],
                kind=whole.kind,
            )
        )
        usage = asked(made_for(name, server.address, key), question)[1]
        assert (usage.input_tokens, usage.output_tokens) == (None, None)
