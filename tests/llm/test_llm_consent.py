"""llm.json is taken only as it was written here, and a consent holds for exactly what was confirmed."""

from __future__ import annotations

import json

import pytest

from llm import consent, turning
from llm.consent import Entry, InvalidSettings
from llm.switch import Off, On, Reason, enabled

OLLAMA = Entry("ollama", "modelo", "http://localhost:11434")


@pytest.fixture
def folder(tmp_path):
    tmp_path.chmod(0o755)
    made = tmp_path / "config"
    turning.turn_on(made, OLLAMA, None)
    return made


def edited(folder, **changes: object) -> None:
    file = folder / consent.FILE
    whole = json.loads(file.read_text())
    whole["providers"][0] |= changes
    consent.write_closed(file, json.dumps(whole).encode())


def state(folder) -> On | Off:
    return enabled(caller_is_person=True, environ={"CABECAO_CONFIG_DIR": str(folder)})


def test_what_was_confirmed_is_on(folder):
    found = state(folder)
    assert isinstance(found, On)
    assert [one.provider for one in found.entries] == ["ollama"]


@pytest.mark.parametrize(
    "changes",
    [
        {"address": "http://localhost:11435"},
        {"model": "outro"},
        {"order": 1},
        {"consent": "ção"},
        {"consent": "0" * 64},
    ],
)
def test_what_was_changed_afterwards_is_off(folder, changes):
    edited(folder, **changes)
    assert state(folder) == Off(Reason.CONSENT)


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"provider": ["ollama"]}, "providers"),
        ({"provider": "nada"}, "provider"),
        ({"address": "http://example.org"}, "address"),
        ({"address": "http://169.254.169.254"}, "address"),
        ({"model": ""}, "model"),
        ({"key": "file"}, "key"),
        ({"program": "/bin/sh"}, "address"),
        ({"order": True}, "providers"),
        ({"extra": ""}, "providers"),
    ],
)
def test_what_none_may_say_is_not_taken(folder, changes, what):
    edited(folder, **changes)
    assert state(folder) == Off(Reason.INVALID, what)


@pytest.mark.parametrize("content", [b"{", b"[]", b'{"version": 2, "providers": []}', b"\xff", b"[" * 60_000])
def test_a_file_that_is_none_of_ours_is_not_taken(folder, content):
    consent.write_closed(folder / consent.FILE, content)
    with pytest.raises(InvalidSettings):
        consent.read(folder)


def test_a_file_that_others_may_write_is_not_taken_and_an_open_secret_signs_nothing(folder):
    (folder / consent.FILE).chmod(0o660)
    assert state(folder) == Off(Reason.INVALID, "permissions")
    (folder / consent.FILE).chmod(0o600)
    (folder / consent.KEY_OF_CONSENT).chmod(0o640)
    assert state(folder) == Off(Reason.CONSENT)


def test_a_copy_in_another_folder_turns_nothing_on(folder, tmp_path):
    other = tmp_path / "outra"
    other.mkdir(mode=0o700)
    for name in (consent.FILE, consent.KEY_OF_CONSENT):
        consent.write_closed(other / name, (folder / name).read_bytes())
    assert state(other) == Off(Reason.CONSENT)


def test_a_folder_that_others_may_change_turns_nothing_on(folder):
    folder.chmod(0o770)
    assert state(folder) == Off(Reason.UNSAFE_FOLDER, str(folder.resolve()))


def test_for_an_agent_a_folder_that_the_environment_names_is_not_read(folder):
    found = enabled(caller_is_person=False, environ={"CABECAO_CONFIG_DIR": str(folder)})
    assert found == Off(Reason.REDIRECTED)
