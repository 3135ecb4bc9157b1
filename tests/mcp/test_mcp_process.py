import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest
from talking import ENVELOPE, call, error_of, eventually, initialize, play_server, request

PAGE = {"path": "wiki/concepts/A.md", "content": "Configuração 🚀 日本"}
# What the person's other processes load, and this one must not: it costs start-up time and memory.
FOREIGN = {"ninja", "celery", "kombu", "rich", "playwright", "pytest", "markdown_it", "nh3", "psutil", "numpy"}


@pytest.fixture
def root(tmp_path):
    (tmp_path / ".cabecao.json").write_text("{}", encoding="utf-8")
    return tmp_path


def happened(root):
    file = root / "happened"
    return file.read_text(encoding="utf-8").split() if file.exists() else []


def search(number, query):
    return call(number, "search", {"query": query})


def test_a_client_of_the_handshake_era_is_served(root):
    with play_server(root) as server:
        assert server.greet()["result"]["protocolVersion"] == "2025-11-25"
        assert server.ask(request(1, "tools/list"))["result"]["tools"]
        assert server.ask(search(2, "fila"))["result"]["structuredContent"]["query"] == "fila"
        assert server.ask(request(3, "ping"))["result"] == {}
    assert server.noise == []
    assert server.ended(0) == 0


def test_a_client_without_a_handshake_is_served(root):
    with play_server(root) as server:
        answer = server.ask(request(1, "server/discover", {"_meta": ENVELOPE}))
        assert answer["result"]["supportedVersions"] == ["2026-07-28"]
        params = {"name": "search", "arguments": {"query": "fila"}, "_meta": ENVELOPE}
        found = server.ask(request(2, "tools/call", params))["result"]["structuredContent"]
        assert found["mode_reason"].startswith("outro-cliente ")
        again = server.ask(request(3, "tools/call", params))["result"]["structuredContent"]
        assert again["mode_reason"] == found["mode_reason"]


def test_the_handshake_is_answered_once_even_while_the_brain_gets_ready(root):
    with play_server(root, "slow") as server:
        assert server.greet(number="abertura")["id"] == "abertura"
        assert server.ask(request(1, "tools/list"))["result"]["tools"]
        assert "result" in server.ask(search("abertura", "a"))
        assert server.silent(0.2)


def test_initialize_is_answered_when_it_is_not_plain(root):
    opening = initialize()
    opening["params"]["capabilities"]["tasks"] = {}
    with play_server(root) as server:
        assert server.ask(opening)["result"]["serverInfo"]["name"] == "cabecao"


def test_an_opening_that_breaks_the_protocol_is_refused_and_another_is_served(root):
    with play_server(root) as server:
        server.send(b"isto n\xc3\xa3o \xc3\xa9 JSON", b"", b"\xff")
        assert [server.next()["error"]["code"] for _ in range(2)] == [-32700, -32700]
        assert "error" in server.ask(request(1, "tools/list"))
        assert "result" in server.greet(number=2)
        assert "result" in server.ask(search(3, "a"))


def test_lines_that_are_no_messages_are_answered_and_the_server_goes_on(root):
    with play_server(root) as server:
        server.greet()
        for line in (
            b"null",
            b"[]",
            b'{"id":7,"method":"ping"}',
            b'{"jsonrpc":"2.0","id":8,"method":"x","params":{"a":"\\ud800"}}',
        ):
            server.send(line)
            assert "error" in server.next()
        assert server.ask(request(9, "ping"))["result"] == {}


def test_nothing_but_the_protocol_reaches_standard_output(root):
    with play_server(root, PYTHONWARNINGS="always") as server:
        server.greet()
        assert "result" in server.ask(search(1, "print alto e claro"))
        server.send(b"lixo")
        assert "error" in server.next()
    assert server.noise == []
    for printed in (b"alto e claro", b"straight to the descriptor", b"a child prints", b"a library warns"):
        assert printed in server.errors


def test_children_do_not_eat_the_requests(root):
    with play_server(root) as server:
        server.greet()
        server.send(
            *[search(number, "print") for number in range(5)], *[request(number, "ping") for number in range(5, 105)]
        )
        assert sorted(server.next()["id"] for _ in range(105)) == list(range(105))


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_text_is_utf_8_under_every_locale(encoding, root):
    with play_server(root, LC_ALL="C", LANG="C", PYTHONIOENCODING=encoding, PYTHONUTF8="0") as server:
        server.greet()
        answer = server.ask(call(1, "write_page", PAGE))
        assert answer["result"]["structuredContent"]["changed"] is True
        assert server.ask(search(2, PAGE["content"]))["result"]["structuredContent"]["query"] == PAGE["content"]
    assert (root / "written").read_text(encoding="utf-8") == PAGE["content"]


def test_a_cancelled_search_is_not_answered_and_the_server_lives(root):
    with play_server(root, "fine", "patient") as server:
        server.greet()
        server.send(search(1, "pause 1"))
        assert eventually(lambda: happened(root) == ["began"])
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
        assert server.ask(request(2, "ping"))["result"] == {}
        assert eventually(lambda: happened(root) == ["began", "ended"])
        assert server.ask(request(3, "ping"))["result"] == {}


