"""Sync on its page: the remote, how the last sync went, and what it brought that a person should see."""

from __future__ import annotations

import json
import re
import subprocess

import pytest

from brain.caller import Caller, Kind, Surface
from brain.jobs.models import Job, State
from brain.services.syncing import running

HTMX = {"HX-Request": "true"}
NOTE = "wiki/concepts/Fila.md"
KEY = "AKIA" + "QYLPMN5HFIQR7XYA"


@pytest.fixture(autouse=True)
def quiet_broker(monkeypatch):
    """Let no message leave; the row is what these pages show."""
    from brain import tasks

    monkeypatch.setattr(tasks, "_send", lambda job: None)


@pytest.fixture
def sync():
    return lambda: running.run(Caller(Kind.HUMAN, "cli", Surface.CLI))


@pytest.fixture
def remote(brain, stranger, tmp_path):
    """A remote that has all of the brain, and a clone on another machine that pushes files."""
    bare, other = tmp_path / "remoto.git", tmp_path / "outra"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(bare)], check=True)
    brain.note(NOTE, "Dez.", type="concept", title="Fila")
    brain.commit()
    brain.git("remote", "add", "origin", str(bare))
    brain.git("push", "-q", "-u", "origin", "main")
    subprocess.run(["git", "clone", "-q", str(bare), str(other)], check=True)

    def push(path, text):
        (other / path).parent.mkdir(parents=True, exist_ok=True)
        (other / path).write_text(text)
        for arguments in (["add", "-A"], ["commit", "-qm", "Lá"], ["push", "-q"]):
            subprocess.run(["git", *arguments], cwd=other, check=True)

    return push


def test_without_a_remote_the_commands_that_make_one_are_shown(see, brain):
    page = see("/sync")
    assert "git remote add origin" in page.text
    assert str(brain.root) in page.text
    assert "Sync now" not in page.text


def test_the_remote_is_shown_without_its_password_and_with_what_is_to_send(see, brain, remote):
    brain.git("remote", "set-url", "origin", "https://ana:segredo123@example.org/notas.git")
    brain.note("wiki/concepts/Lote.md", "Nova.", type="concept")
    brain.commit()
    page = see("/sync")
    assert "https://example.org/notas.git" in page.text
    assert "segredo123" not in page.html
    assert "<dt>To send</dt><dd>1 commit</dd>" in page.html


def test_a_sync_is_started_once_and_its_steps_are_seen(see, send, person, remote):
    assert send("/sync/start")["Location"] == "/sync"
    send("/sync/start")
    job = Job.objects.get()
    assert (job.kind, job.state) == ("sync", State.QUEUED)
    page = see("/sync")
    assert "every 2s" in page.html
    mark = re.search(r"/sync\?v=([0-9a-f]+)", page.html)[1]
    assert person.get(f"/sync?v={mark}", headers=HTMX).status_code == 204

    Job.objects.update(state=State.RUNNING, progress=400, done=2, total=5, step="Receiving")
    answer = person.get(f"/sync?v={mark}", headers=HTMX)
    assert "Receiving" in answer.content.decode()
    assert "<h1>" not in answer.content.decode()
    assert person.get("/sync/start").status_code == 405


def test_what_the_last_one_did_is_said(see, remote, sync):
    remote("wiki/concepts/Lote.md", "---\ntype: concept\n---\n\nLote.\n")
    sync()
    page = see("/sync")
    assert "1 commit received" in page.text
    assert "just now" in page.text
    assert "nothing, as far as the last sync saw" in page.text


def test_what_stopped_it_is_said_with_the_next_step_and_no_secret(see, brain, remote, sync):
    sync()
    brain.write(NOTE, brain.text(NOTE) + f"A chave é {KEY}.\n")
    sync()
    page = see("/sync")
    assert "Waits for you" in page.text
    assert f"{NOTE}, line " in page.text
    assert "Take it out of the file" in page.text
    assert "The last one that went well" in page.text
    assert KEY not in page.html


def test_a_remote_that_is_away_is_a_calm_line(see, brain, remote, sync):
    brain.git("remote", "set-url", "origin", "http://127.0.0.1:9/notas.git")
    sync()
    page = see("/sync")
    assert "Offline" in page.text
    assert 'role="alert"' not in page.html


def test_settings_that_the_remote_changed_are_told_with_their_difference(see, brain, remote, sync):
    remote(".cabecao.json", json.dumps({"schema_version": 1, "language": "pt-br"}, indent=1))
    found = sync()
    assert [one.code for one in found.warnings] == ["settings_changed"]
    page = see("/sync")
    assert "Settings that came from the remote" in page.text
    assert '"pt-br"' in page.text
    assert [one.code for one in sync().warnings] == []
    assert '"pt-br"' in see("/sync").text


def test_a_rule_that_came_waits_for_the_persons_word(see, remote, sync):
    remote("memory/rules/curto.md", "---\ntype: rule\ntitle: Curto\n---\n\nResponda curto.\n")
    assert [one.code for one in sync().warnings] == ["unattested_resident"]
    assert see("/sync").links["Look at them"] == "/attest"


def test_many_deletions_that_came_say_what_to_run(see, brain, remote, sync, tmp_path):
    for number in range(40):
        brain.note(f"wiki/concepts/N{number}.md", f"{number}.", type="concept")
    sync()
    other = tmp_path / "outra"
    subprocess.run(["git", "pull", "-q"], cwd=other, check=True)
    for number in range(30):
        (other / f"wiki/concepts/N{number}.md").unlink()
    remote("leia.md", "x\n")
    sync()
    assert "cabecao sync --accept-deletions" in see("/sync").text
