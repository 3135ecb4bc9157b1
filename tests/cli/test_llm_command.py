"""cabecao llm: what the person decides about answers, at a terminal of their own, and what an agent is told of it."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from command_line import CommandLine, Ended

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is wanted")
MODEL = "modelo-de-teste"
KEY = "chave-inventada-" + "0123456789"


class Ollama:
    """A server on this machine that answers every question with an empty answer, and remembers what it was sent."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.status = 200
        asked, outer = self.asked, self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self._answer(json.dumps({"models": [{"name": MODEL}], "data": [{"id": MODEL}]}).encode(), 200)

            def do_POST(self) -> None:
                asked.append(self.rfile.read(int(self.headers["content-length"])).decode())
                said = {"message": {"role": "assistant", "content": '{"claims": [], "missing": ""}'}, "done": True}
                chat = {"choices": [{"delta": {}, "message": said["message"]}]}
                value = said if self.path == "/api/chat" else chat
                self._answer(json.dumps(value).encode(), outer.status)

            def _answer(self, body: bytes, status: int) -> None:
                self.send_response(status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_given: object) -> None:
                """Say nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    @property
    def port(self) -> str:
        return str(self.server.server_address[1])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


@pytest.fixture
def ollama() -> Iterator[Ollama]:
    made = Ollama()
    yield made
    made.server.shutdown()
    made.server.server_close()


def settings_of(cli: CommandLine) -> Path:
    return cli.home / ".config" / "cabecao"


def providers(cli: CommandLine) -> dict[str, dict[str, object]]:
    kept = json.loads((settings_of(cli) / "llm.json").read_text())
    return {one["provider"]: one for one in kept["providers"]}


def turn_on(cli: CommandLine, ollama: Ollama, *more: str, typed: str = "s\n", **env: str) -> Ended:
    words = ("--provider", "ollama", "--base-url", ollama.url, "--model", MODEL)
    return cli.run("llm", "on", *(more or words), person=True, typed=typed, **env)


def compatible(ollama: Ollama, *more: str) -> tuple[str, ...]:
    return ("--provider", "compatible", "--base-url", f"{ollama.url}/v1", "--model", MODEL, *more)


def test_the_person_reads_where_to_and_what_leaves_then_says_yes_and_a_test_is_made(cli, ollama):
    ended = turn_on(cli, ollama, CABECAO_LANG="pt-br")
    assert ended.code == 0, ended.err
    assert f"127.0.0.1:{ollama.port}" in ended.err
    assert MODEL in ended.err
    for said in ("O que sai", "O que NUNCA sai", "Custo", "Limites", "cabecao llm remove ollama"):
        assert said in ended.err
    assert "Teste: funcionou em 0," in ended.out
    assert "Pergunte com: cabecao ask" in ended.out
    assert len(ollama.asked) == 1
    assert providers(cli)["ollama"]["consent"]


def test_no_changes_nothing_and_reaches_no_server(cli, ollama):
    for typed in ("n\n", "\n", ""):
        assert turn_on(cli, ollama, typed=typed).code == 1
    assert ollama.asked == []
    assert not settings_of(cli).exists()


def test_a_script_an_agent_and_one_who_cannot_be_asked_turn_nothing_on(cli, ollama):
    words = ("llm", "on", "--provider", "ollama", "--base-url", ollama.url, "--model", MODEL)
    assert cli.run(*words, typed="s\n").code == 4
    assert cli.run(*words, typed="s\n", person=True, CLAUDECODE="1").code == 4
    for silent in ("--no-input", "--json"):
        assert cli.run(*words, silent, typed="s\n", person=True).code == 2
    assert ollama.asked == []


def test_a_test_that_fails_is_said_and_the_provider_stays_on(cli, ollama):
    ollama.status = 404
    ended = turn_on(cli, ollama, CABECAO_LANG="en")
    assert ended.code == 0
    assert "it failed after" in ended.out
    assert "HTTP 404" in ended.out
    assert "It stays on" in ended.out
    tested = cli.run("llm", "test", "--json", person=True)
    assert tested.code == 5
    assert [one["reason"] for one in json.loads(tested.out)["tests"]] == ["rejected"]


def test_off_stops_everything_and_keeps_the_provider_and_remove_deletes_it(cli, ollama):
    turn_on(cli, ollama)
    assert cli.run("llm", "off", person=True).code == 0
    status = json.loads(cli.run("llm", "status", "--json", person=True).out)
    assert (status["answers"], [one["on"] for one in status["providers"]]) == ("off", [False])
    assert cli.run("llm", "test", person=True).code == 5
    assert len(ollama.asked) == 1
    assert cli.run("llm", "remove", "ollama", person=True, typed="n\n").code == 1
    assert "ollama" in providers(cli)
    assert cli.run("llm", "remove", "ollama", person=True, typed="s\n").code == 0
    assert providers(cli) == {}
    assert cli.run("llm", "remove", "ollama", person=True, typed="s\n").code == 1


def test_a_pasted_key_is_not_shown_and_lies_in_a_file_of_its_own(cli, ollama):
    ended = turn_on(cli, ollama, *compatible(ollama, "--store", "file"), typed=f"s\n\x1e{KEY}\n")
    assert ended.code == 0, ended.err
    file = settings_of(cli) / "credentials.json"
    assert list(json.loads(file.read_text()).values()) == [KEY]
    assert file.stat().st_mode & 0o777 == 0o600
    shown = cli.run("llm", "status", person=True)
    assert "••••6789" in shown.out
    for text in (ended.out, ended.err, shown.out, shown.err, (settings_of(cli) / "llm.json").read_text()):
        assert KEY not in text
    assert cli.run("llm", "remove", "compatible", person=True, typed="s\n").code == 0
    assert not file.exists()


def test_a_key_that_is_kept_is_offered_again_and_another_takes_its_place(cli, ollama):
    named = compatible(ollama, "--store", "file")
    file = settings_of(cli) / "credentials.json"
    turn_on(cli, ollama, *named, typed=f"s\n\x1e{KEY}\n")
    assert cli.run("llm", "off", person=True).code == 0
    ended = turn_on(cli, ollama, *named, typed="s\ns\n")
    assert (ended.code, KEY in ended.err, "••••6789" in ended.err) == (0, False, True)
    assert list(json.loads(file.read_text()).values()) == [KEY]
    assert turn_on(cli, ollama, *named, typed=f"s\nn\n\x1eoutra-{KEY}\n").code == 0
    assert list(json.loads(file.read_text()).values()) == [f"outra-{KEY}"]


def test_a_key_in_a_variable_is_kept_nowhere(cli, ollama):
    assert turn_on(cli, ollama, *compatible(ollama, "--key-env", "MINHA_CHAVE"), MINHA_CHAVE=KEY).code == 0
    assert providers(cli)["compatible"]["key"] == "variable:MINHA_CHAVE"
    assert not (settings_of(cli) / "credentials.json").exists()
    refused = turn_on(cli, ollama, *compatible(ollama, "--key-env", KEY.replace("-", "_")))
    assert refused.code == 2
    assert KEY.replace("-", "_") not in refused.err


def test_the_one_that_was_on_stays_only_before_a_fallback(cli, ollama):
    turn_on(cli, ollama)
    named = compatible(ollama, "--key-env", "MINHA_CHAVE")
    ended = turn_on(cli, ollama, *named, MINHA_CHAVE=KEY, CABECAO_LANG="en")
    assert "takes the place of what is on now" in " ".join(ended.err.split())
    assert {name: "consent" in one for name, one in providers(cli).items()} == {"compatible": True, "ollama": False}
    turn_on(cli, ollama)
    ended = turn_on(cli, ollama, *named, "--fallback", MINHA_CHAVE=KEY, CABECAO_LANG="en")
    assert "only where what is on now fails: Ollama" in " ".join(ended.err.split())
    assert [(name, one["order"]) for name, one in providers(cli).items() if "consent" in one] == [
        ("ollama", 0),
        ("compatible", 1),
    ]


def test_what_is_there_is_offered_and_picked_by_its_number(cli, ollama, tmp_path):
    program = tmp_path / "bin" / "claude"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\nexit 1\n")
    program.chmod(0o755)
    (tmp_path / "bin" / "node").symlink_to("/bin/sh")
    path = f"{program.parent}{os.pathsep}{os.environ['PATH']}"
    ended = cli.run("llm", "on", person=True, typed="1\ns\n", PATH=path, GROQ_API_KEY=KEY, CABECAO_LANG="en")
    assert ended.code == 0, ended.err
    assert "1. Claude Code" in ended.err
    assert "2. Groq · model openai/gpt-oss-20b · the variable GROQ_API_KEY" in ended.err
    kept = providers(cli)["claude-code"]
    assert (kept["program"], kept["node"]) == (str(program), os.path.realpath("/bin/sh"))
    assert cli.run("llm", "on", person=True, typed="7\n", PATH=path).code == 2


def test_the_free_tier_and_a_model_in_the_cloud_are_warned_of(cli, ollama):
    words = ("--provider", "gemini")
    ended = turn_on(cli, ollama, *words, typed="n\nn\n", GEMINI_API_KEY=KEY, CABECAO_LANG="en")
    assert ended.code == 1
    assert "people may read it" in " ".join(ended.err.split("billing?")[1].split())
    cloud = ("--provider", "ollama", "--base-url", ollama.url, "--model", "gpt-oss:120b-cloud")
    assert "runs on ollama.com, not on this machine" in turn_on(cli, ollama, *cloud, typed="n\n", CABECAO_LANG="en").err


def test_an_agent_is_told_of_no_provider(cli, ollama, made_brain):
    turn_on(cli, ollama)
    for words in (("llm", "status"), ("llm", "status", "--json"), ("status",), ("doctor",)):
        ended = cli.run(*words, "--brain", str(made_brain), CABECAO_AGENT="ajudante")
        assert ended.code == 0
        for hidden in (MODEL, ollama.port, "ollama"):
            assert hidden not in (ended.out + ended.err).lower()
    told = json.loads(cli.run("llm", "status", "--json", CABECAO_AGENT="ajudante").out)
    assert told == {"answers": "off"}  # the folder is not the system user's own
    for action in (("off",), ("test",), ("remove", "ollama"), ("policy",), ("policy", "--clear")):
        assert cli.run("llm", *action, "--brain", str(made_brain), typed="s\n", CABECAO_AGENT="ajudante").code == 4
    assert len(ollama.asked) == 1


def test_status_and_doctor_have_a_neutral_line(cli, ollama, made_brain):
    named = ("--brain", str(made_brain), "--lang", "en")
    assert "Answers (ask): optional and off" in cli.run("status", *named, person=True).out
    assert "Answers (ask): optional and off" in cli.run("doctor", *named, person=True).out
    turn_on(cli, ollama)
    assert "Answers (ask): on" in cli.run("status", *named, person=True).out
    file = settings_of(cli) / "llm.json"
    file.write_text(file.read_text().replace(MODEL, "outro"))
    ended = cli.run("doctor", *named, person=True)
    assert "Answers (ask): off: llm.json was changed or copied" in ended.out
    status = json.loads(cli.run("llm", "status", "--json", person=True).out)
    assert (status["answers"], status["reason"]) == ("off", "consent")


def test_an_llm_json_that_cannot_be_taken_is_begun_anew(cli, ollama):
    settings_of(cli).mkdir(parents=True)
    (settings_of(cli) / "llm.json").write_text("{")
    assert json.loads(cli.run("llm", "status", "--json", person=True).out)["reason"] == "invalid"
    assert cli.run("llm", "remove", "ollama", person=True, typed="s\n").code == 1
    assert cli.run("llm", "off", person=True).code == 0
    ended = turn_on(cli, ollama, CABECAO_LANG="en")
    assert (ended.code, "begun anew" in ended.err) == (0, True)


def test_the_policy_is_shown_and_changed_in_a_commit_that_undo_takes_back(cli, made_brain):
    def policy(*words: str, typed: str = "s\n") -> Ended:
        return cli.run("llm", "policy", *words, "--brain", str(made_brain), person=True, typed=typed)

    def kept() -> object:
        return json.loads((made_brain / ".cabecao.json").read_text()).get("llm_policy")

    assert policy("--exclude-type", "poema").code == 2
    assert policy("--exclude-path", "/").code == 2
    assert policy("--allow", "agent", "--no-input").code == 2
    assert policy("--allow", "agent", typed="n\n").code == 1
    assert kept() is None
    assert policy("--allow", "agent", "--exclude-path", "memory/pessoal/**").code == 0
    ended = policy("--exclude-type", "episode", "--exclude-trust", "low")
    assert ended.code == 0
    op = ended.err.partition("cabecao undo ")[2].split()[0]
    whole = {
        "allow": "agent",
        "exclude_paths": ["memory/pessoal/**"],
        "exclude_types": ["episode"],
        "exclude_trust": ["low"],
    }
    assert kept() == whole
    assert json.loads(policy("--json").out) == {"llm_policy": whole, "op": None}
    assert "nada foi alterado" in policy("--allow", "agent").err
    undone = cli.run("undo", op, "--brain", str(made_brain), person=True)
    assert (undone.code, kept()) == (0, {"allow": "agent", "exclude_paths": ["memory/pessoal/**"]})
    assert policy("--clear").code == 0
    assert kept() is None


def test_a_policy_that_cannot_be_taken_is_a_finding_and_is_cleared(cli, made_brain):
    file = made_brain / ".cabecao.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), "llm_policy": {"allow": "talvez"}}))
    named = ("--brain", str(made_brain))
    found = json.loads(cli.run("doctor", "--json", *named).out)["findings"]
    assert [one["severity"] for one in found if one["id"] == "llm_policy"] == ["error"]
    assert cli.run("llm", "policy", *named, person=True).code == 1
    assert cli.run("llm", "policy", "--allow", "none", *named, person=True, typed="s\n").code == 1
    assert cli.run("llm", "policy", "--clear", *named, person=True, typed="s\n").code == 0
    assert "llm_policy" not in json.loads(file.read_text())
