"""sync against a real repository beside the brain and a second clone of it: nothing is lost, and it is said."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from brain.caller import Caller, Kind, Surface
from brain.errors import HumanOnly
from brain.services.syncing import record, running, texts
from brain.store.remote import advancing, transport

PATH = "wiki/concepts/Fila.md"
KEY = "AKIA" + "QYLPMN5HFIQR7XYA"
PERSON = Caller(Kind.HUMAN, "cli", Surface.CLI)
AGENT = Caller(Kind.AGENT, "claude-code", Surface.CLI)


@dataclass
class Clone:
    """Another machine's copy, where the person works with Git alone."""

    root: Path

    def git(self, *arguments: str) -> str:
        return subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True).stdout.decode()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def push(self, said: str = "Lá", *how: str) -> str:
        self.git("add", "--all")
        self.git("commit", "-qm", said)
        self.git("push", "-q", *how)
        return self.git("rev-parse", "HEAD").strip()


@pytest.fixture
def bare(tmp_path):
    place = tmp_path / "remoto.git"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(place)], check=True)
    return place


@pytest.fixture
def pair(ready, bare, tmp_path):
    """The brain with a remote that has all of it, and a clone on another machine."""
    ready.note(PATH, "Dez por vez.\n\nFim.", id="01JZ0000000000000000000001", type="concept", title="Fila")
    ready.write("log.md", "# Log\n\n- 2026-01-01 começo\n")
    ready.commit()
    ready.git("remote", "add", "origin", str(bare))
    assert sync().status == "ok"
    subprocess.run(["git", "clone", "-q", str(bare), str(tmp_path / "outra")], check=True)
    return ready, Clone(tmp_path / "outra")


def sync(caller: Caller = PERSON, **given):
    return running.run(caller, **given)


def edit(brain, old: str, new: str, path: str = PATH) -> None:
    brain.write(path, brain.text(path).replace(old, new))


def head(brain) -> str:
    return brain.git("rev-parse", "HEAD").strip()


def copies(brain) -> list[Path]:
    return sorted(brain.root.rglob("*.conflict-*"))


def clean(brain) -> bool:
    brain.git("fsck", "--strict")
    return not brain.git("status", "--porcelain") and not list((brain.root / ".git").glob("*.lock"))


def test_the_first_sync_publishes_the_branch_and_follows_it(ready, bare):
    ready.note(PATH, "Dez.", type="concept")
    ready.git("remote", "add", "origin", str(bare))
    found = sync()
    assert (found.status, found.integration, found.committed) == ("ok", "published", 3)
    assert ready.git("rev-parse", "@{upstream}").strip() == head(ready)
    again = sync()
    assert (again.status, again.integration, again.pulled, again.pushed, again.committed) == (
        "ok",
        "up_to_date",
        0,
        0,
        0,
    )
    assert clean(ready)


def test_what_came_is_searchable_at_once_and_fast_forward_makes_no_commit(pair, person):
    brain, other = pair
    other.write("wiki/concepts/Lote.md", "---\ntype: concept\n---\n\nEspera longa economiza.\n")
    theirs = other.push()
    found = sync()
    assert (found.integration, found.pulled, found.changed_paths) == ("fast_forward", 1, ["wiki/concepts/Lote.md"])
    assert head(brain) == theirs
    assert person("search", query="espera longa").hits[0].path == "wiki/concepts/Lote.md"
    assert clean(brain)


def test_fields_and_lines_of_both_sides_come_together(pair):
    brain, other = pair
    edit(brain, "title: ", 'tags: ["aqui"]\ntitle: ')
    text = (other.root / PATH).read_text()
    other.write(PATH, text.replace("Fim.", "Fim, lá."))
    other.push()
    found = sync()
    assert (found.status, found.integration, found.conflicts) == ("ok", "merge", [])
    assert "aqui" in brain.text(PATH)
    assert "Fim, lá." in brain.text(PATH)
    other.git("pull", "-q")
    assert (other.root / PATH).read_text() == brain.text(PATH)
    assert clean(brain)


def test_the_same_line_on_both_sides_keeps_both_texts(pair):
    brain, other = pair
    edit(brain, "Dez por vez.", "Vinte, aqui.")
    other.write(PATH, (other.root / PATH).read_text().replace("Dez por vez.", "Trinta, lá."))
    other.push()
    found = sync()
    [conflict] = found.conflicts
    [copy] = copies(brain)
    assert (conflict.path, conflict.kind) == (PATH, "both_edited")
    assert conflict.copy_path == copy.relative_to(brain.root).as_posix()
    assert f".conflict-{texts.machine()}-" in copy.name
    assert "Trinta, lá." in brain.text(PATH)
    assert "Vinte, aqui." in copy.read_text()
    assert "<<<<" not in brain.text(PATH) + copy.read_text()
    assert sync().conflicts == []
    other.git("pull", "-q")
    assert (other.root / conflict.copy_path).is_file()
    assert clean(brain)


