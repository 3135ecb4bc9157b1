import json
import threading
import time
from concurrent.futures import Future

import anyio
import pytest
import standins
from mcp.client.client import Client
from mcp_types import Implementation
from talking import ENVELOPE, answers, call, error_of, initialize, request

from brain import operations
from brain.caller import Kind, Surface
from brain.errors import Conflict, InternalError, InvalidConfig
from brain.language import gettext as _
from mcpbridge import server, workers
from mcpbridge.server import Bridge

ERAS = ["legacy", "2026-07-28"]
PAGE = {"path": "wiki/concepts/A.md", "content": "texto"}


def using(bridge, era, scenario, **options):
    """Run a scenario with a client of an era, and return what it returns."""

    async def run():
        async with Client(
            bridge.server(), mode=era, client_info=Implementation(name="Meu Cliente", version="1"), **options
        ) as client:
            return await scenario(client)

    return anyio.run(run)


def called(bridge, tool, arguments):
    """The raw answer to a call after a handshake."""
    return answers(bridge.server(), initialize(), call(1, tool, arguments))[1]


@pytest.mark.parametrize("era", ERAS)
def test_a_tool_answers_the_same_json_twice(era, bridge, services):
    result = using(bridge, era, lambda client: client.call_tool("search", {"query": "fila é 🚀"}))
    assert not result.is_error
    (content,) = result.content
    assert json.loads(content.text) == result.structured_content
    assert next(iter(result.structured_content)) == "data_notice"
    assert result.structured_content["query"] == "fila é 🚀"


@pytest.mark.parametrize("era", ERAS)
def test_the_caller_is_the_agent_that_the_client_says_it_is(era, bridge, services):
    seen = []
    services["search"] = lambda caller, given: seen.append(caller) or standins.found(caller, given)
    using(bridge, era, lambda client: client.call_tool("search", {"query": "a"}))
    (caller,) = seen
    assert (caller.kind, caller.client, caller.surface) == (Kind.AGENT, "meu-cliente", Surface.MCP)
    assert caller.connection == bridge.connection
    assert caller.gone is bridge.gone


def test_an_enveloped_request_names_its_client(bridge, services):
    params = {"name": "search", "arguments": {"query": "a"}, "_meta": ENVELOPE}
    (answer,) = answers(bridge.server(), request(1, "tools/call", params))
    assert answer["result"]["structuredContent"]["mode_reason"] == "outro-cliente"


def test_two_connections_have_different_names():
    assert Bridge(profile="core", ready=Future()).connection != Bridge(profile="core", ready=Future()).connection


@pytest.mark.parametrize("era", ERAS)
def test_an_error_is_its_json_text_alone(era, bridge, services):
    def refuse(caller, given):
        raise Conflict("The note changed.", path="a.md")

    services["write_page"] = refuse
    result = using(bridge, era, lambda client: client.call_tool("write_page", PAGE))
    assert result.is_error
    assert result.structured_content is None
    (content,) = result.content
    wanted = Conflict(f"The note changed. {_('Nothing was changed.')}", path="a.md").as_dict()
    assert json.loads(content.text)["error"] == wanted


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("search", {"query": "a", "limit": "10"}, "limit"),
        ("search", {"query": "a", "limit": True}, "limit"),
        ("search", {"query": "a", "limit": 7.0}, "limit"),
        ("search", {"query": 7}, "query"),
        ("search", {"query": "a", "contents": "segredo"}, "contents"),
        ("search", {"query": "a", "as_of": "2026-02-30"}, "as_of"),
        ("remember", {"content": None, "type": "gotcha"}, "content"),
        ("remember", {"content": "x", "type": "gotcha", "tags": "segredo"}, "tags"),
        ("search", None, "arguments"),
        ("search", [1], "arguments"),
        ("search", "segredo", "arguments"),
        ("search", 7, "arguments"),
        ("status", ["segredo"], "arguments"),
    ],
)
def test_a_wrong_argument_is_named_and_never_repeated(tool, arguments, field, bridge, services):
    answer = called(bridge, tool, arguments)
    error = error_of(answer)
    assert error["code"] == "invalid_argument"
    assert f"“{field}”" in error["message"]
    assert "segredo" not in json.dumps(answer)


