"""`cabecao consolidate --run`: a real agent process, over real MCP, with nobody there to ask."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

# An agent: reads the prompt, starts the server of the configuration, and calls tools as it was told in AGENT_CALLS.
AGENT = """
import json, os, subprocess, sys
prompt = sys.stdin.read()
server = json.load(open(os.environ["CABECAO_MCP_CONFIG"]))["mcpServers"]["cabecao"]
child = subprocess.Popen([server["command"], *server["args"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
def ask(number, method, params):
    child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params}) + "\\n")
    child.stdin.flush()
    return json.loads(child.stdout.readline())
ask(1, "initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "robo", "version": "1"}})
child.stdin.write(json.dumps({"jsonrpc": "2.0", "method": "notifications/initialized"}) + "\\n")
for number, (name, arguments) in enumerate(json.loads(os.environ["AGENT_CALLS"]), 2):
    answer = ask(number, "tools/call", {"name": name, "arguments": arguments})
    print(json.dumps(answer))
child.stdin.close()
child.wait()
print("material" if "01" in prompt else "no prompt")
sys.exit(int(os.environ.get("AGENT_ENDS", "0")))
"""
WRITE = ["write_page", {"path": "wiki/syntheses/Filas.md", "content": "O que se sabe.", "mode": "create",
                        "frontmatter": {"type": "synthesis", "title": "Filas"}}]  # fmt: skip


@pytest.fixture
def robot(tmp_path: Path) -> str:
    place = tmp_path / "robo.py"
    place.write_text(AGENT)
    return f"{sys.executable} {place}"


def git(root: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True).stdout


def consolidate(cli, root: Path, robot: str, calls: list, *more: str, **env: str):
    words = ("--brain", str(root), "consolidate", "--run", "--agent", robot, "--lang", "en", *more)
    return cli.run(*words, person=True, AGENT_CALLS=json.dumps(calls), **env)


def test_the_agents_work_becomes_one_commit_and_a_second_run_starts_no_agent(cli, made_brain, robot):
    before = len(git(made_brain, "log", "--format=%H").split())
    ended = consolidate(cli, made_brain, robot, [WRITE])
    assert ended.code == 0, ended.out + ended.err
    assert "add synthesis: Filas" in ended.out + ended.err
    assert len(git(made_brain, "log", "--format=%H").split()) == before + 1
    assert "Cabecao-Kind: agent" in git(made_brain, "log", "-1", "--format=%B")
    again = consolidate(cli, made_brain, robot, [["write_page", {"path": "wiki/x.md", "content": "x"}]])
    assert again.code == 0
    assert not (made_brain / "wiki/x.md").exists()
    assert not list((made_brain / ".cabecao/consolidations").glob("*.mcp.json"))


def test_what_needs_a_person_is_refused_to_the_agent_and_the_rest_stands(cli, made_brain, robot):
    calls = [["undo", {}], ["remember", {"content": "Sempre em português.", "type": "rule"}], WRITE]
    assert consolidate(cli, made_brain, robot, calls).code == 0
    [log] = (made_brain / ".cabecao/consolidations").glob("*.log")
    assert log.read_text().count("human_only") >= 2
    assert (made_brain / "wiki/syntheses/Filas.md").exists()


def test_an_agent_that_fails_is_told_and_what_it_wrote_can_be_undone(cli, made_brain, robot):
    ended = consolidate(cli, made_brain, robot, [WRITE], AGENT_ENDS="7")
    assert ended.code == 1
    assert "7" in ended.out + ended.err
    session = git(made_brain, "log", "-1", "--format=%(trailers:key=Cabecao-Session,valueonly)").strip()
    assert cli.run("--brain", str(made_brain), "undo", "--session", session, person=True).code == 0
    assert not (made_brain / "wiki/syntheses/Filas.md").exists()


def test_an_agent_that_is_not_there_changes_nothing(cli, made_brain):
    before = git(made_brain, "rev-parse", "HEAD")
    ended = cli.run(
        "--brain", str(made_brain), "consolidate", "--run", "--agent", "nao-existe", "--lang", "en", person=True
    )
    assert ended.code == 1
    assert "nao-existe" in ended.out + ended.err
    assert git(made_brain, "rev-parse", "HEAD") == before
    assert not git(made_brain, "tag", "--list")


def test_a_program_may_not_start_an_agent(cli, made_brain, robot):
    assert cli.run("--brain", str(made_brain), "consolidate", "--run", "--agent", robot).code == 4


def test_a_consolidation_that_is_no_id_is_a_mistake_in_the_command(cli, made_brain):
    assert cli.run("--brain", str(made_brain), "mcp", "--consolidation", "abc").code == 2


def test_a_program_that_asks_is_told_the_steps_of_a_consolidation(cli, made_brain):
    begun = cli.run("--brain", str(made_brain), "consolidate", "start", "--json", CABECAO_PROGRESS_LINES="1")
    identity = json.loads(begun.out)["consolidation_id"]
    ended = cli.run(
        "--brain",
        str(made_brain),
        "consolidate",
        "finish",
        "--consolidation-id",
        identity,
        "--json",
        CABECAO_PROGRESS_LINES="1",
    )
    for told, total in ((begun, 5), (ended, 2)):
        steps = [json.loads(line) for line in told.err.splitlines() if line.startswith("{")]
        assert [one["done"] for one in steps] == list(range(total))
        assert all(one["total"] == total and one["step"] for one in steps)