def test_a_note_made_on_both_sides_keeps_both(pair):
    brain, other = pair
    brain.note("wiki/concepts/Nova.md", "Daqui.", type="concept")
    other.write("wiki/concepts/Nova.md", "---\ntype: concept\n---\n\nDe lá.\n")
    other.push()
    assert len(sync().conflicts) == 1
    assert "De lá." in brain.text("wiki/concepts/Nova.md")
    assert "Daqui." in copies(brain)[0].read_text()


@pytest.mark.parametrize("deleted_here", [True, False])
def test_an_edit_outlives_a_deletion_on_the_other_side(pair, deleted_here):
    brain, other = pair
    if deleted_here:
        (brain.root / PATH).unlink()
        other.write(PATH, (other.root / PATH).read_text().replace("Dez", "Quarenta"))
    else:
        edit(brain, "Dez", "Quarenta")
        (other.root / PATH).unlink()
    other.push()
    found = sync()
    assert [one.kind for one in found.conflicts] == ["kept_edit"]
    assert "Quarenta por vez." in brain.text(PATH)
    other.git("pull", "-q")
    assert "Quarenta por vez." in (other.root / PATH).read_text()
    assert clean(brain)


@pytest.mark.parametrize("moved_here", [True, False])
def test_an_edit_follows_the_note_to_where_the_other_side_moved_it(pair, moved_here):
    brain, other = pair
    moved = "archive/Fila.md"
    text = brain.text(PATH)
    if moved_here:
        (brain.root / PATH).unlink()
        brain.write(moved, text)
        other.write(PATH, text.replace("Dez", "Quarenta"))
    else:
        brain.write(PATH, text.replace("Dez", "Quarenta"))
        (other.root / PATH).unlink()
        other.write(moved, text)
    other.push()
    found = sync()
    assert (found.status, found.conflicts) == ("ok", [])
    assert "Quarenta por vez." in brain.text(moved)
    assert not (brain.root / PATH).exists()
    assert clean(brain)


@pytest.mark.parametrize("moved_here", [True, False])
def test_a_place_that_both_sides_took_for_another_note_keeps_all_texts(pair, moved_here):
    brain, other = pair
    taken, text = "archive/Fila.md", brain.text(PATH)
    mover, editor = (brain.root, other.root) if moved_here else (other.root, brain.root)
    (mover / taken).parent.mkdir()
    (mover / PATH).rename(mover / taken)
    (editor / taken).parent.mkdir()
    (editor / taken).write_text("Outra nota, com outro texto.\n")
    (editor / PATH).write_text(text.replace("Dez", "Quarenta"))
    other.push()
    assert sync().status == "ok"
    found = "".join(file.read_text() for file in brain.root.rglob("Fila*.md"))
    assert [one for one in ("Quarenta", "Outra nota", "Dez") if one not in found] == []
    assert clean(brain)


def test_the_log_keeps_the_lines_of_both_sides(pair):
    brain, other = pair
    brain.write("log.md", brain.text("log.md") + "- 2026-02-01 aqui\n")
    other.write("log.md", (other.root / "log.md").read_text() + "- 2026-02-01 lá\n")
    other.push()
    assert sync().conflicts == []
    assert {"- 2026-02-01 aqui", "- 2026-02-01 lá"} <= set(brain.text("log.md").splitlines())


def test_settings_that_would_be_no_json_any_more_are_kept_apart(pair):
    brain, other = pair
    brain.write(".cabecao.json", '{\n"schema_version": 1,\n"language": "en"\n}\n')
    other.write(".cabecao.json", '{\n"schema_version": 1\n}\n')
    other.push()
    assert sync().status == "ok"
    assert json.loads(brain.text(".cabecao.json"))["schema_version"] == 1


def test_a_picture_changed_on_both_sides_is_kept_twice(pair):
    brain, other = pair
    for root, raw in ((brain.root, b"\x89PNG\0aqui"), (other.root, b"\x89PNG\0la")):
        (root / "raw").mkdir()
        (root / "raw/foto.png").write_bytes(raw)
    other.push()
    sync()
    assert (brain.root / "raw/foto.png").read_bytes() == b"\x89PNG\0la"
    assert copies(brain)[0].read_bytes() == b"\x89PNG\0aqui"