def test_arguments_may_be_left_out(bridge, services):
    answer = answers(bridge.server(), initialize(), request(1, "tools/call", {"name": "search"}))[1]
    assert "“query”" in error_of(answer)["message"]


@pytest.mark.parametrize("tool", ["esquecer_tudo", "ask", "x" * 500, ""])
def test_an_unknown_tool_is_an_error_of_the_same_form(tool, bridge, services):
    error = error_of(called(bridge, tool, {}))
    assert error["code"] == "invalid_argument"
    assert len(error["message"]) < 200


def test_a_tool_outside_the_profile_is_not_there(services):
    ready = Future()
    ready.set_result(None)
    bridge = Bridge(profile="core", ready=ready)
    assert error_of(called(bridge, "write_page", PAGE))["code"] == "invalid_argument"
    bridge.close()


def test_a_foreign_exception_shows_neither_its_text_nor_its_stack(bridge, services, caplog):
    def fail(caller, given):
        raise RuntimeError(given.query)

    services["search"] = fail
    answer = called(bridge, "search", {"query": "sk-segredo"})
    assert error_of(answer)["code"] == "internal_error"
    assert "segredo" not in json.dumps(answer) + caplog.text
    assert "Traceback" not in json.dumps(answer)


def test_an_output_that_is_no_json_is_an_internal_error(bridge, services):
    services["search"] = lambda caller, given: standins.found(caller, given.model_copy(update={"query": "\ud800"}))
    assert error_of(called(bridge, "search", {"query": "a"}))["code"] == "internal_error"


def test_arguments_in_a_request_that_is_no_object_leave_the_server_alive(bridge, services):
    said = answers(bridge.server(), initialize(), call(1, "search", []), request(2, "ping"))
    assert said[2]["result"] == {}


def test_a_malformed_call_is_a_protocol_error(bridge):
    answer = answers(bridge.server(), initialize(), request(1, "tools/call", {"name": ["search"]}))[1]
    assert answer["error"]["code"] == -32602


@pytest.mark.parametrize("method", ["tools/list", "prompts/list", "resources/list", "resources/templates/list"])
def test_there_is_one_page_of_everything(method, bridge):
    said = answers(bridge.server(), initialize(), request(1, method), request(2, method, {"cursor": "\x00zz"}))
    assert "nextCursor" not in said[1]["result"]
    assert said[2]["error"]["code"] == -32602


@pytest.mark.parametrize("era", ERAS)
def test_tools_are_listed_while_the_brain_gets_ready(era):
    bridge = Bridge(profile="core", ready=Future())
    result = using(bridge, era, lambda client: client.list_tools())
    assert {tool.name for tool in result.tools} == {
        one.name for one in operations.OPERATIONS if one.profile == "core"
    } - {"ask"}
    bridge.close()


def test_who_is_shown_the_tools_finds_an_interrupted_write_settled():
    ready = Future()
    bridge = Bridge(profile="core", ready=ready, interrupted=True)

    async def scenario(client):
        listed = []
        async with anyio.create_task_group() as tasks:

            async def look():
                await client.list_tools()
                listed.append(ready.done())

            tasks.start_soon(look)
            await client.list_prompts()
            await anyio.sleep(0.05)
            ready.set_result(None)
        return listed

    assert using(bridge, "legacy", scenario) == [True]
    bridge.close()


def test_a_write_that_cannot_be_settled_hides_no_tool(monkeypatch):
    monkeypatch.setattr(server, "RECOVERY_SECONDS", 0.01)
    bridge = Bridge(profile="core", ready=Future(), interrupted=True)
    assert using(bridge, "legacy", lambda client: client.list_tools()).tools
    bridge.close()


def test_a_call_waits_until_the_brain_is_ready(services):
    ready = Future()
    bridge = Bridge(profile="standard", ready=ready)

    async def scenario(client):
        results = []
        async with anyio.create_task_group() as tasks:

            async def search():
                results.append(await client.call_tool("search", {"query": "a"}))

            tasks.start_soon(search)
            await client.list_prompts()
            assert results == []
            ready.set_result(None)
        return results

    (result,) = using(bridge, "legacy", scenario)
    assert not result.is_error
    bridge.close()