def test_what_was_asked_before_the_client_closed_is_answered(root):
    with play_server(root) as server:
        server.send(initialize(), request(1, "tools/list"), search(2, "a"), call(3, "write_page", PAGE))
        server.close()
        assert [server.next()["id"] for _ in range(2)] == [0, 1]
        assert {server.next()["id"], server.next()["id"]} == {2, 3}
    assert server.ended(0) == 0


@pytest.mark.parametrize("sent", [b"", b'{"jsonrpc":"2.0","id":1,"method":"pi'])
def test_a_client_that_says_nothing_ends_the_server(sent, root):
    with play_server(root) as server:
        server.process.stdin.write(sent)
        server.close()
        assert server.ended(6) == 0


def test_a_write_is_finished_when_the_client_goes(root):
    with play_server(root, "fine", "patient") as server:
        server.greet()
        server.send(call(1, "write_page", {**PAGE, "frontmatter": {"pause": 1}}))
        assert eventually(lambda: happened(root) == ["began"])
        server.close()
        assert server.ended(6) == 0
    assert happened(root) == ["began", "ended"]


def test_a_write_that_waits_hears_that_its_client_went(root):
    with play_server(root) as server:
        server.greet()
        server.send(call(1, "write_page", {**PAGE, "frontmatter": {"pause": 60}}))
        assert eventually(lambda: happened(root) == ["began"])
        server.close()
        assert server.ended(6) == 0
    assert happened(root) == ["began", "ended"]


def test_a_call_that_never_ends_does_not_keep_the_server(root):
    with play_server(root, "fine", "patient") as server:
        server.greet()
        server.send(search(1, "pause 60"), search(2, "child 60"))
        assert eventually(lambda: len(happened(root)) == 2)
        (child,) = (int(word) for word in happened(root) if word.isdigit())
        server.close()
        assert server.ended(8) == 0
        assert eventually(lambda: not alive(child))


def test_the_server_ends_when_it_is_asked_to(root):
    with play_server(root) as server:
        server.greet()
        server.ask(request(1, "tools/list"))
        server.process.send_signal(signal.SIGTERM)
        assert server.ended(6) == 143


def test_the_server_ends_when_it_is_asked_to_before_its_client_spoke(root):
    with play_server(root) as server:
        assert eventually(lambda: len(psutil.Process(server.process.pid).threads()) > 1)
        time.sleep(0.2)
        server.process.send_signal(signal.SIGTERM)
        assert server.ended(6) == 143


def test_the_server_ends_with_its_parent_though_the_pipe_stays_open(root):
    incoming, outgoing = os.pipe()
    script = Path(__file__).with_name("playing.py")
    starter = (
        "import subprocess, sys, time\n"
        "child = subprocess.Popen(sys.argv[2:], stdin=int(sys.argv[1]), stdout=subprocess.DEVNULL)\n"
        "print(child.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    command = [sys.executable, "-c", starter, str(incoming), sys.executable, str(script), str(root)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, pass_fds=[incoming]) as parent:
        server = int(parent.stdout.readline())
        os.write(outgoing, json.dumps(initialize()).encode() + b"\n")
        time.sleep(0.5)
        assert alive(server)
        parent.kill()
    assert eventually(lambda: not alive(server))
    os.close(incoming)
    os.close(outgoing)


def test_a_client_that_no_longer_listens_ends_the_server(root):
    receiving, outgoing = os.pipe()
    script = Path(__file__).with_name("playing.py")
    command = [sys.executable, str(script), str(root)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=outgoing, stderr=subprocess.DEVNULL) as server:
        os.close(outgoing)
        os.close(receiving)
        server.stdin.write(json.dumps(initialize()).encode() + b"\n")
        server.stdin.flush()
        assert server.wait(8) == 0


def test_a_brain_that_is_broken_still_lists_its_tools(root):
    with play_server(root, "broken") as server:
        server.greet()
        assert server.ask(request(1, "tools/list"))["result"]["tools"]
        assert error_of(server.ask(search(2, "a")))["code"] == "invalid_config"


def test_the_process_loads_nothing_it_does_not_need(root):
    with play_server(root) as server:
        server.greet()
        loaded = set(server.ask(search(1, "a"))["result"]["structuredContent"]["terms"])
    assert {"mcp", "pydantic"} <= loaded
    assert not loaded & FOREIGN


def test_the_first_answer_needs_the_standard_library_alone():
    code = "import sys; import mcpbridge.launcher; print(*{name.split('.')[0] for name in sys.modules})"
    ran = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=Path(__file__).parents[2]
    )
    foreign = {name for name in ran.stdout.split() if name not in sys.stdlib_module_names}
    assert foreign - {"brain", "mcpbridge", "__main__", "_distutils_hack", "coverage"} <= set(startup_modules())


def startup_modules():
    """What an empty program has already loaded here."""
    code = "import sys; print(*{name.split('.')[0] for name in sys.modules})"
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()


def alive(pid):
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_a_server_survives_a_client_that_sends_everything_at_once(root):
    with play_server(root) as server:
        server.send(initialize(), *[search(number, "fila") for number in range(1, 301)])
        assert {server.next()["id"] for _ in range(301)} == set(range(301))