def test_a_file_here_and_a_folder_there_changes_nothing(pair):
    brain, other = pair
    brain.write("wiki/x", "arquivo\n")
    other.write("wiki/x/nota.md", "pasta\n")
    other.push()
    before = brain.text("wiki/x")
    found = sync()
    assert (found.status, found.reason) == ("error", "git_failed")
    assert brain.text("wiki/x") == before
    assert clean(brain)


def test_a_secret_in_an_edit_holds_back_commit_and_push(pair, bare):
    brain, _other = pair
    before = head(brain)
    edit(brain, "Fim.", f"A chave é {KEY}.")
    found = sync()
    assert (found.status, found.reason) == ("blocked", "secret")
    [secret] = found.secrets
    line = brain.text(PATH).splitlines().index(f"A chave é {KEY}.") + 1
    assert (secret.file, secret.line, secret.column) == (PATH, line, 11)
    assert KEY not in found.model_dump_json()
    assert head(brain) == before
    assert KEY in brain.text(PATH)


def test_a_secret_in_the_persons_own_commit_does_not_go_out(pair, bare):
    brain, other = pair
    edit(brain, "Fim.", f"A chave é {KEY}.")
    brain.commit("Meu")
    edit(brain, KEY, "outra coisa")
    found = sync()
    assert (found.status, found.reason, found.secrets[0].file) == ("blocked", "secret", PATH)
    other.git("fetch", "-q")
    assert KEY not in other.git("log", "--all", "-p")


def test_a_line_that_the_person_allows_goes_out(pair):
    brain, _other = pair
    edit(brain, "Fim.", f"A chave de exemplo {KEY} <!-- cabecao:allow-secret -->")
    assert sync().status == "ok"


def test_a_rewritten_remote_is_told_and_nothing_here_moves(pair):
    brain, other = pair
    other.write("wiki/concepts/Lote.md", "Lote.\n")
    other.push()
    assert sync().status == "ok"
    other.write("wiki/concepts/Lote.md", "Outra história.\n")
    other.git("add", "--all")
    other.git("commit", "-q", "--amend", "-m", "Reescrito")
    other.git("push", "-qf")
    before = head(brain)
    for _again in range(2):
        found = sync()
        assert (found.status, found.reason) == ("blocked", "force_pushed")
        assert head(brain) == before
    brain.git("fetch", "-q")
    assert sync().status == "ok"
    assert brain.git("merge-base", "HEAD", before).strip() == before


def test_another_history_is_told_and_nothing_here_moves(ready, bare, tmp_path):
    subprocess.run(["git", "clone", "-q", str(bare), str(tmp_path / "outra")], check=True, capture_output=True)
    other = Clone(tmp_path / "outra")
    other.write("README.md", "Outro projeto.\n")
    other.push()
    ready.write("README.md", "Meu cérebro.\n")
    ready.commit()
    ready.git("remote", "add", "origin", str(bare))
    found = sync()
    assert (found.status, found.reason) == ("blocked", "unrelated")
    assert ready.text("README.md") == "Meu cérebro.\n"


def test_a_shallow_copy_that_cannot_be_compared_is_told(pair):
    brain, other = pair
    edit(brain, "Fim.", "Fim, aqui.")
    assert sync().status == "ok"
    other.write("a.md", "Mais.\n")
    other.push("Lá", "--force")
    (brain.root / ".git/shallow").write_text(brain.git("rev-parse", "HEAD"))
    brain.git("update-ref", "-d", "refs/remotes/origin/main")
    before = head(brain)
    found = sync()
    assert (found.status, found.reason) == ("blocked", "shallow")
    assert head(brain) == before


def test_a_branch_that_is_gone_from_the_remote_is_told(pair, bare):
    brain, other = pair
    other.git("push", "-q", "origin", "HEAD:refs/heads/outro")
    subprocess.run(["git", "update-ref", "-d", "refs/heads/main"], cwd=bare, check=True)
    found = sync()
    assert (found.status, found.reason) == ("blocked", "branch_missing")


