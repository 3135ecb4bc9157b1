"""The person is asked through their client, in both eras of the protocol; a token is for clients that cannot ask."""

import json

import anyio
import mcp_types as types
import pytest
from mcp.client.client import Client
from mcp.shared.exceptions import MCPError
from mcp_types import Implementation
from standins import written
from talking import ENVELOPE, answers, call

from brain import operations
from brain.caller import Voice
from brain.errors import ConfirmationRequired, InvalidArgument
from mcpbridge import elicitation

ERAS = ["legacy", "2026-07-28"]
RULE = {"path": "memory/rules/a.md", "content": "texto", "frontmatter": {"type": "rule"}}
SUMMARY = "Criar a regra a"


@pytest.fixture
def asking(services, monkeypatch):
    """A write_page that needs a yes, the calls it got, and what was declined."""
    calls, refused = [], []

    def write_page(caller, given):
        token = given.confirm_token
        calls.append((str(caller.voice), token))
        if token == f"cbc_ct_{caller.voice}":
            return written(caller, given).model_copy(update={"confirmed_by": str(caller.voice)})
        if token is not None:
            raise InvalidArgument("another token")
        raise ConfirmationRequired(
            "x",
            content="digest",
            next_step="pergunte",
            status="confirmation_required",
            summary=SUMMARY,
            reasons=["é regra"],
            confirm_token=f"cbc_ct_{caller.voice}",
            token_expires_at="2026-11-13T15:10:53.000Z",
        )

    def decline(name, caller, content):
        refused.append((name, content))
        return ConfirmationRequired("x", content=content, next_step="não insista", status="declined")

    services["write_page"] = write_page
    monkeypatch.setattr(operations, "decline", decline)
    monkeypatch.setattr("brain.services.refusals.record", lambda *_arguments: None)
    monkeypatch.setattr("brain.services.proposals.telling.decided", lambda *_arguments: None)
    return calls, refused


def run(bridge, era, action, arguments=RULE):
    """Call write_page with a client that answers a question so, None: that cannot be asked; the result and the questions."""
    questions = []

    async def answer(_context, params):
        questions.append(params)
        if isinstance(action, Exception):
            raise action
        return types.ElicitResult(action=action, content={} if action == "accept" else None)

    async def talk():
        info = Implementation(name="Cliente", version="1")
        handler = answer if action is not None else None
        async with Client(bridge.server(), mode=era, client_info=info, elicitation_callback=handler) as client:
            return await client.call_tool("write_page", arguments)

    return anyio.run(talk), questions


@pytest.mark.parametrize("era", ERAS)
def test_accepting_does_it_at_once_and_says_who_confirmed(era, bridge, asking):
    result, questions = run(bridge, era, "accept")
    assert not result.is_error
    assert result.structured_content["confirmed_by"] == "user"
    assert result.structured_content["op"] == "01"
    (question,) = questions
    assert question.message == SUMMARY
    assert question.requested_schema == {"type": "object", "properties": {}}
    assert asking == ([("user", None), ("user", "cbc_ct_user")], [])


@pytest.mark.parametrize("era", ERAS)
def test_declining_does_nothing_is_remembered_and_gives_no_token(era, bridge, asking):
    result, questions = run(bridge, era, "decline")
    assert not result.is_error
    said = result.structured_content
    assert (said["status"], said["confirm_token"], said["op"]) == ("declined", None, None)
    assert said["next_step"] == "não insista"
    assert len(questions) == 1
    assert asking[1] == [("write_page", "digest")]
    assert all(token is None for _voice, token in asking[0])


@pytest.mark.parametrize("era", ERAS)
def test_cancelling_is_as_if_nobody_answered_and_leaves_it_to_a_token(era, bridge, asking):
    result, questions = run(bridge, era, "cancel")
    said = result.structured_content
    assert (said["status"], said["confirm_token"]) == ("confirmation_required", "cbc_ct_token")
    assert said["summary"] == SUMMARY
    assert said["reasons"] == ["é regra"]
    assert len(questions) == 1
    assert asking[1] == []
    done, questions = run(bridge, era, "cancel", {**RULE, "confirm_token": said["confirm_token"]})
    assert done.structured_content["confirmed_by"] == "token"
    assert questions == []


