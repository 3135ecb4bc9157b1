"""The command itself with a brain behind it, over its pipes."""

import json
import re
import subprocess
import sys

import pytest
from talking import ENVELOPE, Process, call, error_of, eventually, request

from brain.store import lock

PAGE = {"path": "wiki/concepts/Filas.md", "mode": "create", "frontmatter": {"type": "concept", "title": "Filas"}}
TEXT = "Configuração 🚀 日本 das filas."
FOREIGN = {"ninja", "celery", "kombu", "rich", "markdown_it", "nh3", "git"}


def start(brain, *options, interpreter=(), **environment):
    command = [sys.executable, *interpreter, "-m", "cabecao_site.cli", "--brain", str(brain.root), "mcp", *options]
    return Process(command, environment)


@pytest.fixture
def server(brain):
    with start(brain) as started:
        started.greet()
        yield started
    assert started.noise == []


def output(answer):
    result = answer["result"]
    assert not result.get("isError"), result["content"]
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    return result["structuredContent"]


def committed(brain, path):
    """A note as it is in HEAD."""
    return brain.git("cat-file", "-p", f"HEAD:{path}")


def page(number, path="wiki/concepts/Filas.md", content=TEXT):
    return call(number, "write_page", {**PAGE, "path": path, "content": content})


def test_what_a_client_writes_it_finds_and_reads(server, brain):
    wrote = output(server.ask(page(1)))
    assert wrote["changed"] is True
    found = output(server.ask(call(2, "search", {"query": "filas"})))
    assert PAGE["path"] in [hit["path"] for hit in found["hits"]]
    assert TEXT in output(server.ask(call(3, "read", {"path": PAGE["path"]})))["note"]["content"]
    assert TEXT in committed(brain, PAGE["path"])


def test_status_says_which_brain_and_which_client(server, brain):
    status = output(server.ask(call(1, "status")))
    assert status["root"] == str(brain.root)
    assert status["client"] == "cliente-de-teste"


def test_every_answer_has_the_fields_that_its_tool_declares(server):
    schemas = {tool["name"]: tool["outputSchema"] for tool in server.ask(request(1, "tools/list"))["result"]["tools"]}
    said = {
        "write_page": output(server.ask(page(2))),
        "recall": output(server.ask(call(3, "recall", {"task": "conferir as filas"}))),
        "search": output(server.ask(call(4, "search", {"query": "filas"}))),
        "read": output(server.ask(call(5, "read", {"path": PAGE["path"]}))),
        "status": output(server.ask(call(6, "status"))),
        "remember": output(server.ask(call(7, "remember", {"content": "Filas têm limite.", "type": "gotcha"}))),
        "undo": output(server.ask(call(8, "undo"))),
    }
    for name, answer in said.items():
        assert set(answer) <= set(schemas[name]["properties"]), name
        assert set(schemas[name]["required"]) <= set(answer), name


def test_a_page_resource_is_what_read_returns(server):
    output(server.ask(page(1, "wiki/concepts/Configuração.md")))
    address = "cabecao://page/wiki/concepts/Configura%C3%A7%C3%A3o.md"
    (content,) = server.ask(request(2, "resources/read", {"uri": address}))["result"]["contents"]
    assert json.loads(content["text"]) == output(server.ask(call(3, "read", {"path": "wiki/concepts/Configuração.md"})))


def test_the_index_resource_lists_every_note(server):
    output(server.ask(page(1)))
    (content,) = server.ask(request(2, "resources/read", {"uri": "cabecao://index"}))["result"]["contents"]
    assert "Filas" in content["text"]


@pytest.mark.parametrize("path", ["../outside.md", "/etc/passwd", "%2e%2e/%2e%2e/etc/passwd"])
def test_no_resource_leaves_the_brain(path, server):
    error = server.ask(request(1, "resources/read", {"uri": f"cabecao://page/{path}"}))["error"]
    assert error["data"]["error"]["code"] in {"unsafe_path", "invalid_path"}


def test_a_missing_note_is_an_error_of_the_table(server):
    assert error_of(server.ask(call(1, "read", {"path": "wiki/concepts/Ninguém.md"})))["code"] == "not_found"


def test_a_client_without_a_handshake_writes_too(brain):
    with start(brain) as server:
        params = {"name": "write_page", "arguments": {**PAGE, "content": TEXT}, "_meta": ENVELOPE}
        assert output(server.ask(request(1, "tools/call", params)))["changed"] is True
    assert "Cabecao-Client: outro-cliente" in brain.git("log", "-1", "--format=%B")


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_note_is_utf_8_under_every_locale(encoding, brain):
    with start(brain, LC_ALL="C", PYTHONIOENCODING=encoding) as server:
        server.greet()
        output(server.ask(page(1)))
    assert TEXT in committed(brain, PAGE["path"])


def test_a_write_cut_off_by_its_client_is_whole_or_absent(brain):
    brain.commit()
    with start(brain) as server:
        server.greet()
        server.ask(call(1, "status"))
        server.send(page(2))
        server.close()
        assert server.ended(6) == 0
    tree = brain.git("-c", "core.quotePath=false", "ls-tree", "-r", "--name-only", "HEAD").splitlines()
    assert (PAGE["path"] in tree) is (brain.root / PAGE["path"]).exists()
    assert brain.git("status", "--porcelain") == ""


def test_a_client_that_goes_while_its_write_waits_leaves_nothing_written(brain):
    brain.commit()
    with start(brain) as server:
        server.greet()
        server.ask(call(1, "status"))
        with lock.write_lock(brain.root):
            server.send(page(2))
            server.ask(request(3, "ping"))
            server.close()
            assert server.ended(6) == 0
    assert brain.git("log", "--format=%s").splitlines() == ["Notes"]
    assert brain.git("status", "--porcelain") == ""