def test_many_deletions_at_once_wait_for_a_yes(pair):
    brain, other = pair
    for number in range(40):
        brain.note(f"wiki/concepts/N{number}.md", f"Texto {number}.", type="concept")
    assert sync().status == "ok"
    other.git("pull", "-q")
    for number in range(30):
        (other.root / f"wiki/concepts/N{number}.md").unlink()
    other.push()
    found = sync()
    assert (found.status, found.reason) == ("blocked", "mass_deletion_there")
    assert (brain.root / "wiki/concepts/N0.md").exists()
    with pytest.raises(HumanOnly):
        sync(AGENT, accept_deletions=True)
    assert sync(accept_deletions=True).status == "ok"
    assert not (brain.root / "wiki/concepts/N0.md").exists()


def test_many_notes_gone_from_the_folder_are_not_committed_unasked(pair):
    brain, _other = pair
    for number in range(40):
        brain.note(f"wiki/concepts/N{number}.md", f"Texto {number}.", type="concept")
    sync()
    shutil.rmtree(brain.root / "wiki")
    found = sync()
    assert (found.status, found.reason) == ("blocked", "mass_deletion_here")
    brain.git("restore", ".")
    assert sync().status == "ok"


@pytest.mark.parametrize("address", ["ext::sh -c 'touch pwn'", "-uorigin", "ssh://-oProxyCommand=touch%20pwn/x"])
def test_an_address_that_runs_a_program_is_refused(ready, address):
    ready.commit()
    ready.git("config", "remote.origin.url", address)
    found = sync()
    assert found.status == "error"
    assert not list(ready.root.rglob("pwn"))
    assert not Path("pwn").exists()


def test_a_password_in_the_address_is_shown_nowhere(ready):
    ready.commit()
    ready.git("remote", "add", "origin", "https://ana:segredo123@127.0.0.1:9/r.git")
    found = sync()
    assert found.status == "offline"
    assert "segredo123" not in found.model_dump_json() + json.dumps(record.last())


def test_a_remote_that_never_answers_is_offline_in_time(ready, monkeypatch):
    monkeypatch.setattr(transport, "LOOK_SECONDS", 1.0)
    ready.commit()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        ready.git("remote", "add", "origin", f"http://127.0.0.1:{silent.getsockname()[1]}/r.git")
        found = sync()
    assert (found.status, found.reason) == ("offline", "offline")
    assert found.next_step


