"""Turning on, off and deleting, in a folder of the test's own, with a store of keys that does as it is told."""

from __future__ import annotations

import json

import pytest

from llm import consent, folders, keys, turning
from llm.consent import Entry, InvalidSettings
from llm.keys import Key, KeyStoreFailed

OLLAMA = Entry("ollama", "modelo", "http://localhost:11434")
OPENAI = Entry("openai", "gpt-6-luna", "https://api.openai.com/v1", consent.KEYRING)
KEY = Key("chave-inventada-0123456789")


class Store:
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


@pytest.fixture
def store(monkeypatch) -> Store:
    made = Store()
    monkeypatch.setattr(keys, "system_backend", lambda: made)
    return made


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    return tmp_path / "config"


def on(folder) -> list[str]:
    return [one.provider for one in consent.given(folder, consent.read(folder))]


def test_the_new_one_is_on_alone_or_as_a_fallback_behind_those_that_are(folder, store):
    turning.turn_on(folder, OLLAMA, None)
    turning.turn_on(folder, OPENAI, KEY)
    assert on(folder) == ["openai"]
    assert turning.configured(folder) == ["openai", "ollama"]
    turning.turn_on(folder, OLLAMA, None, is_fallback=True)
    assert on(folder) == ["openai", "ollama"]
    turning.turn_on(folder, OPENAI, KEY, is_fallback=True)
    assert on(folder) == ["ollama", "openai"]
    turning.remove(folder, "ollama")
    assert on(folder) == ["openai"]


def test_off_makes_an_older_file_worthless(folder):
    turning.turn_on(folder, OLLAMA, None)
    older = (folder / consent.FILE).read_bytes()
    assert turning.turn_off(folder)
    assert not turning.turn_off(folder)
    consent.write_closed(folder / consent.FILE, older)
    assert on(folder) == []


def test_off_holds_where_llm_json_cannot_be_taken_and_where_there_is_none(folder):
    assert not turning.turn_off(folder)
    turning.turn_on(folder, OLLAMA, None)
    older = (folder / consent.FILE).read_bytes()
    consent.write_closed(folder / consent.FILE, b"{")
    assert not turning.turn_off(folder)
    consent.write_closed(folder / consent.FILE, older)
    assert on(folder) == []


def test_a_deleted_provider_takes_its_key_along(folder, store):
    turning.turn_on(folder, OPENAI, KEY)
    assert list(store.kept) == ["openai@https://api.openai.com/v1"]
    turning.remove(folder, "openai")
    assert (store.kept, turning.configured(folder)) == ({}, [])
    with pytest.raises(turning.NotConfigured):
        turning.remove(folder, "openai")


def test_where_the_store_keeps_the_key_the_provider_is_off_and_can_be_deleted_again(folder, store):
    turning.turn_on(folder, OPENAI, KEY)
    store.refuses = True
    with pytest.raises(KeyStoreFailed):
        turning.remove(folder, "openai")
    assert (on(folder), turning.configured(folder)) == ([], ["openai"])
    store.refuses = False
    turning.remove(folder, "openai")
    assert (store.kept, turning.configured(folder)) == ({}, [])


def test_a_key_that_is_kept_elsewhere_now_leaves_its_old_place(folder, store):
    turning.turn_on(folder, OPENAI, KEY)
    in_file = Entry("openai", "gpt-6-luna", OPENAI.address, consent.KEY_FILE)
    assert not turning.turn_on(folder, in_file, KEY).former_key_stays
    assert (store.kept, list(keys.read_file(folder).values())) == ({}, [KEY.text])
    turning.turn_on(folder, OPENAI, KEY)
    assert (list(store.kept.values()), keys.read_file(folder)) == ([KEY.text], {})
    store.refuses = True
    assert turning.turn_on(folder, in_file, KEY).former_key_stays


def test_a_store_that_refuses_the_key_leaves_everything_as_it_was(folder, store, monkeypatch):
    turning.turn_on(folder, OLLAMA, None)
    monkeypatch.setattr(Store, "set_password", lambda *_given: None)
    with pytest.raises(KeyStoreFailed):
        turning.turn_on(folder, OPENAI, KEY)
    assert on(folder) == ["ollama"]


def test_what_cannot_be_taken_is_refused_and_an_unfit_file_is_begun_anew(folder):
    with pytest.raises(InvalidSettings):
        turning.turn_on(folder, Entry("ollama", "modelo", "http://example.org"), None)
    assert not folder.exists()
    folders.make(folder)
    consent.write_closed(folder / consent.FILE, b"[]")
    turning.turn_on(folder, OLLAMA, None)
    assert on(folder) == ["ollama"]


def test_the_limits_that_a_person_set_stay(folder):
    turning.turn_on(folder, OLLAMA, None)
    file = folder / consent.FILE
    consent.write_closed(file, json.dumps({**json.loads(file.read_text()), "limits": {"timeout_ms": 5000}}).encode())
    turning.turn_on(folder, OLLAMA, None)
    assert consent.read(folder).limits.timeout_ms == 5000
