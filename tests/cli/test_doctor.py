from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest
from command_line import CommandLine

from brain.caller import Caller
from brain.config import Brain
from brain.errors import NotFound
from brain.services.health import checkup
from brain.services.health.checkup import Finding, Patient
from brain.store import places, watch
from brain.store.watch import Manner, Reason, Way

pytestmark = pytest.mark.usefixtures("in_english")


@pytest.fixture
def patient(tmp_path: Path, script: Caller) -> Patient:
    root = tmp_path / "notas"
    (root / ".cabecao").mkdir(parents=True)
    (root / ".cabecao.json").write_text('{"schema_version": 1}')
    return Patient(Brain(root), script, deep=False)


def found(ended) -> dict[str, dict[str, str]]:
    return {one["id"]: one for one in json.loads(ended.out)["findings"]}


def test_a_healthy_brain_has_no_error(cli: CommandLine, made_brain):
    ended = cli.run("--brain", str(made_brain), "doctor", "--json", "--deep")
    wrong = [one for one in found(ended).values() if one["severity"] == "error"]
    assert wrong == []
    assert ended.code == 0
    assert {"git", "sqlite", "repository", "objects", "index", "audit_chain", "disk_space"} <= set(found(ended))


def test_a_broken_setting_is_an_error_and_the_machine_is_checked_all_the_same(cli: CommandLine, made_brain):
    (made_brain / ".cabecao.json").write_text("{")
    ended = cli.run("--brain", str(made_brain), "doctor", "--json")
    assert ended.code == 1
    assert found(ended)["invalid_config"]["severity"] == "error"
    assert found(ended)["git"]["severity"] == "ok"


def test_a_damaged_record_is_an_error_that_a_person_reads(cli: CommandLine, made_brain):
    for file in (made_brain / ".cabecao").glob("state.db*"):
        file.write_bytes(b"no database" * 500)
    ended = cli.run("--brain", str(made_brain), "doctor", "--lang", "en")
    assert ended.code == 1
    assert "✗ database_state: state.db is damaged" in ended.out


def test_without_a_repository_the_doctor_says_what_to_run(cli: CommandLine, made_brain):
    shutil.rmtree(made_brain / ".git")
    ended = cli.run("--brain", str(made_brain), "doctor", "--json")
    assert ended.code == 1
    assert "cabecao init" in found(ended)["not_a_repository"]["command"]


@pytest.mark.parametrize(
    "folder", ["Dropbox", "Dropbox (Pessoal)", "OneDrive - Empresa", "iCloud~md~obsidian", "Google Drive"]
)
def test_a_folder_that_a_cloud_client_copies_is_warned_of(patient, folder):
    moved = Patient(Brain(patient.brain.root / folder / "notas"), patient.caller, deep=False)
    assert [one.severity for one in checkup.synced_folder(moved)] == ["warning"]


@pytest.mark.parametrize("folder", ["notas", "dropboxing", "nuvem"])
def test_an_ordinary_folder_is_not(patient, folder):
    assert list(checkup.synced_folder(Patient(Brain(Path("/x") / folder), patient.caller, deep=False))) == []


def test_a_write_that_did_not_end_is_told(patient):
    assert [one.severity for one in checkup.unfinished_writes(patient)] == ["ok"]
    journal = patient.brain.machine / "journal"
    journal.mkdir()
    (journal / "op.json").write_text("{}")
    assert [one.severity for one in checkup.unfinished_writes(patient)] == ["warning"]


def test_a_full_disk_is_warned_of(patient, monkeypatch):
    monkeypatch.setattr(checkup.shutil, "disk_usage", lambda _folder: os.terminal_size((0, 0)) and _Usage(1 << 20))
    assert [one.severity for one in checkup.disk_space(patient)] == ["warning"]


class _Usage:
    def __init__(self, free: int) -> None:
        self.free = free


def test_an_old_git_is_an_error(monkeypatch):
    from brain.store import git

    monkeypatch.setattr(git, "run", lambda *_words: git.Ran(0, b"git version 2.11.0\n", ""))
    assert [one.severity for one in checkup.git_version()] == ["error"]


def test_a_check_that_fails_is_a_finding_and_stops_no_other(patient, monkeypatch):
    def breaks(_patient):
        yield Finding("a", "ok", "seen")
        raise ZeroDivisionError

    def refuses(_patient):
        raise NotFound("not there")
        yield

    monkeypatch.setattr(checkup, "MACHINE", ())
    monkeypatch.setattr(checkup, "OF_BRAIN", (breaks, refuses, checkup.synced_folder))
    told = checkup.run_all(patient.brain, caller=patient.caller, deep=False)
    assert [one.id for one in told] == ["a", "check_failed", "not_found"]


def test_a_damaged_record_is_begun_anew_by_the_person_alone(cli: CommandLine, made_brain):
    for file in (made_brain / ".cabecao").glob("audit.db*"):
        file.write_bytes(b"no database" * 500)
    assert cli.run("--brain", str(made_brain), "doctor", "--renew", "audit").code == 4
    ended = cli.run("--brain", str(made_brain), "doctor", "--renew", "audit", "--lang", "en", person=True)
    assert ended.code == 0, ended.out
    assert "a new one was begun" in ended.out
    assert cli.run("--brain", str(made_brain), "doctor", "--json").code == 0


def test_a_note_that_cannot_be_read_is_told_of(cli: CommandLine, made_brain):
    (made_brain / "quebrada.md").write_text("---\ntype: [gotcha\n---\n\nTexto.\n")
    ended = cli.run("--brain", str(made_brain), "doctor", "--json")
    assert ended.code == 1
    assert "quebrada.md" in found(ended)["unreadable_frontmatter"]["message"]


@pytest.mark.parametrize(
    ("manner", "severity", "said"),
    [
        (Manner(Way.EVENTS, Reason.LOCAL), "ok", "at once"),
        (Manner(Way.POLL, Reason.REMOTE, "nfs4"), "ok", "nfs4"),
        (Manner(Way.BOTH, Reason.SYNCED, "Syncthing"), "ok", "Syncthing"),
        (Manner(Way.POLL, Reason.LIMIT, "No space left on device"), "warning", "no watches left"),
        (Manner(Way.POLL, Reason.SYSTEM, "darwin"), "ok", "darwin"),
        (Manner(Way.POLL, Reason.ASKED), "ok", "CABECAO_WATCH"),
    ],
)
def test_the_doctor_says_how_the_folder_is_watched_and_why(patient, monkeypatch, manner, severity, said):
    monkeypatch.setattr(watch, "found", lambda _root: manner)
    (told,) = checkup.watching(patient)
    assert (told.id, told.severity) == ("watching", severity)
    assert said in told.message
    assert ("max_user_watches" in told.command) is (manner.reason is Reason.LIMIT)
    assert set(checkup.WAYS) == set(Reason)


def test_a_folder_on_another_machines_file_system_is_warned_of(patient, monkeypatch):
    monkeypatch.setattr(places, "_remote", lambda _folder: "nfs4")
    assert [one.id for one in checkup.synced_folder(patient)] == ["network_folder"]


def test_of_an_index_that_may_not_be_written_the_doctor_does_not_say_how_new_it_is(patient, monkeypatch):
    monkeypatch.setattr("brain.services.health.records.is_closed", lambda _file: True)
    monkeypatch.setattr("brain.services.health.records.file_of", lambda name: patient.brain.machine / f"{name}.db")
    assert list(checkup.index(patient)) == []