class _Closed(BaseHTTPRequestHandler):
    """A server that lets nobody in without a password."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="notas"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_arguments: object) -> None:
        """Say nothing."""


def test_a_remote_that_wants_a_password_is_told_and_nobody_is_asked(ready, tmp_path, monkeypatch):
    ready.commit()
    asked, program = tmp_path / "asked", tmp_path / "ask.sh"
    program.write_text(f"#!/bin/sh\ntouch '{asked}'\necho x\n")
    program.chmod(0o755)
    ready.git("config", "core.askPass", str(program))
    for name in ("GIT_ASKPASS", "SSH_ASKPASS"):
        monkeypatch.setenv(name, str(program))
    with ThreadingHTTPServer(("127.0.0.1", 0), _Closed) as closed:
        threading.Thread(target=closed.serve_forever).start()
        ready.git("remote", "add", "origin", f"http://127.0.0.1:{closed.server_port}/r.git")
        found = sync()
        closed.shutdown()
    assert (found.status, found.reason) == ("error", "auth")
    assert "git fetch origin" in found.next_step
    assert not asked.exists()


def test_a_merge_under_way_is_neither_finished_nor_dropped(pair):
    brain, _other = pair
    (brain.root / ".git/MERGE_HEAD").write_text(head(brain) + "\n")
    found = sync()
    assert (found.status, found.reason) == ("blocked", "repository_busy")
    assert (brain.root / ".git/MERGE_HEAD").exists()


def test_one_sync_at_a_time(pair):
    with record.only_one() as mine:
        assert mine
        assert record.is_running()
        found = sync()
    assert (found.status, found.reason) == ("busy", "sync_running")
    assert not record.is_running()


def test_another_push_in_between_is_taken_in_and_tried_again(pair, monkeypatch):
    brain, other = pair
    edit(brain, "Fim.", "Fim, aqui.")
    real, raced = transport.push, []

    def push(*given, **named):
        if not raced:
            raced.append(1)
            other.write("wiki/concepts/Lote.md", "No meio.\n")
            other.push()
        return real(*given, **named)

    monkeypatch.setattr(transport, "push", push)
    found = sync()
    assert (found.status, found.attempts, found.pulled) == ("ok", 2, 1)
    assert (brain.root / "wiki/concepts/Lote.md").exists()
    assert clean(brain)


def test_a_file_saved_while_both_sides_are_joined_is_not_lost(pair, monkeypatch):
    brain, other = pair
    other.write(PATH, (other.root / PATH).read_text().replace("Fim.", "Fim, lá."))
    other.push()
    real, raced = advancing.advance, []

    def advance(*given, **named):
        if not raced:
            raced.append(1)
            edit(brain, "Dez", "Vinte")
        return real(*given, **named)

    monkeypatch.setattr(advancing, "advance", advance)
    assert sync().status == "ok"
    assert "Vinte por vez." in brain.text(PATH)
    assert "Fim, lá." in brain.text(PATH)
    assert clean(brain)


def test_a_remote_that_takes_nothing_is_told_with_its_words(pair, bare):
    brain, _other = pair
    hook = bare / "hooks/pre-receive"
    hook.write_text("#!/bin/sh\necho 'só às segundas' >&2\nexit 1\n")
    hook.chmod(0o755)
    edit(brain, "Fim.", "Fim!")
    found = sync()
    assert (found.status, found.reason) == ("error", "rejected")
    assert "segundas" in (found.remote_error or "")
    hook.unlink()
    assert sync().status == "ok"


def test_line_ends_of_a_setting_make_no_commit(pair):
    brain, _other = pair
    brain.git("config", "core.autocrlf", "true")
    before = head(brain)
    for _again in range(3):
        assert sync().status == "ok"
    assert head(brain) == before


def test_a_sync_that_dies_while_files_move_is_put_back_at_the_next_start(pair, monkeypatch):
    brain, other = pair
    other.write(PATH, (other.root / PATH).read_text().replace("Fim.", "Fim, lá."))
    other.write("wiki/concepts/Lote.md", "Lote.\n")
    other.push()
    before, text = head(brain), brain.text(PATH)

    def dies(repository, commit, paths):
        for path in paths[:1]:
            brain.write(path, repository.content(commit, path) or b"")
        os._exit(9)

    pid = os.fork()
    if pid == 0:
        monkeypatch.setattr(advancing, "advance", dies)
        try:
            sync()
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 9
    from brain.services import workplace

    workplace.close()
    workplace.recover()
    assert head(brain) == before
    assert brain.text(PATH) == text
    assert not (brain.root / "wiki/concepts/Lote.md").exists()
    assert sync().status == "ok"
    assert "Fim, lá." in brain.text(PATH)
    assert clean(brain)


def test_status_tells_of_the_last_sync(pair, person):
    told = person("status").sync
    assert told.last_sync
    assert (told.unpushed, told.unpulled, told.running) == (0, 0, False)


def test_deletions_are_accepted_at_a_terminal_alone_and_never_left_out_in_silence(ready, person):
    with pytest.raises(HumanOnly) as refused:
        person("sync", accept_deletions=True)
    assert "--accept-deletions" in (refused.value.next_step or "")


@pytest.mark.parametrize("folder", [".cabecao", ".CABECAO"])
def test_keys_and_records_of_another_machine_are_not_taken_in(pair, folder):
    here, there = pair
    before = head(here)
    key = (here.root / ".cabecao" / "django.key").exists()
    there.write(f"{folder}/django.key", "chave de outra máquina")
    there.git("add", "--force", folder)
    there.push()
    told = sync()
    assert (told.status, told.reason) == ("blocked", "machine_folder_there")
    assert "git rm -r --cached .cabecao" in told.next_step
    assert head(here) == before
    assert (here.root / ".cabecao" / "django.key").exists() is key
    there.git("rm", "-rq", folder)
    there.push("Tira")
    assert sync().status == "ok"


def test_this_machines_keys_and_records_do_not_go_out(pair, bare, agent):
    here, _there = pair
    before = subprocess.run(["git", "rev-parse", "main"], cwd=bare, capture_output=True, check=True).stdout
    here.write(".cabecao/x.key", "minha")
    here.git("add", "--force", ".cabecao/x.key")
    here.git("commit", "-qm", "Sem querer")
    here.git("rm", "-q", "--cached", ".cabecao/x.key")
    here.git("commit", "-qm", "Tira, mas o commit de antes ainda o tem")
    told = sync()
    assert (told.status, told.reason) == ("blocked", "machine_folder_here")
    assert subprocess.run(["git", "rev-parse", "main"], cwd=bare, capture_output=True, check=True).stdout == before


def test_status_tells_of_a_machine_folder_that_git_holds(pair, agent):
    here, _there = pair
    here.write(".cabecao/x.key", "minha")
    here.git("add", "--force", ".cabecao/x.key")
    here.git("commit", "-qm", "Sem querer")
    assert any(".cabecao/" in problem for problem in agent("status").problems)
