"""What is offered first: what is there on this machine."""

from __future__ import annotations

import json
import os
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from llm import discovery
from llm.known import PROVIDERS, runs_elsewhere


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            names = ["llama3.2:3b", "nome ruim", 7]
            told = {
                "/api/tags": {"models": [{"name": one} for one in names]},
                "/v1/models": {"data": [{"id": "local"}]},
            }
            body = json.dumps(told.get(self.path, [])).encode()
            self.send_response(200 if self.path in told else 404)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_given: object) -> None:
            """Say nothing."""

    made = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=made.serve_forever, args=(0.05,), daemon=True).start()
    yield f"http://127.0.0.1:{made.server_address[1]}"
    made.shutdown()
    made.server_close()


@pytest.fixture
def alone(monkeypatch):
    """No server of this machine is asked."""
    monkeypatch.setattr(discovery, "models", lambda _known, _address: [])


def test_servers_of_this_machine_name_their_models(server):
    assert discovery.models(PROVIDERS["ollama"], server) == ["llama3.2:3b"]
    assert discovery.models(PROVIDERS["lmstudio"], f"{server}/v1") == ["local"]
    assert discovery.models(PROVIDERS["lmstudio"], f"{server}/outro") == []


def test_no_other_machine_is_asked_and_silence_is_no_model():
    assert discovery.models(PROVIDERS["ollama"], "https://example.org") == []
    assert discovery.models(PROVIDERS["ollama"], "http://localhost:1") == []


def test_claude_code_comes_first_then_the_keys_in_the_environment(alone, tmp_path):
    real = tmp_path / "versions" / "claude-1"
    real.parent.mkdir()
    real.write_text("")
    real.chmod(0o755)
    own = tmp_path / ".local" / "bin"
    own.mkdir(parents=True)
    (own / "claude").symlink_to(real)
    environ = {"PATH": str(tmp_path), "HOME": str(tmp_path), "GROQ_API_KEY": "x", "OPENAI_API_KEY": ""}
    assert discovery.look(environ) == [
        discovery.Found("claude-code", "haiku"),
        discovery.Found("groq", "openai/gpt-oss-20b", "GROQ_API_KEY"),
    ]
    assert discovery.claude_code(environ) == discovery.Program(os.path.realpath(real))


def test_servers_that_listen_are_offered_with_each_model(monkeypatch, server):
    here = {**PROVIDERS, "ollama": replace(PROVIDERS["ollama"], address=server)}
    here["lmstudio"] = replace(PROVIDERS["lmstudio"], address=f"{server}/v1")
    monkeypatch.setattr(discovery, "PROVIDERS", here)
    found = discovery.look({"PATH": "/nowhere"})
    assert [(one.provider, one.model) for one in found] == [("ollama", "llama3.2:3b"), ("lmstudio", "local")]


@pytest.mark.parametrize("model", ["gpt-oss:120b-cloud", "x:cloud", "deepseek-cloud:latest", "a/b-CLOUD"])
def test_models_of_ollamas_cloud_are_known_by_their_name(model):
    assert runs_elsewhere(PROVIDERS["ollama"], model)
    assert not runs_elsewhere(PROVIDERS["lmstudio"], model)
    assert not runs_elsewhere(PROVIDERS["ollama"], "cloudy:3b")


def test_the_page_on_answers_names_every_provider_with_its_model_and_variable():
    page = (Path(__file__).parents[2] / "docs" / "answers.md").read_text(encoding="utf-8")
    for known in PROVIDERS.values():
        row = next(line for line in page.splitlines() if line.startswith(f"| `{known.name}` |"))
        assert f"`{known.model or '--model'}`" in row
        assert known.variable in row
