"""A consent holds for one destination, model, key, program, machine, user and folder, and is in closed files."""

from __future__ import annotations

import json
import os
import secrets
import stat
from dataclasses import replace

import pytest

from llm import consent, folders, limits
from llm.consent import Entry, InvalidSettings, Settings
from llm.switch import Off, On, Reason, enabled

COMPATIBLE = Entry("compatible", "m", "https://provider.example/v1", "file")
CLAUDE = Entry("claude-code", "haiku", program="/opt/claude/bin/claude", node="/opt/node/bin/node")
OLLAMA = Entry("ollama", "llama3.2", "http://localhost:11434")


def state(*, person=False) -> On | Off:
    return enabled(caller_is_person=person, environ={})


def confirm(folder, *entries, on=None):
    return consent.save(folder, Settings(entries), [one.provider for one in entries] if on is None else on)


def edit(folder, change):
    file = folder / consent.FILE
    whole = json.loads(file.read_text())
    change(whole)
    consent.write_closed(file, json.dumps(whole).encode())


def test_what_was_confirmed_is_on_for_the_person_and_for_an_agent(own_folder):
    confirm(own_folder, COMPATIBLE, CLAUDE)
    for person in (True, False):
        found = state(person=person)
        assert isinstance(found, On)
        assert [one.provider for one in found.entries] == ["compatible", "claude-code"]


@pytest.mark.parametrize("person", [True, False])
@pytest.mark.parametrize(
    ("entry", "changes"),
    [(COMPATIBLE, {"address": "https://evil.example/v1"}), (COMPATIBLE, {"model": "other"}), (COMPATIBLE, {"key": "variable:OTHER"}),
     (COMPATIBLE, {"key": "keyring"}), (COMPATIBLE, {"key": "none"}), (COMPATIBLE, {"order": 7}), (COMPATIBLE, {"consent": ""}),
     (CLAUDE, {"program": "/tmp/claude"}), (CLAUDE, {"node": "/tmp/node"}), (CLAUDE, {"model": "opus"}), (OLLAMA, {"model": "a:120b-cloud"}),
     (OLLAMA, {"provider": "lmstudio"})],
)  # fmt: skip
def test_any_field_changed_by_hand_turns_it_off(entry, changes, person, own_folder):
    confirm(own_folder, entry)
    edit(own_folder, lambda whole: whole["providers"][0].update(changes))
    found = state(person=person)
    assert found == Off(Reason.OFF if changes == {"consent": ""} else Reason.CONSENT)


@pytest.mark.parametrize("length", [1, 32, 63])
def test_a_signature_that_was_cut_or_is_too_long_does_not_hold(length, own_folder):
    confirm(own_folder, COMPATIBLE)
    edit(own_folder, lambda whole: whole["providers"][0].update(consent=whole["providers"][0]["consent"][:length]))
    assert state() == Off(Reason.CONSENT)
    confirm(own_folder, COMPATIBLE)
    edit(own_folder, lambda whole: whole["providers"][0].update(consent=whole["providers"][0]["consent"] + "0"))
    assert state() == Off(Reason.CONSENT)


def test_a_consent_does_not_hold_for_another_provider(own_folder):
    confirm(own_folder, COMPATIBLE, OLLAMA)

    def swap(whole):
        first, second = whole["providers"]
        first["consent"], second["consent"] = second["consent"], first["consent"]

    edit(own_folder, swap)
    assert state() == Off(Reason.CONSENT)


def test_two_that_change_places_are_both_off(own_folder):
    confirm(own_folder, COMPATIBLE, OLLAMA)

    def swap(whole):
        first, second = whole["providers"]
        first["order"], second["order"] = second["order"], first["order"]

    edit(own_folder, swap)
    assert state() == Off(Reason.CONSENT)


def test_a_file_written_by_hand_turns_nothing_on(own_folder):
    value = {
        "version": 1,
        "providers": [{"provider": "ollama", "model": "m", "address": "http://localhost:11434", "consent": "a" * 64}],
    }
    consent.write_closed(own_folder / consent.FILE, json.dumps(value).encode())
    assert state() == Off(Reason.CONSENT)
    consent.write_closed(own_folder / consent.KEY_OF_CONSENT, secrets.token_bytes(32))
    assert state() == Off(Reason.CONSENT)


def test_a_file_copied_from_another_machine_turns_nothing_on(own_folder, monkeypatch):
    confirm(own_folder, COMPATIBLE)
    content = (own_folder / consent.FILE).read_bytes()
    confirm(own_folder, COMPATIBLE)  # another secret
    assert isinstance(state(), On)
    consent.write_closed(own_folder / consent.FILE, content)
    assert state() == Off(Reason.CONSENT)