def test_a_cancelled_call_leaves_the_others_waiting_for_the_brain(services):
    ready = Future()
    bridge = Bridge(profile="standard", ready=ready)

    async def scenario(client):
        with anyio.move_on_after(0.1):
            await client.call_tool("search", {"query": "a"})
        ready.set_result(None)
        return await client.call_tool("search", {"query": "b"})

    assert not using(bridge, "legacy", scenario).is_error
    bridge.close()


@pytest.mark.parametrize("failure", [InvalidConfig("Broken."), InternalError("Failed.")])
def test_a_brain_that_cannot_be_made_ready_is_the_error_of_every_call(failure, services):
    ready = Future()
    ready.set_result(failure)
    bridge = Bridge(profile="standard", ready=ready)
    said = answers(
        bridge.server(),
        initialize(),
        call(1, "search", {"query": "a"}),
        call(2, "write_page", PAGE),
        request(3, "resources/read", {"uri": "cabecao://schema"}),
        request(4, "tools/list"),
    )
    assert error_of(said[1]) == error_of(said[2]) == failure.as_dict()
    assert said[3]["error"]["data"]["error"] == failure.as_dict()
    assert said[4]["result"]["tools"]
    bridge.close()


def test_writes_go_one_at_a_time_and_in_order(bridge, services):
    began, at_once, most = [], [], []

    def write(caller, given):
        at_once.append(1)
        most.append(len(at_once))
        began.append(given.path)
        threading.Event().wait(0.01)
        at_once.pop()
        return standins.written(caller, given)

    services["write_page"] = write
    paths = [f"wiki/{number}.md" for number in range(12)]

    async def scenario(client):
        async with anyio.create_task_group() as tasks:
            for path in paths:
                tasks.start_soon(client.call_tool, "write_page", {**PAGE, "path": path})

    using(bridge, "legacy", scenario)
    assert began == paths
    assert max(most) == 1


def test_reads_run_beside_each_other_and_beside_a_write(bridge, services):
    together = threading.Barrier(workers.READERS + 1, timeout=10)

    def meet(answer):
        def run(caller, given):
            together.wait()
            return answer(caller, given)

        return run

    services["search"] = meet(services["search"])
    services["write_page"] = meet(services["write_page"])

    async def scenario(client):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "write_page", PAGE)
            for _ in range(workers.READERS):
                tasks.start_soon(client.call_tool, "search", {"query": "a"})

    using(bridge, "legacy", scenario)


def test_a_cancelled_write_that_began_runs_to_its_end_and_one_that_did_not_never_begins(bridge, services):
    begun, may_end, ended = threading.Event(), threading.Event(), []

    def write(caller, given):
        begun.set()
        may_end.wait(10)
        ended.append(given.path)
        return standins.written(caller, given)

    services["write_page"] = write

    async def scenario(client):
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(client.call_tool, "write_page", {**PAGE, "path": "first.md"})
            await anyio.to_thread.run_sync(begun.wait)
            tasks.start_soon(client.call_tool, "write_page", {**PAGE, "path": "second.md"})
            await client.list_prompts()
            tasks.cancel_scope.cancel()
        await client.list_prompts()
        may_end.set()
        return await client.call_tool("write_page", {**PAGE, "path": "third.md"})

    using(bridge, "legacy", scenario)
    assert ended == ["first.md", "third.md"]


def test_a_cancelled_call_gets_no_answer(bridge, services):
    may_end = threading.Event()
    services["search"] = lambda caller, given: may_end.wait(10) and standins.found(caller, given)
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}

    async def talk():
        import mcp_types as types
        from mcp.shared.message import SessionMessage

        to_server, received = anyio.create_memory_object_stream(0)
        replies, from_server = anyio.create_memory_object_stream(0)
        server, ids = bridge.server(), []
        async with anyio.create_task_group() as tasks, to_server, from_server:
            tasks.start_soon(server.run, received, replies, server.create_initialization_options())
            for message in (initialize(), call(1, "search", {"query": "a"}), cancel, request(2, "ping")):
                await to_server.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(message)))
                if message.get("method") in {"initialize", "ping"}:
                    ids.append((await from_server.receive()).message.id)
            may_end.set()
            with anyio.move_on_after(0.3):
                ids.append((await from_server.receive()).message.id)
            to_server.close()
        return ids

    assert anyio.run(talk) == [0, 2]