def test_a_client_that_goes_while_git_works_leaves_nothing_written_and_no_child(brain):
    brain.commit()
    hook, noted = brain.root / ".git" / "hooks" / "pre-commit", brain.root / ".git" / "hook-ran"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho $$ > .git/hook-ran\nexec sleep 60\n")
    hook.chmod(0o755)
    with start(brain) as server:
        server.greet()
        server.send(page(1))
        assert eventually(lambda: noted.exists() and noted.read_text().endswith("\n"), 30)
        server.close()
        assert server.ended(6) == 0
    child = noted.read_text().strip()
    assert eventually(lambda: subprocess.run(["kill", "-0", child], check=False, capture_output=True).returncode != 0)
    assert brain.git("log", "--format=%s").splitlines() == ["Notes"]
    assert not (brain.root / PAGE["path"]).exists()
    assert brain.git("status", "--porcelain") == ""


def test_a_read_does_not_wait_for_the_write_lock(server, brain):
    output(server.ask(page(1)))
    with lock.write_lock(brain.root):
        assert output(server.ask(call(2, "read", {"path": PAGE["path"]})))["note"]["title"] == "Filas"
        assert output(server.ask(call(3, "search", {"query": "filas"})))["hits"]


def test_a_cancelled_write_is_whole_or_absent_and_the_next_one_works(server, brain):
    brain.commit()
    for number in range(1, 6):
        server.send(
            page(number, f"wiki/concepts/Nota {number}.md"),
            {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}},
        )
    output(server.ask(page(99)))
    assert not list((brain.root / ".git").rglob("*.lock"))
    assert brain.git("status", "--porcelain") == ""


def test_many_requests_at_once_are_each_answered(server):
    output(server.ask(page(0)))
    server.send(*[call(number, "search", {"query": "filas"}) for number in range(1, 101)])
    assert {server.next()["id"] for _ in range(100)} == set(range(1, 101))


def test_the_core_profile_has_the_core_tools(brain):
    with start(brain, "--tools", "core") as server:
        server.greet()
        tools = server.ask(request(1, "tools/list"))["result"]["tools"]
        assert {"recall", "search", "read", "remember"} <= {tool["name"] for tool in tools}
        assert error_of(server.ask(call(2, "status")))["code"] == "invalid_argument"


def test_the_process_loads_nothing_it_does_not_need(brain):
    with start(brain, interpreter=("-X", "importtime")) as server:
        server.greet()
        output(server.ask(page(1)))
        output(server.ask(call(2, "search", {"query": "filas"})))
        output(server.ask(call(3, "read", {"path": PAGE["path"]})))
    lines = server.errors.decode().splitlines()
    loaded = {line.rpartition("|")[2].strip().split(".")[0] for line in lines if line.startswith("import time:")}
    assert {"mcp", "django"} <= loaded
    assert not loaded & FOREIGN


ODD_LINES = [
    (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":{},"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":1e400,"method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":' + b"[" * 3000 + b"]" * 3000 + b"}}", 1, -32600),
    (b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}', None, -32600),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}', 1, -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":5}}', 1, -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}', 1, -32602),
    (b'{"jsonrpc":"2.0","id":1,"method":"nada"}', 1, -32601),
]


def test_each_odd_line_is_answered_in_the_language_in_force_and_the_server_lives_on(brain):
    with start(brain, CABECAO_LANG="pt-BR") as server:
        server.greet()
        for number, (line, meant, code) in enumerate(ODD_LINES, 100):
            server.send(line)
            answer = server.next()
            assert (answer["id"], answer["error"]["code"]) == (meant, code), line[:80]
            assert not re.search(r"\b(the|must|invalid|request|found)\b", answer["error"]["message"].lower()), line[:80]
            assert server.ask(request(number, "ping"))["result"] == {}
    assert server.noise == []


def test_half_of_a_character_pair_in_an_argument_is_the_tools_to_refuse(server):
    server.send(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"\\udfff"}}}'
    )
    error = error_of(server.next())
    assert error["code"] == "invalid_argument"
    assert "“query”" in error["message"]


def test_arguments_that_are_null_are_no_object(server):
    assert error_of(server.ask(call(1, "status", None)))["code"] == "invalid_argument"


def test_the_steps_of_a_sync_reach_a_client_that_asked_for_them(server, brain, tmp_path):
    brain.git("init", "-q", "--bare", "--initial-branch=main", str(tmp_path / "remoto.git"))
    brain.git("remote", "add", "origin", str(tmp_path / "remoto.git"))
    answer, steps = followed(server, "sync", {})
    assert answer["status"] == "ok"
    assert len(steps) >= 3


def test_the_steps_of_a_consolidation_reach_a_client_that_asked_for_them(server, brain):
    brain.commit()
    begun, steps = followed(server, "consolidate", {"action": "start"})
    assert [(one["progress"], one["total"]) for one in steps] == [(done, 5) for done in range(5)]
    given = {"action": "finish", "consolidation_id": begun["consolidation_id"]}
    _ended, steps = followed(server, "consolidate", given)
    assert [(one["progress"], one["total"]) for one in steps] == [(0, 2), (1, 2)]


def followed(server, tool, arguments):
    """Return what a tool answered and the steps that it told before."""
    asked = call(1, tool, arguments)
    asked["params"]["_meta"] = {"progressToken": "t1"}
    server.send(asked)
    heard = [server.next()]
    while "id" not in heard[-1]:
        heard.append(server.next())
    steps = [one["params"] for one in heard[:-1] if one["method"] == "notifications/progress"]
    assert {one["progressToken"] for one in steps} == {"t1"}
    assert [one["progress"] for one in steps] == sorted({one["progress"] for one in steps})
    return output(heard[-1]), steps