def test_both_files_copied_to_another_machine_user_or_folder_turn_nothing_on(own_folder, monkeypatch, tmp_path):
    confirm(own_folder, COMPATIBLE)
    for name, value in (("_machine", lambda: "another"), ("_user", lambda: 54321)):
        with monkeypatch.context() as there:
            there.setattr(consent, name, value)
            assert state() == Off(Reason.CONSENT)
    moved = tmp_path / "home" / ".config" / "cabecao"
    folders.make(moved)
    for file in own_folder.iterdir():
        consent.write_closed(moved / file.name, file.read_bytes())
    with monkeypatch.context() as there:
        there.setattr(folders, "own_home", lambda: tmp_path / "home")
        assert state() == Off(Reason.CONSENT)
    assert isinstance(state(), On)


@pytest.mark.skipif(os.name != "posix", reason="the bits of POSIX")
def test_the_files_are_closed_and_no_draft_is_left(own_folder):
    before = os.umask(0)
    try:
        confirm(own_folder, COMPATIBLE)
    finally:
        os.umask(before)
    modes = {one.name: stat.S_IMODE(one.stat().st_mode) for one in own_folder.iterdir()}
    assert modes == {consent.FILE: 0o600, consent.KEY_OF_CONSENT: 0o600}


@pytest.mark.parametrize("size", [0, 31, 33, 70_000])
def test_a_secret_of_another_size_signs_nothing(size, own_folder):
    confirm(own_folder, COMPATIBLE)
    consent.write_closed(own_folder / consent.KEY_OF_CONSENT, b"0" * size)
    assert state() == Off(Reason.CONSENT)


@pytest.mark.skipif(os.name != "posix", reason="links and pipes of POSIX")
@pytest.mark.parametrize("name", [consent.FILE, consent.KEY_OF_CONSENT])
def test_a_link_or_a_pipe_in_a_files_place_is_not_read(name, own_folder, tmp_path):
    confirm(own_folder, COMPATIBLE)
    content = (own_folder / name).read_bytes()
    (own_folder / name).unlink()
    consent.write_closed(tmp_path / "elsewhere", content)
    (own_folder / name).symlink_to(tmp_path / "elsewhere")
    assert isinstance(state(), Off)
    (own_folder / name).unlink()
    os.mkfifo(own_folder / name, 0o600)
    assert isinstance(state(), Off)


def test_what_is_turned_off_stays_configured(own_folder):
    confirm(own_folder, COMPATIBLE)
    settings = consent.read(own_folder)
    consent.save(own_folder, settings, [])
    assert state() == Off(Reason.OFF)
    assert [replace(one, consent="") for one in consent.read(own_folder).entries] == [COMPATIBLE]


def test_a_key_never_comes_into_the_file(own_folder):
    edit_key = "sk-" + secrets.token_hex(20)
    confirm(own_folder, COMPATIBLE)
    edit(own_folder, lambda whole: whole["providers"][0].update(key=edit_key))
    with pytest.raises(InvalidSettings) as raised:
        consent.read(own_folder)
    assert edit_key not in repr(raised.value)


@pytest.mark.parametrize("value", [{"timeout_ms": 5}, {"max_calls_per_hour": 99_999}, [], {"other": 1}])
def test_limits_out_of_range_turn_everything_off(value, own_folder):
    confirm(own_folder, COMPATIBLE)
    edit(own_folder, lambda whole: whole.update(limits=value))
    found = state()
    assert isinstance(found, Off)
    assert found.reason is Reason.INVALID


def test_limits_are_a_persons_to_edit(own_folder):
    confirm(own_folder, COMPATIBLE)
    edit(own_folder, lambda whole: whole.update(limits={"max_calls_per_hour": 3}))
    found = state()
    assert isinstance(found, On)
    assert found.limits == limits.Limits(max_calls_per_hour=3)


def test_a_provider_twice_is_not_taken(own_folder):
    confirm(own_folder, COMPATIBLE)
    edit(own_folder, lambda whole: whole["providers"].append(whole["providers"][0]))
    assert state() == Off(Reason.INVALID, "providers")


def test_a_fixed_address_is_not_to_be_chosen(own_folder):
    for name in ("openai", "anthropic", "gemini", "openrouter", "groq"):
        with pytest.raises(InvalidSettings):
            consent.check(Entry(name, "m", "https://provider.example/v1", "file"))
    with pytest.raises(InvalidSettings):
        consent.check(replace(CLAUDE, address="https://provider.example"))
    for program in ("claude", "", "/opt/cl\naude"):
        with pytest.raises(InvalidSettings):
            consent.check(replace(CLAUDE, program=program))
