"""Only a real store of keys of the system counts; the file beside it is closed before a key is in it."""

from __future__ import annotations

import json
import os
import stat
import sys
import threading
import traceback
import types

import pytest

from llm import consent, keys
from llm.consent import KEY_FILE, KEYRING, Entry
from llm.failure import Code, Failure
from llm.keys import Key, Keys, KeyStoreFailed

OPENAI = Entry("openai", "m", "https://api.openai.com/v1", KEYRING)
MODULE = "a_system_of_the_test"


class Store:
    """A store of keys that may raise or never answer."""

    priority: float = 5.0
    kept: dict[tuple[str, str], str]

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


@pytest.fixture
def store(monkeypatch):
    """This system's one backend, made anew at each use."""
    kind = type("Keyring", (Store,), {"kept": {}})
    monkeypatch.setitem(sys.modules, MODULE, types.SimpleNamespace(Keyring=kind))
    monkeypatch.setattr(keys, "BACKENDS", dict.fromkeys(("linux", "darwin", "win32"), (MODULE, "Keyring")))
    return kind


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(keys, "SECONDS", 0.1)
    released = threading.Event()
    yield released
    released.set()


def finding(folder, entry, *, environ=None):
    return Keys(folder, False, environ or {}).find(entry)


def test_the_list_names_the_systems_own_stores_and_nothing_else():
    assert set(keys.BACKENDS.values()) == {
        ("keyring.backends.macOS", "Keyring"),
        ("keyring.backends.Windows", "WinVaultKeyring"),
        ("keyring.backends.SecretService", "Keyring"),
    }
    assert keys.SECONDS == 10.0