@pytest.mark.parametrize("era", ERAS)
def test_a_client_that_cannot_ask_gets_a_token(era, bridge, asking):
    result, _questions = run(bridge, era, None)
    assert result.structured_content["confirm_token"] == "cbc_ct_token"
    assert asking[0] == [("token", None)]
    assert json.loads(result.content[0].text) == result.structured_content


def test_a_client_that_fails_to_ask_is_as_if_nobody_answered(bridge, asking):
    result, questions = run(bridge, "legacy", MCPError(-32603, "no window"))
    assert len(questions) == 1
    assert result.structured_content["confirm_token"] == "cbc_ct_token"


def test_a_question_that_nobody_answers_in_time_is_left_to_a_token(bridge, asking, monkeypatch):
    monkeypatch.setattr(elicitation, "SECONDS", 0.05)

    async def never(_context, _params):
        await anyio.sleep(60)

    async def talk():
        with anyio.move_on_after(20) as scope:
            async with Client(bridge.server(), mode="legacy", elicitation_callback=never) as client:
                results.append(await client.call_tool("write_page", RULE))
                scope.cancel()

    results = []
    anyio.run(talk)
    (result,) = results
    assert result.structured_content["confirm_token"] == "cbc_ct_token"


def envelope(**capabilities):
    return {"_meta": {**ENVELOPE, "io.modelcontextprotocol/clientCapabilities": capabilities}}


def retry(number, action, state, **capabilities):
    request = call(number, "write_page", RULE)
    answer = {"action": action, **({"content": {}} if action == "accept" else {})}
    request["params"] |= {**envelope(**capabilities), "inputResponses": {"confirm": answer}, "requestState": state}
    return request


def test_the_question_as_an_answer_carries_its_token_as_state_and_never_to_the_agent(bridge, asking):
    first = call(1, "write_page", RULE)
    first["params"] |= envelope(elicitation={"form": {}})
    (said,) = answers(bridge.server(), first)
    result = said["result"]
    assert result["resultType"] == "input_required"
    assert result["requestState"] == "cbc_ct_user"
    assert result["inputRequests"]["confirm"]["method"] == "elicitation/create"
    assert result["inputRequests"]["confirm"]["params"]["message"] == SUMMARY
    assert "structuredContent" not in result
    assert "content" not in result


@pytest.mark.parametrize("state", ["cbc_ct_token", "cbc_ct_x", "", "sim"])
def test_a_state_that_this_question_did_not_give_is_refused(bridge, asking, state):
    (said,) = answers(bridge.server(), retry(1, "accept", state, elicitation={"form": {}}))
    assert said["result"]["isError"] is True
    assert json.loads(said["result"]["content"][0]["text"])["error"]["code"] == "invalid_argument"


def test_an_answer_of_a_client_that_cannot_ask_is_no_answer(bridge, asking):
    (said,) = answers(bridge.server(), retry(1, "accept", "cbc_ct_user"))
    assert said["result"]["structuredContent"]["status"] == "confirmation_required"
    assert asking[0] == [("token", None)]


def test_arguments_cannot_choose_the_voice(bridge, asking):
    result, questions = run(bridge, "legacy", "accept", {**RULE, "confirm_token": "cbc_ct_user"})
    assert result.is_error
    assert questions == []
    assert asking[0] == [(str(Voice.CALLER), "cbc_ct_user")]


def test_a_client_that_can_only_open_addresses_is_not_asked(bridge, asking):
    first = call(1, "write_page", RULE)
    first["params"] |= envelope(elicitation={"url": {}})
    (said,) = answers(bridge.server(), first)
    assert said["result"]["structuredContent"]["confirm_token"] == "cbc_ct_token"
