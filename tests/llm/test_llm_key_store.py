"""Where keys lie, and who gets one: bound to provider and address, shown to nobody."""

from __future__ import annotations

import json
import sys
import threading
import types

import pytest

from llm import consent, keys
from llm.consent import Entry
from llm.failure import Code, Failure
from llm.keys import Key, Keys, KeyStoreFailed, UnfitKey

TEXT = "chave-inventada-0123456789"
ADDRESS = "https://api.openai.com/v1"


def openai(key: str) -> Entry:
    return Entry("openai", "gpt-6-luna", ADDRESS, key)


def code_of(found: Keys, entry: Entry) -> Code:
    with pytest.raises(Failure) as raised:
        found.find(entry)
    return raised.value.code


def test_a_key_shows_its_last_four_characters_and_a_short_one_nothing():
    assert Key(TEXT).masked == "••••6789"
    assert Key("curta").masked == "••••"
    assert TEXT not in f"{Key(TEXT)!r} {Key(TEXT)}"


@pytest.mark.parametrize("text", ["", "  ", "duas palavras", "a\nb", "ção", "a" * 4097])
def test_a_text_that_no_header_may_carry_is_no_key(text):
    with pytest.raises(UnfitKey):
        keys.fit(text)


def test_spaces_around_a_pasted_key_are_not_of_it():
    assert keys.fit(f" {TEXT}\n").text == TEXT


def test_for_the_person_the_providers_variable_wins_over_the_stored_key(tmp_path):
    entry = openai(consent.KEY_FILE)
    keys.keep(tmp_path, entry, Key(TEXT))
    environ = {"OPENAI_API_KEY": "outra-" + TEXT}
    assert Keys(tmp_path, is_person=True, environ=environ).find(entry).text == environ["OPENAI_API_KEY"]
    assert Keys(tmp_path, is_person=True, environ={}).find(entry).text == TEXT
    assert Keys(tmp_path, is_person=False, environ=environ).find(entry).text == TEXT


def test_a_variable_that_the_person_named_counts_for_an_agent_too(tmp_path):
    entry = openai("variable:MINHA")
    for is_person in (True, False):
        assert Keys(tmp_path, is_person=is_person, environ={"MINHA": TEXT}).find(entry).text == TEXT
        assert code_of(Keys(tmp_path, is_person=is_person, environ={"OPENAI_API_KEY": TEXT}), entry) is Code.NO_KEY
        assert code_of(Keys(tmp_path, is_person=is_person, environ={"MINHA": "duas palavras"}), entry) is Code.NO_KEY


def test_one_who_needs_no_key_gets_none(tmp_path):
    entry = Entry("ollama", "m", "http://localhost:11434")
    assert Keys(tmp_path, is_person=True, environ={"OPENAI_API_KEY": TEXT}).find(entry) is None


def test_another_address_never_gets_the_key(tmp_path):
    here = Entry("compatible", "m", "https://example.org/v1", consent.KEY_FILE)
    keys.keep(tmp_path, here, Key(TEXT))
    there = Entry("compatible", "m", "https://example.net/v1", consent.KEY_FILE)
    assert code_of(Keys(tmp_path, is_person=True, environ={}), there) is Code.NO_KEY


@pytest.mark.parametrize("content", ["{", "[]", json.dumps({f"openai@{ADDRESS}": 7})])
def test_a_damaged_file_of_keys_holds_none(tmp_path, content):
    consent.write_closed(tmp_path / keys.FILE, content.encode())
    assert keys.read_file(tmp_path) == {}


def test_a_file_of_keys_that_others_can_read_is_not_used(tmp_path):
    keys.keep(tmp_path, openai(consent.KEY_FILE), Key(TEXT))
    assert (tmp_path / keys.FILE).stat().st_mode & 0o777 == 0o600
    (tmp_path / keys.FILE).chmod(0o640)
    assert keys.read_file(tmp_path) == {}


@pytest.fixture
def system(monkeypatch):
    """A store of keys in the place of this system's; `priority` says whether it is there."""

    class Keyring:
        priority: float = 5
        kept: dict[str, str] = {}

        def get_password(self, _service: str, username: str) -> str | None:
            return self.kept.get(username)

        def set_password(self, _service: str, username: str, password: str) -> None:
            self.kept[username] = password

        def delete_password(self, _service: str, username: str) -> None:
            """Say that it is deleted, and keep it."""

    monkeypatch.setitem(sys.modules, "a_store_of_keys", types.SimpleNamespace(Keyring=Keyring))
    monkeypatch.setattr(keys, "BACKENDS", dict.fromkeys(("linux", "darwin", "win32"), ("a_store_of_keys", "Keyring")))
    return Keyring


def test_the_systems_store_keeps_a_key_under_provider_and_address(tmp_path, system):
    entry = openai(consent.KEYRING)
    keys.keep(tmp_path, entry, Key(TEXT))
    assert system.kept == {f"openai@{ADDRESS}": TEXT}
    assert Keys(tmp_path, is_person=False, environ={}).find(entry).text == TEXT
    with pytest.raises(KeyStoreFailed):  # what is still there afterwards was not deleted
        keys.forget(tmp_path, entry)


def test_without_a_real_store_there_is_none(tmp_path, system, monkeypatch):
    entry = openai(consent.KEYRING)
    monkeypatch.setattr(system, "priority", 0)
    assert keys.system_backend() is None
    assert code_of(Keys(tmp_path, is_person=True, environ={}), entry) is Code.NO_KEY
    for act in (lambda: keys.keep(tmp_path, entry, Key(TEXT)), lambda: keys.forget(tmp_path, entry)):
        with pytest.raises(KeyStoreFailed):
            act()
    monkeypatch.setattr(system, "priority", property(lambda _self: 1 / 0))
    assert keys.system_backend() is None
    monkeypatch.setattr(keys, "BACKENDS", {})
    assert keys.system_backend() is None


def test_a_store_that_fails_or_is_not_back_in_time_is_a_failure_without_its_words(tmp_path, system, monkeypatch):
    entry = openai(consent.KEYRING)
    monkeypatch.setattr(system, "get_password", lambda *_given: 1 / 0)
    assert code_of(Keys(tmp_path, is_person=True, environ={}), entry) is Code.KEYRING
    released = threading.Event()
    with pytest.raises(KeyStoreFailed) as raised:
        keys._in_time(released.wait, 0.01)
    released.set()
    assert raised.value.waited
