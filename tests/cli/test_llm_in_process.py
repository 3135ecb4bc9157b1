"""cabecao llm with a person who types, in this process: stores of keys, refusals, what is offered and what is warned of."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest
from filelock import FileLock

from brain.services.asking import wording
from cabecao_site.cli.answers import disclosure, key_source
from llm import consent, discovery, keys, trial
from llm.consent import Entry
from llm.failure import Code, Failure
from llm.known import PROVIDERS

KEY = "chave-inventada-" + "0123456789"
OPENAI = ("llm", "on", "--provider", "openai")


class Typed(io.StringIO):
    """What a person types at a terminal."""

    def isatty(self) -> bool:
        return True


class Store:
    """A system's store of keys; `refuses` says whether it deletes."""

    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.refuses = False

    def get_password(self, _service: str, username: str) -> str | None:
        return self.kept.get(username)

    def set_password(self, _service: str, username: str, password: str) -> None:
        self.kept[username] = password

    def delete_password(self, _service: str, username: str) -> None:
        if self.refuses:
            raise PermissionError
        del self.kept[username]


@pytest.fixture(autouse=True)
def alone(monkeypatch, tmp_path):
    """No key, no program and no server of this machine is found, and no request goes out."""
    for known in PROVIDERS.values():
        monkeypatch.delenv(known.variable or "NADA", raising=False)
    for name in (*disclosure.ELSEWHERE, "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "NO_PROXY", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(discovery, "models", lambda _known, _address: [])
    monkeypatch.setattr(discovery, "claude_code", lambda _environ: None)
    monkeypatch.setattr(trial, "run", lambda entry, _keys, _limits: trial.Trial(entry.provider, 0.25))
    tmp_path.chmod(0o755)


@pytest.fixture
def store(monkeypatch) -> Store:
    made = Store()
    monkeypatch.setattr(keys, "system_backend", lambda: made)
    return made


@pytest.fixture
def person_types(person, call, monkeypatch):
    """Run a command line as a person who types, and pastes `pasted` where it is not shown."""

    def run(*words: str, typed: str = "", pasted: str | None = KEY):
        monkeypatch.setattr(sys, "stdin", Typed(typed))

        def hidden(_prompt: str) -> str:
            if pasted is None:
                raise EOFError
            return pasted

        monkeypatch.setattr(key_source.getpass, "getpass", hidden)
        return call(*words)

    return run


def folder() -> Path:
    from llm import folders

    return folders.place().folder


def test_a_pasted_key_goes_to_the_systems_store_where_there_is_one(person_types, store):
    ended = person_types(*OPENAI, typed="y\n")
    assert (ended.code, store.kept) == (0, {"openai@https://api.openai.com/v1": KEY})
    assert "Test: it worked in 0.2 s." in ended.out
    assert KEY not in (folder() / "llm.json").read_text()
    told = json.loads(person_types("llm", "status", "--json").out)["providers"][0]
    assert (told["key"], told["is_local"]) == ({"from": "keyring", "masked": "••••6789", "missing": None}, False)


def test_where_the_store_does_not_let_the_key_go_remove_says_so_and_fails(person_types, store):
    person_types(*OPENAI, typed="y\n")
    store.refuses = True
    ended = person_types("llm", "remove", "openai", typed="y\n")
    assert ended.code == 1
    assert "NOT deleted" in ended.err
    assert "Nothing was changed" not in ended.err
    assert "deleted, with" not in ended.out
    assert "turned off" in person_types("llm", "status").out
    store.refuses = False
    assert person_types("llm", "remove", "openai", typed="y\n").code == 0
    assert store.kept == {}


def test_a_store_that_does_not_answer_is_passed_over_and_said_where_it_was_asked_for(person_types, monkeypatch):
    def silent():
        raise keys.KeyStoreFailed(waited=True)

    monkeypatch.setattr(keys, "system_backend", silent)
    refused = person_types(*OPENAI, "--store", "keyring", typed="y\n")
    assert refused.code == 1
    assert "--store file" in refused.err
    assert not (folder() / "llm.json").exists()
    assert person_types(*OPENAI, typed="y\n").code == 0
    assert list(keys.read_file(folder()).values()) == [KEY]


@pytest.mark.parametrize("pasted", [None, "", "duas palavras", "ç", "a" * 5000])
def test_what_cannot_be_a_key_changes_nothing(person_types, store, pasted):
    ended = person_types(*OPENAI, typed="y\n", pasted=pasted)
    assert ended.code == 2
    assert not (folder() / "llm.json").exists()


def test_an_optional_key_may_be_left_out(person_types, store):
    ended = person_types(
        "llm",
        "on",
        "--provider",
        "compatible",
        "--model",
        "m",
        "--base-url",
        "https://example.org/v1",
        typed="y\n",
        pasted="",
    )
    assert (ended.code, store.kept) == (0, {})
    assert consent.read(folder()).entries[0].key == consent.NO_KEY


def test_the_key_of_a_variable_is_copied_where_a_place_is_named_and_used_from_there_else(
    person_types, store, monkeypatch
):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    ended = person_types(*OPENAI, typed="y\n", pasted=None)
    assert (ended.code, consent.read(folder()).entries[0].key) == (0, "variable:OPENAI_API_KEY")
    assert "may not have this variable" in " ".join(ended.err.split())
    assert person_types(*OPENAI, "--store", "keyring", typed="y\n", pasted=None).code == 0
    assert list(store.kept.values()) == [KEY]
    monkeypatch.setenv("OPENAI_API_KEY", "duas palavras")
    assert person_types(*OPENAI, typed="y\n").code == 2


@pytest.mark.parametrize(
    "words",
    [
        ("on", "--provider", "openai", "--base-url", "https://example.org/v1"),
        ("on", "--provider", "compatible", "--model", "m"),
        ("on", "--provider", "compatible", "--model", "m", "--base-url", "http://example.org/v1"),
        ("on", "--provider", "compatible", "--model", "m", "--base-url", "https://169.254.169.254/v1"),
        ("on", "--provider", "openrouter"),
        ("on", "--provider", "ollama"),
        ("on", "--provider", "ollama", "--model", "um modelo"),
        ("on", "--provider", "ollama", "--model", "m", "--store", "file"),
        ("on", "--provider", "nada"),
        ("on", "--provider", "compatible", "--key-env", "A", "--store", "file"),
        ("on", "--allow", "none"),
        ("off", "--model", "m"),
        ("status", "ollama"),
        ("remove",),
    ],
)
def test_what_cannot_be_asked_for_ends_with_two(person_types, monkeypatch, words):
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    ended = person_types("llm", *words, typed="y\n")
    assert ended.code == 2, ended.err
    assert not (folder() / "llm.json").exists()


def test_nothing_is_offered_where_nothing_is_there(person_types):
    ended = person_types("llm", "on", typed="1\ny\n")
    assert ended.code == 2
    assert "--provider claude-code|anthropic" in ended.err
    assert person_types("llm", "on", "--provider", "claude-code", typed="y\n").code == 2


def test_a_model_that_has_no_default_is_asked_for(person_types, monkeypatch):
    monkeypatch.setenv("OPENROUTER_API_KEY", KEY)
    assert person_types("llm", "on", typed="1\n\ny\n").code == 2
    assert person_types("llm", "on", typed="1\na/b\ny\n").code == 0
    assert consent.read(folder()).entries[0].model == "a/b"


def test_a_paid_tier_is_not_warned_of(person_types, monkeypatch):
    monkeypatch.setenv("GEMINI_API_KEY", KEY)
    ended = person_types("llm", "on", "--provider", "gemini", typed="y\ny\n")
    assert ended.code == 0
    assert "On the free tier" not in ended.err


def test_another_address_than_this_machines_is_warned_of(person_types):
    words = ("llm", "on", "--provider", "ollama", "--model", "m", "--base-url", "https://example.org")
    ended = person_types(*words, typed="n\n")
    assert "not on this machine" in ended.err
    assert "outside this machine" in ended.err


def test_what_the_environment_does_to_claude_code_is_warned_of(person_types, monkeypatch):
    monkeypatch.setattr(discovery, "claude_code", lambda _environ: discovery.Program("/opt/claude", "/opt/node"))
    monkeypatch.setenv("ANTHROPIC_BASE_URL", "https://example.org")
    ended = person_types("llm", "on", "--provider", "claude-code", typed="n\n")
    said = " ".join(ended.err.split())
    assert "ANTHROPIC_BASE_URL" in said
    assert "example.org" not in said
    assert "Anthropic, through the Claude Code that is installed here (/opt/claude)" in said
    assert "a second session" in said


def test_a_proxy_is_told_without_what_stands_before_its_name(person_types, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    person_types(*OPENAI, typed="y\n")
    monkeypatch.setenv("HTTPS_PROXY", "http://ana:segredo@proxy.example.org:3128")
    shown = person_types("llm", "status").out
    assert "through the proxy proxy.example.org:3128" in shown
    assert "segredo" not in shown
    monkeypatch.setenv("HTTPS_PROXY", "socks5://proxy.example.org")
    assert "cannot be used" in person_types("llm", "status").out
    monkeypatch.delenv("OPENAI_API_KEY")
    assert "there is no key" in person_types("llm", "status").out


def test_a_folder_that_others_may_change_is_refused(person_types, store):
    folder().mkdir(parents=True)
    folder().chmod(0o777)
    ended = person_types(*OPENAI, typed="y\n")
    assert ended.code == 1
    assert "chmod go-w" in ended.err
    assert "Answers (ask): off" in person_types("llm", "status").out


def test_one_who_changes_the_settings_at_the_same_time_is_waited_for_and_then_told(person_types, store, monkeypatch):
    person_types(*OPENAI, typed="y\n")
    monkeypatch.setattr(consent, "_LOCK_SECONDS", 0.05)
    with FileLock(folder() / "llm.lock"):
        ended = person_types("llm", "off")
    assert ended.code == 1
    assert "Another process" in ended.err


def test_several_that_are_on_are_each_tested(person_types, store, monkeypatch):
    person_types(*OPENAI, typed="y\n")
    person_types("llm", "on", "--provider", "groq", "--fallback", typed="y\n")

    def failing(entry: Entry, _keys: object, _limits: object) -> trial.Trial:
        return trial.Trial(
            entry.provider, 0.5, Failure(Code.UNAUTHORIZED, status=401) if entry.provider == "groq" else None
        )

    monkeypatch.setattr(trial, "run", failing)
    ended = person_types("llm", "test")
    assert ended.code == 5
    assert "groq: Test: it failed after 0.5 s: the key or the login was refused (HTTP 401)" in ended.out
    assert "openai: Test: it worked" in ended.out
    assert json.loads(person_types("llm", "off", "--json").out) == {"answers": "off", "were_on": True}
    assert json.loads(person_types("llm", "test", "--json").out) == {"tests": []}
    assert "were off already" in person_types("llm", "off").out


def test_every_failure_and_every_provider_has_words(in_english):
    for code in Code:
        said, advice = wording.failure(Failure(code))
        assert said
        assert advice
    abroad = {name for name, one in PROVIDERS.items() if not one.is_on_this_machine and name != "compatible"}
    assert set(disclosure.POLICIES) == abroad


@pytest.mark.parametrize(("language", "said"), [("en", "0.2 s"), ("pt-br", "0,2 s")])
def test_a_time_is_told_as_the_language_writes_it(language, said):
    from brain.language import activate

    with activate(language):
        assert f"{wording.seconds(0.21)} s" == said