def test_the_environment_and_a_file_choose_no_store(own_home, monkeypatch):
    """A store that an agent wrote would get the key."""
    monkeypatch.setenv("PYTHON_KEYRING_BACKEND", f"{MODULE}.Keyring")
    chosen = own_home / "config" / "python_keyring"
    chosen.mkdir(parents=True)
    (chosen / "keyringrc.cfg").write_text(f"[backend]\ndefault-keyring={MODULE}.Keyring\n")
    monkeypatch.setitem(sys.modules, MODULE, types.SimpleNamespace(Keyring=lambda: pytest.fail("made")))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={own_home}/nobody")
    found = keys.system_backend()
    assert found is None or type(found).__module__ in {module for module, _name in keys.BACKENDS.values()}


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the session bus of Linux")
def test_a_machine_without_a_session_bus_has_no_store(own_home, monkeypatch):
    for name in ("DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(own_home / "nowhere"))
    monkeypatch.setenv("DBUS_SESSION_BUS_ADDRESS", f"unix:path={own_home}/nobody")
    assert keys.system_backend() is None


def test_a_key_is_kept_found_and_forgotten_under_provider_and_address(store, tmp_path, key):
    keys.keep(tmp_path, OPENAI, Key(key))
    assert store.kept == {("cabecao", "openai@https://api.openai.com/v1"): key}
    assert finding(tmp_path, OPENAI).text == key
    assert list(tmp_path.iterdir()) == []
    keys.forget(tmp_path, OPENAI)
    assert store.kept == {}
    keys.forget(tmp_path, OPENAI)


def test_another_address_does_not_get_a_key_of_the_system(store, tmp_path, key):
    here = Entry("compatible", "m", "https://provider.example/v1", KEYRING)
    keys.keep(tmp_path, here, Key(key))
    there = Entry("compatible", "m", "https://evil.example/v1", KEYRING)
    with pytest.raises(Failure) as raised:
        finding(tmp_path, there)
    assert raised.value.code is Code.NO_KEY


def test_a_store_that_keeps_something_else_has_not_kept_it(store, tmp_path, key, monkeypatch):
    monkeypatch.setattr(store, "set_password", lambda *_given: None)
    with pytest.raises(KeyStoreFailed):
        keys.keep(tmp_path, OPENAI, Key(key))


def test_a_store_that_does_not_delete_is_told(store, tmp_path, key, monkeypatch):
    keys.keep(tmp_path, OPENAI, Key(key))
    monkeypatch.setattr(store, "delete_password", lambda *_given: None)
    with pytest.raises(KeyStoreFailed):
        keys.forget(tmp_path, OPENAI)


@pytest.mark.parametrize("call", ["get_password", "set_password", "delete_password"])
def test_a_store_that_never_answers_is_given_up(call, store, tmp_path, key, monkeypatch, impatient):
    store.kept["cabecao", keys.account(OPENAI)] = key
    monkeypatch.setattr(store, call, lambda *_given: impatient.wait(60))
    act = {
        "get_password": lambda: finding(tmp_path, OPENAI),
        "set_password": lambda: keys.keep(tmp_path, OPENAI, Key(key)),
        "delete_password": lambda: keys.forget(tmp_path, OPENAI),
    }[call]
    with pytest.raises((KeyStoreFailed, Failure)) as raised:
        act()
    error = raised.value
    assert error.code is Code.KEYRING if isinstance(error, Failure) else error.waited


def test_a_store_that_waits_while_it_is_looked_for_is_given_up(store, tmp_path, monkeypatch, impatient):
    monkeypatch.setattr(store, "__init__", lambda _self: impatient.wait(60) and None)
    with pytest.raises(KeyStoreFailed) as raised:
        keys.system_backend()
    assert raised.value.waited
    with pytest.raises(Failure) as failed:
        finding(tmp_path, OPENAI)
    assert failed.value.code is Code.KEYRING


def test_a_store_that_repeats_the_key_does_not_bring_it_out(store, tmp_path, key, monkeypatch, caplog):
    def refuses(*given):
        raise RuntimeError(*given)

    monkeypatch.setattr(store, "set_password", refuses)
    with pytest.raises(KeyStoreFailed) as raised:
        keys.keep(tmp_path, OPENAI, Key(key))
    assert key not in "".join(traceback.format_exception(raised.value))
    assert key not in caplog.text


def test_neither_a_key_nor_who_holds_it_shows_it(tmp_path, key):
    entry = Entry("openai", "m", "https://api.openai.com/v1", KEY_FILE)
    keys.keep(tmp_path, entry, Key(key))
    holder = Keys(tmp_path, True, {"OPENAI_API_KEY": key})
    for shown in (repr(Key(key)), str(Key(key)), f"{Key(key)}", f"{[Key(key)]}", repr(holder), repr(entry)):
        assert key not in shown
        assert key[:-4] not in shown
    assert Key(key).masked.endswith(key[-4:])


@pytest.mark.skipif(os.name != "posix", reason="the bits of POSIX")
def test_the_file_is_closed_before_the_key_is_in_it(tmp_path, key, monkeypatch):
    entry = Entry("openai", "m", "https://api.openai.com/v1", KEY_FILE)
    seen = []

    opened = os.open

    def open_and_look(path, flags, mode=0o777, **named):
        descriptor = opened(path, flags, mode, **named)
        if flags & os.O_CREAT:
            seen.append((stat.S_IMODE(os.fstat(descriptor).st_mode), os.fstat(descriptor).st_size))
        return descriptor

    monkeypatch.setattr(os, "open", open_and_look)
    before = os.umask(0)
    try:
        keys.keep(tmp_path, entry, Key(key))
    finally:
        os.umask(before)
    assert seen == [(0o600, 0)]
    [file] = tmp_path.iterdir()
    assert file.name == keys.FILE
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert json.loads(file.read_text()) == {keys.account(entry): key}


@pytest.mark.skipif(os.name != "posix", reason="links of POSIX")
def test_a_link_in_the_files_place_is_neither_read_nor_written_through(tmp_path, key):
    entry = Entry("openai", "m", "https://api.openai.com/v1", KEY_FILE)
    elsewhere = tmp_path / "elsewhere"
    consent.write_closed(elsewhere, json.dumps({keys.account(entry): key}).encode())
    folder = tmp_path / "config"
    folder.mkdir(mode=0o700)
    (folder / keys.FILE).symlink_to(elsewhere)
    with pytest.raises(Failure) as raised:
        finding(folder, entry)
    assert raised.value.code is Code.NO_KEY
    keys.keep(folder, entry, Key("another-key-of-the-test"))
    assert json.loads(elsewhere.read_text()) == {keys.account(entry): key}
    assert not (folder / keys.FILE).is_symlink()


def test_forgetting_the_last_key_takes_the_file_away_and_another_stays(tmp_path, key):
    first = Entry("openai", "m", "https://api.openai.com/v1", KEY_FILE)
    second = Entry("groq", "m", "https://api.groq.com/openai/v1", KEY_FILE)
    for entry in (first, second):
        keys.keep(tmp_path, entry, Key(f"{key}-{entry.provider}"))
    keys.forget(tmp_path, first)
    assert keys.read_file(tmp_path) == {keys.account(second): f"{key}-groq"}
    keys.forget(tmp_path, second)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("content", [b"[" * 100_000, b"\xff\xfe", b"", b"null"])
def test_a_damaged_file_is_no_key_and_no_fault(content, tmp_path):
    consent.write_closed(tmp_path / keys.FILE, content)
    with pytest.raises(Failure) as raised:
        finding(tmp_path, Entry("openai", "m", "https://api.openai.com/v1", KEY_FILE))
    assert raised.value.code is Code.NO_KEY