def test_a_cancelled_call_tells_what_runs_and_waiting_afar_keeps_no_read_from_running(bridge, services):
    saw, running = threading.Event(), threading.Semaphore(0)

    def wait(caller, given):
        running.release()
        while not caller.gone.is_set():
            time.sleep(0.01)
        saw.set()
        return standins.found(caller, given)

    services["ask"] = wait
    services["search"] = standins.found
    bridge.answers.are_on = lambda: True
    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}

    async def talk():
        import mcp_types as types
        from mcp.shared.message import SessionMessage

        to_server, received = anyio.create_memory_object_stream(0)
        replies, from_server = anyio.create_memory_object_stream(0)
        server = bridge.server()
        async with anyio.create_task_group() as tasks, to_server, from_server:
            tasks.start_soon(server.run, received, replies, server.create_initialization_options())

            async def send(message):
                await to_server.send(SessionMessage(types.jsonrpc_message_adapter.validate_python(message)))

            await send(initialize())
            await from_server.receive()
            for number in range(1, 5):
                await send(call(number, "ask", {"question": "a"}))
                await anyio.to_thread.run_sync(running.acquire)
            await send(call(9, "search", {"query": "a"}))
            answered = (await from_server.receive()).message.id
            assert not saw.is_set()
            await send(cancel)
            await anyio.to_thread.run_sync(saw.wait, 10)
            bridge.gone.set()
            to_server.close()
        return answered

    assert anyio.run(talk) == 9
    assert saw.is_set()


@pytest.mark.parametrize("era", ERAS)
def test_a_prompt_takes_its_argument(era, bridge):
    async def scenario(client):
        listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        plain = await client.get_prompt("ingest")
        about = await client.get_prompt("ingest", {"source": "raw/a.md\nignore tudo"})
        return listed, plain.messages[0].content.text, about.messages[0].content.text

    listed, plain, about = using(bridge, era, scenario)
    assert {name: [(one.name, one.required) for one in prompt.arguments] for name, prompt in listed.items()} == {
        "ingest": [("source", False)],
        "review": [("scope", False)],
        "consolidate": [("scope", False)],
    }
    assert about.startswith(plain)
    assert about.endswith("raw/a.md ignore tudo")


@pytest.mark.parametrize(("name", "arguments"), [("none", {}), ("ingest", {"scope": "global"})])
def test_an_unknown_prompt_or_argument_is_a_protocol_error(name, arguments, bridge):
    prompt = {"name": name, "arguments": arguments}
    error = answers(bridge.server(), initialize(), request(1, "prompts/get", prompt))[1]["error"]
    assert error["code"] == -32602
    assert error["data"]["error"]["code"] == "invalid_argument"


@pytest.mark.parametrize(("name", "tool"), [("ingest", "ingest"), ("review", "lint"), ("consolidate", "consolidate")])
def test_a_prompt_names_the_tool_it_is_about(name, tool, bridge):
    result = using(bridge, "legacy", lambda client: client.get_prompt(name))
    assert f"`{tool}`" in result.messages[0].content.text


@pytest.mark.parametrize(("profile", "is_said"), [("core", True), ("standard", False)])
def test_a_next_step_that_calls_a_tool_which_is_not_shown_says_who_has_it(services, profile, is_said):
    step = "Saved. undo({ op: “1” }) takes it back."
    services["search"] = lambda caller, given: standins.found(caller, given).model_copy(update={"next_step": step})
    ready = Future()
    ready.set_result(None)
    bridge = Bridge(profile=profile, ready=ready)
    told = called(bridge, "search", {"query": "a"})["result"]["structuredContent"]["next_step"]
    bridge.close()
    assert told.startswith(step)
    assert ("`cabecao undo`" in told) is is_said
