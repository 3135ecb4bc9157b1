"""Repositories as people have them: busy, odd, hooked, filtered, locked, and with work of the person's own in them."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from brain.errors import BrainError, Conflict, GitFailed, InvalidPath
from brain.services import workplace
from brain.services.health import whole
from brain.store import committing
from brain.store.plumbing import git_locks

NOTE = "wiki/concepts/Fila.md"


def refused(scribe: Any, code: str, *words: str) -> BrainError:
    """See that an append is refused with a code and that nothing has changed."""
    before = (scribe.head(), scribe.text(), scribe.dirt())
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == code, raised.value.message
    assert all(word in f"{raised.value.message} {raised.value.next_step}" for word in words), raised.value.message
    assert (scribe.head(), scribe.text(), scribe.dirt()) == before
    assert scribe.leftovers() == []
    return raised.value


def script(place: Path, text: str) -> Path:
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(f"#!/bin/sh\n{text}\n")
    place.chmod(0o755)
    return place


def diverge(scribe: Any) -> str:
    """Make two branches that change the same line; return the commit on the other one."""
    scribe.git("switch", "--quiet", "-c", "outra")
    (scribe.root / NOTE).write_text("Outra.\n")
    scribe.git("commit", "--quiet", "--all", "--message", "Outra")
    other = scribe.head()
    scribe.git("switch", "--quiet", "main")
    (scribe.root / NOTE).write_text("Esta.\n")
    scribe.git("commit", "--quiet", "--all", "--message", "Esta")
    return other


def attempt(scribe: Any, *arguments: str) -> None:
    subprocess.run(["git", *arguments], cwd=scribe.root, capture_output=True, check=False)


# --- busy


@pytest.mark.parametrize("command", ["merge", "rebase", "cherry-pick", "revert"])
def test_a_repository_in_the_middle_of_something_is_left_alone(scribe, command):
    other = diverge(scribe)
    target = {"revert": "HEAD~1"}.get(command, other)
    if command == "revert":
        attempt(scribe, "revert", "--no-edit", "HEAD")
        (scribe.root / NOTE).write_text("Mais.\n")
        scribe.git("commit", "--quiet", "--all", "--message", "Mais")
    attempt(scribe, command, target)
    state = sorted(file.name for file in (scribe.root / ".git").iterdir())
    refused(scribe, "repository_busy", command, "--abort")
    assert sorted(file.name for file in (scribe.root / ".git").iterdir()) == state
    scribe.git(command, "--abort")
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


def test_a_bisection_is_left_alone(scribe):
    scribe.append(NOTE, "Uma.")
    scribe.git("bisect", "start")
    refused(scribe, "repository_busy", "bisect", "git bisect reset")
    scribe.git("bisect", "reset")
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


def test_a_detached_head_is_refused_with_the_way_out(scribe):
    scribe.git("checkout", "--quiet", "--detach")
    refused(scribe, "repository_busy", "git switch")
    scribe.git("switch", "--quiet", "main")
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


# --- no repository, or an odd one


def test_the_first_write_of_a_branch_makes_its_first_commit(scribe):
    scribe.git("switch", "--quiet", "--orphan", "nova")
    scribe.brain.write(".cabecao.json", "{}")
    scribe.brain.write(".git/info/exclude", ".cabecao*\n")
    scribe.create("wiki/concepts/Primeira.md", "Texto.")
    assert len(scribe.log()) == 1
    scribe.assert_whole()


def test_a_folder_without_a_repository_is_refused(scribe):
    (scribe.root / ".git").rename(scribe.root.parent / "aside.git")
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "not_a_repository"
    (scribe.root.parent / "aside.git").rename(scribe.root / ".git")
    scribe.append(NOTE, "Linha.")
    scribe.assert_whole()


def test_a_folder_inside_another_repository_is_refused(scribe):
    (scribe.root / ".git").rename(scribe.root.parent / "aside.git")
    subprocess.run(["git", "init", "--quiet", str(scribe.root.parent)], check=True)
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "not_a_repository"
    assert str(scribe.root.parent) in raised.value.message


def test_a_repository_of_another_user_is_refused_with_the_command_to_run(scribe, monkeypatch, own_home):
    before = (own_home / "gitconfig").read_text()
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "not_a_repository"
    assert f"safe.directory {scribe.root}" in str(raised.value.next_step)
    assert (own_home / "gitconfig").read_text() == before


def test_packed_refs_and_objects_are_read(scribe):
    scribe.append(NOTE, "Uma.")
    scribe.git("gc", "--quiet")
    scribe.append(NOTE, "Duas.")
    scribe.git("pack-refs", "--all", "--prune")
    scribe.append(NOTE, "Três.")
    scribe.assert_whole()
    assert len([one for one in scribe.log() if "update concept" in one]) == 3


def test_a_clean_up_that_ran_meanwhile_is_no_trouble(scribe):
    for number in range(3):
        scribe.append(NOTE, f"Linha {number}.")
        scribe.git("gc", "--quiet", "--prune=now")
    scribe.assert_whole()


def test_a_repository_that_took_the_place_of_another_is_opened_anew(scribe):
    scribe.append(NOTE, "Uma.")
    (scribe.root / ".git").rename(scribe.root.parent / "aside.git")
    scribe.git("init", "--quiet", "--initial-branch=main")
    scribe.brain.commit("De novo")
    scribe.append(NOTE, "Duas.")
    assert len(scribe.log()) == 2
    assert set(scribe.git("ls-files").split()) >= {NOTE, ".cabecao.json"}
    scribe.assert_whole()


def test_a_missing_tree_is_never_taken_for_an_empty_folder(scribe):
    scribe.append(NOTE, "Uma.")
    tree = scribe.git("rev-parse", "HEAD:wiki").strip()
    place = scribe.root / ".git" / "objects" / tree[:2] / tree[2:]
    saved = place.read_bytes()
    place.unlink()
    workplace.close()
    with pytest.raises(GitFailed):
        scribe.append(NOTE, "Duas.")
    place.write_bytes(saved)
    scribe.append(NOTE, "Duas.")
    scribe.assert_whole()


def test_a_branch_with_a_slash_and_an_accent_is_written_to(scribe):
    scribe.git("switch", "--quiet", "-c", "diário/anotações")
    scribe.append(NOTE, "Linha.")
    assert scribe.git("symbolic-ref", "--short", "HEAD") == "diário/anotações\n"
    scribe.assert_whole()


def test_a_linked_work_tree_is_written_on_its_own_branch(scribe, move_to):
    scribe.git("worktree", "add", "--quiet", "-b", "lado", str(scribe.root.parent / "lado"))
    beside = move_to(scribe.root.parent / "lado")
    beside.append(NOTE, "Linha.")
    (beside.root / NOTE).write_text(beside.text() + "\nÀ mão.\n")
    done = beside.append(NOTE, "Outra.")
    beside.call("undo", op=done.op)
    beside.assert_whole()
    assert beside.git("symbolic-ref", "--short", "HEAD") == "lado\n"
    assert "Linha." not in scribe.committed()


def test_a_repository_of_sha256_is_written(scribe, move_to):
    root = scribe.root.parent / "longa"
    subprocess.run(["git", "init", "--quiet", "--object-format=sha256", str(root)], check=True)
    (root / ".cabecao.json").write_text((scribe.root / ".cabecao.json").read_text())
    (root / ".gitignore").write_text(".cabecao/\n")
    longer = move_to(root)
    done = longer.create("wiki/concepts/Nova.md", "Texto.")
    longer.append("wiki/concepts/Nova.md", "Linha.")
    script(root / ".git" / "hooks" / "pre-commit", "exit 0")
    with pytest.raises(Conflict):
        longer.call("undo", op=done.op)
    gone = longer.create("wiki/concepts/Outra.md", "Texto.")
    longer.call("undo", op=gone.op)
    longer.brain.commit()
    assert len(longer.head()) == 64
    longer.assert_whole()


# --- who


def test_without_a_name_the_product_signs_for_the_person(scribe, own_home):
    (own_home / "gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    scribe.as_person().create("wiki/concepts/Minha.md", "Texto.")
    assert scribe.log("%an <%ae>")[0] == "Cabeção <cabecao@localhost>"


def test_an_agent_is_the_author_and_the_person_the_committer(scribe):
    scribe.append(NOTE, "Linha.")
    assert scribe.log("%an|%cn")[0] == "claude-code|Ana"


def test_signing_that_fails_does_not_stand_in_the_way(scribe, own_home, tmp_path):
    program = script(tmp_path / "gpg", "exit 1")
    with (own_home / "gitconfig").open("a") as stream:
        stream.write(f"[commit]\n\tgpgsign = true\n[gpg]\n\tprogram = {program}\n")
    scribe.append(NOTE, "Linha.")
    script(scribe.root / ".git" / "hooks" / "post-commit", "exit 0")
    scribe.append(NOTE, "Com gancho.")
    scribe.assert_whole()


# --- hooks


@pytest.fixture
def hooks(scribe, own_home, tmp_path):
    folder = tmp_path / "hooks"
    folder.mkdir()
    with (own_home / "gitconfig").open("a") as stream:
        stream.write(f"[core]\n\thooksPath = {folder}\n")
    return folder


@pytest.mark.parametrize("hook", ["pre-commit", "commit-msg", "prepare-commit-msg"])
def test_a_hook_that_refuses_is_an_error_with_its_words(scribe, hooks, hook):
    script(hooks / hook, 'echo "Nada às sextas." >&2; exit 1')
    refused(scribe, "git_failed", "Nada às sextas.")
    (hooks / hook).unlink()
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


def test_a_reference_transaction_hook_that_refuses_leaves_the_branch(scribe, hooks):
    script(hooks / "reference-transaction", 'test "$1" != prepared')
    refused(scribe, "git_failed")


def test_a_hook_that_prints_a_megabyte_is_run_to_its_end(scribe, hooks, capfd):
    script(hooks / "pre-commit", "yes linha | head -c 1000000; echo done > .git/ran")
    scribe.append(NOTE, "Linha.")
    assert (scribe.root / ".git" / "ran").exists()
    assert "linha\n" not in capfd.readouterr().out
    scribe.assert_whole()


def test_a_slow_hook_is_ended_at_the_limit_and_it_is_said_that_it_was(scribe, hooks, monkeypatch):
    monkeypatch.setattr(committing, "HOOK_SECONDS", 0.3)
    script(hooks / "pre-commit", "sleep 60")
    began = time.monotonic()
    refused(scribe, "git_failed", "did not end within")
    assert time.monotonic() - began < 20


def test_a_caller_that_went_away_does_not_wait_for_a_hook(scribe, hooks):
    script(hooks / "pre-commit", "sleep 60")
    threading.Timer(0.5, scribe.caller.gone.set).start()
    refused(scribe, "git_failed")


def test_a_hook_sees_what_is_committed_and_the_staged_work_stays(scribe, hooks):
    script(hooks / "pre-commit", "git diff --cached --name-only > .git/seen")
    (scribe.root / "preparado.txt").write_text("Meu.\n")
    scribe.git("add", "preparado.txt")
    scribe.append(NOTE, "Linha.")
    assert (scribe.root / ".git" / "seen").read_text().split() == ["log.md", NOTE]
    assert scribe.dirt() == "A  preparado.txt\n"


def test_a_hook_that_mends_the_note_is_heard(scribe, hooks):
    script(hooks / "pre-commit", f"sed -i 's/errado/certo/' {NOTE}; git add {NOTE}")
    scribe.append(NOTE, "Está errado.")
    assert "Está certo." in scribe.committed()
    scribe.assert_whole()


def test_a_hook_that_writes_the_subject_anew_is_heard(scribe, hooks):
    script(hooks / "commit-msg", 'sed -i "1s/^/[ABC-1] /" "$1"')
    done = scribe.append(NOTE, "Linha.")
    assert scribe.log("%H")[0] == done.commit
    assert scribe.log("%s")[0].startswith("[ABC-1] ")
    scribe.assert_whole()


@pytest.mark.parametrize("emptied", ['echo Mudado > "$1"', 'sed -i "/^Cabecao-/d" "$1"'])
def test_a_hook_that_takes_the_operation_out_of_the_message_changes_nothing(scribe, hooks, emptied):
    script(hooks / "commit-msg", emptied)
    refused(scribe, "git_failed", "Cabecao-")
    with pytest.raises(GitFailed):
        scribe.create("wiki/concepts/Nova.md", "Texto.")
    assert not (scribe.root / "wiki/concepts/Nova.md").exists()
    scribe.assert_whole()


def test_a_hook_that_commits_more_afterwards_takes_nothing_back(scribe, hooks):
    script(
        hooks / "post-commit", "test -e .git/once && exit; touch .git/once; git commit --quiet --allow-empty -m Mais"
    )
    done = scribe.append(NOTE, "Linha.")
    assert scribe.log("%s")[0] == "Mais"
    assert scribe.log("%H")[1] == done.commit
    scribe.assert_whole()


def test_a_commit_of_the_persons_that_comes_between_is_never_taken_out(scribe, hooks):
    """The hook stands for the person: their commit falls between our look at the branch and ours."""
    script(
        hooks / "pre-commit",
        "test -e .git/once && exit 0; touch .git/once; unset GIT_INDEX_FILE;"
        " echo Meu > meu.txt; git add meu.txt; git commit --quiet --no-verify -m Meu",
    )
    with pytest.raises((Conflict, GitFailed)):
        scribe.append(NOTE, "Linha.")
    assert scribe.git("show", "HEAD:meu.txt") == "Meu\n"
    scribe.append(NOTE, "Depois.")
    assert scribe.git("show", "HEAD:meu.txt") == "Meu\n"
    scribe.assert_whole()


def test_the_deletion_of_a_note_goes_through_hooks_too(scribe, hooks):
    script(hooks / "pre-commit", "exit 0")
    done = scribe.create("wiki/concepts/Nova.md", "Texto.")
    scribe.call("undo", op=done.op)
    assert not (scribe.root / "wiki/concepts/Nova.md").exists()
    scribe.assert_whole()


# --- what the person keeps out of history


@pytest.mark.parametrize("where", ["root", "folder", "info", "own"])
def test_what_git_ignores_is_never_put_into_history(scribe, own_home, where):
    diary = scribe.root / "diario"
    diary.mkdir()
    (diary / "hoje.md").write_text("Íntimo.\n", encoding="utf-8")
    places = {
        "root": (scribe.root / ".gitignore", "/diario/\n"),
        "folder": (diary / ".gitignore", "*.md\n"),
        "info": (scribe.root / ".git" / "info" / "exclude", "diario\n"),
        "own": (own_home / "ignore", "diario/\n"),
    }
    place, pattern = places[where]
    if where == "own":
        scribe.git("config", "core.excludesFile", str(place))
    with place.open("a", encoding="utf-8") as stream:
        stream.write(pattern)
    before = scribe.head()
    with pytest.raises(InvalidPath):
        scribe.append("diario/hoje.md", "Linha.")
    with pytest.raises(InvalidPath):
        scribe.create("diario/nova.md", "Texto.")
    assert scribe.head() == before
    assert (diary / "hoje.md").read_text(encoding="utf-8") == "Íntimo.\n"
    assert not (diary / "nova.md").exists()
    scribe.append(NOTE, "Linha.")


def test_a_note_that_git_knows_is_written_whatever_is_ignored(scribe):
    (scribe.root / ".git" / "info" / "exclude").write_text("*.md\n")
    scribe.append(NOTE, "Linha.")
    scribe.assert_whole()


# --- filters


@pytest.mark.parametrize("value", ["true", "input"])
@pytest.mark.parametrize("safe", ["true", "warn"])
def test_line_ends_that_git_changes_leave_nothing_to_commit(scribe, value, safe):
    scribe.git("config", "core.autocrlf", value)
    scribe.git("config", "core.safecrlf", safe)
    for number in range(3):
        scribe.append(NOTE, f"Linha {number}.")
        scribe.assert_whole()
    assert "\r" not in scribe.committed()


@pytest.mark.parametrize("line", ["* text=auto", "*.md text eol=crlf", "*.md text=auto eol=crlf", "*.md ident"])
def test_attributes_of_line_ends_leave_nothing_to_commit(scribe, line):
    scribe.brain.write(".gitattributes", f"{line}\n")
    scribe.brain.commit()
    scribe.git("rm", "--quiet", "--cached", "-r", ".")
    scribe.git("reset", "--quiet", "--hard")
    for number in range(3):
        scribe.append(NOTE, f"Linha {number}.")
        scribe.assert_whole()
    assert ("\r\n" in scribe.text()) == ("crlf" in line)
    assert scribe.text().count("\r\n") in (0, scribe.text().count("\n"))
    assert scribe.text("log.md").count("\r\n") in (0, scribe.text("log.md").count("\n"))
    assert "\r" not in scribe.committed()


def test_an_undo_under_line_ends_gives_the_bytes_back(scribe):
    scribe.brain.write(".gitattributes", "*.md text eol=crlf\n")
    scribe.brain.commit()
    scribe.git("rm", "--quiet", "--cached", "-r", ".")
    scribe.git("reset", "--quiet", "--hard")
    before = scribe.text()
    done = scribe.append(NOTE, "Linha.")
    scribe.call("undo", op=done.op)
    assert scribe.text() == before
    scribe.assert_whole()


def test_a_filter_that_fails_is_an_error_and_nothing_is_changed(scribe):
    scribe.brain.write(".gitattributes", "*.md filter=quebrado\n")
    scribe.brain.commit()
    scribe.git("config", "filter.quebrado.clean", "false")
    scribe.git("config", "filter.quebrado.required", "true")
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "git_failed"
    assert "Linha." not in scribe.text()


# --- locks


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_that_no_process_holds_is_taken_away_and_said(scribe, lock):
    (scribe.root / ".git" / lock).touch()
    done = scribe.append(NOTE, "Linha.")
    assert "recovered" in {one.code for one in done.warnings}
    scribe.assert_whole()


@pytest.fixture
def git_at_work(scribe):
    """A Git process that works in the brain as long as the test lasts."""
    process = subprocess.Popen(
        ["git", "hash-object", "--stdin"], cwd=scribe.root, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    )
    yield process
    process.communicate()


@pytest.mark.parametrize("lock", ["index.lock", "HEAD.lock", "refs/heads/main.lock"])
def test_a_lock_that_somebody_holds_is_waited_for_and_left(scribe, git_at_work, monkeypatch, lock):
    monkeypatch.setattr(git_locks, "WAIT_SECONDS", 0.3)
    file = scribe.root / ".git" / lock
    file.touch()
    before = scribe.head()
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "locked"
    assert file.exists()
    file.unlink()
    assert (scribe.head(), scribe.dirt()) == (before, "")
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


def test_a_commit_of_the_persons_that_takes_its_time_is_waited_for_and_no_conflict(scribe):
    scribe.append(NOTE, "Linha.")
    (scribe.root / "README.md").write_text("Da pessoa.\n")
    scribe.git("add", "README.md")
    theirs = subprocess.Popen(
        ["git", "commit", "--quiet", "--all"], cwd=scribe.root, stdin=subprocess.DEVNULL,
        env={**os.environ, "GIT_EDITOR": "sleep 2; echo Meu >"},
    )  # fmt: skip
    while not (scribe.root / ".git" / "index.lock").exists():
        time.sleep(0.01)
    scribe.append("wiki/concepts/Fila.md", "Depois.")
    assert theirs.wait() == 0
    assert "Meu" in scribe.git("log", "--format=%s")
    scribe.assert_whole()


def test_where_git_may_not_write_nothing_is_called_locked():
    said = "fatal: Unable to create '/x/.git/index.lock': Permission denied"
    assert git_locks.named_in(said) is None
    assert git_locks.named_in("fatal: Unable to create '/x/.git/index.lock': File exists.") is not None


def test_a_lock_that_is_freed_in_time_is_no_error(scribe, git_at_work):
    file = scribe.root / ".git" / "index.lock"
    file.touch()
    threading.Timer(0.4, file.unlink).start()
    scribe.append(NOTE, "Linha.")
    scribe.assert_whole()


def test_an_index_that_is_locked_only_after_the_commit_is_made_up_for(scribe, git_at_work, monkeypatch):
    from brain.store.committing import Commit

    monkeypatch.setattr(git_locks, "WAIT_SECONDS", 0.2)
    file = scribe.root / ".git" / "index.lock"

    def start_index(self: Commit) -> None:
        assert self._indexer is not None
        self._indexer.kill()
        self._indexer.wait()
        file.touch()

    with monkeypatch.context() as patch:
        patch.setattr(Commit, "start_index", start_index)
        done = scribe.append(NOTE, "Linha.")
    assert "git_index_behind" in {one.code for one in done.warnings}
    file.unlink()
    scribe.append("wiki/concepts/Fila.md", "Depois.")
    scribe.assert_whole()


def test_a_git_that_hangs_is_ended(scribe, monkeypatch, tmp_path):
    from brain.store import git

    real = subprocess.run(["which", "git"], capture_output=True, check=True).stdout.decode().strip()
    fake = script(tmp_path / "bin" / "git", f'case "$*" in *update-ref*) exec sleep 60;; esac; exec {real} "$@"')
    monkeypatch.setattr(git, "SECONDS", 0.5)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{fake.parent}:{os.environ['PATH']}")
        for command in (git.finish, git.run):
            patch.setattr(command, "__kwdefaults__", {**command.__kwdefaults__, "seconds": 0.5})
        workplace.close()
        before = scribe.head()
        with pytest.raises(BrainError):
            scribe.append(NOTE, "Linha.")
    assert scribe.head() == before
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


# --- the person's own work


def test_what_the_person_has_staged_stays_staged_and_out_of_our_commit(scribe):
    (scribe.root / "preparado.txt").write_text("Meu.\n")
    scribe.git("add", "preparado.txt")
    (scribe.root / "solto.txt").write_text("Solto.\n")
    done = scribe.append(NOTE, "Linha.")
    assert scribe.dirt() == "A  preparado.txt\n?? solto.txt\n"
    assert scribe.git("show", "--name-only", "--format=", done.commit).split() == ["log.md", NOTE]


def test_an_edit_of_the_note_is_committed_as_the_persons_before_ours(scribe):
    (scribe.root / NOTE).write_text(scribe.text() + "\nÀ mão.\n")
    scribe.append(NOTE, "Linha.")
    authors = scribe.log("%an|%s")
    assert authors[0].startswith("claude-code|update concept")
    assert authors[1] == f"Ana|Edit {NOTE}"
    assert "À mão." in scribe.git("show", f"HEAD~1:{NOTE}")
    assert "Linha." not in scribe.git("show", f"HEAD~1:{NOTE}")
    scribe.assert_whole()


def test_a_staged_edit_of_the_note_is_taken_in_with_it(scribe):
    (scribe.root / NOTE).write_text(scribe.text() + "\nPreparado.\n")
    scribe.git("add", NOTE)
    (scribe.root / NOTE).write_text(scribe.text() + "\nDepois.\n")
    scribe.append(NOTE, "Linha.")
    assert "Preparado." in scribe.git("show", f"HEAD~1:{NOTE}")
    scribe.assert_whole()


@pytest.mark.parametrize("form", ["plain", "version 4", "split", "long name", "first commit"])
def test_a_text_that_was_staged_and_changed_again_is_in_history_before_ours(scribe, form):
    note = f"wiki/concepts/{'a' * 190}.md" if form == "long name" else NOTE
    if form == "first commit":
        scribe.git("checkout", "--quiet", "--orphan", "outro")
        scribe.git("rm", "--quiet", "-r", "--cached", ".")
        (scribe.root / "log.md").unlink()
    elif form == "long name":
        scribe.create(note, "Longa.")
    elif form == "version 4":
        scribe.git("update-index", "--index-version", "4")
    elif form == "split":
        scribe.git("update-index", "--split-index")
    whole = scribe.text(note)
    (scribe.root / note).write_text(whole + "\nSó no preparo.\n")
    scribe.git("add", note)
    (scribe.root / note).write_text(whole + "\nSó na pasta.\n")
    scribe.append(note, "Linha do agente.")
    assert scribe.log("%an|%s")[1:3] == [f"Ana|Edit {note}", f"Ana|Stage {note}"]
    assert "Só no preparo." in scribe.git("show", f"HEAD~2:{note}")
    assert "Só na pasta." in scribe.git("show", f"HEAD~1:{note}")
    assert "Só no preparo." not in scribe.git("show", f"HEAD~1:{note}")
    assert {"Só na pasta.", "Linha do agente."} <= set(scribe.committed(note).splitlines())
    if form != "first commit":
        scribe.assert_whole()


def test_a_text_that_was_staged_and_deleted_from_the_folder_is_in_history(scribe):
    (scribe.root / NOTE).write_text(scribe.text() + "\nSó no preparo.\n")
    scribe.git("add", NOTE)
    (scribe.root / NOTE).unlink()
    scribe.create(NOTE, "De novo.")
    assert "Só no preparo." in scribe.git("log", "-p", "--format=", "--", NOTE)
    scribe.assert_whole()


def test_a_staged_text_that_history_has_already_makes_no_commit(scribe):
    old = scribe.text()
    scribe.append(NOTE, "Uma.")
    now = scribe.text()
    (scribe.root / NOTE).write_text(old)
    scribe.git("add", NOTE)
    (scribe.root / NOTE).write_text(now)
    scribe.append(NOTE, "Duas.")
    assert not [line for line in scribe.log("%s") if line.startswith(("Stage", "Edit"))]


def test_a_staged_text_that_may_hold_a_secret_is_neither_committed_nor_lost(scribe):
    token = "ghp_" + "".join(chr(97 + number % 26) + str(number % 10) for number in range(18))
    whole = scribe.text()
    (scribe.root / NOTE).write_text(whole + f"\nChave {token}\n")
    scribe.git("add", NOTE)
    (scribe.root / NOTE).write_text(whole)
    before = scribe.head(), scribe.git("ls-files", "--stage")
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "secret_detected"
    assert token not in raised.value.message
    assert (scribe.head(), scribe.git("ls-files", "--stage")) == before


def test_a_note_with_two_versions_to_decide_on_is_left_alone(scribe):
    whole = scribe.text()
    (scribe.root / NOTE).write_text(whole + "\nGuardada.\n")
    scribe.git("stash")
    (scribe.root / NOTE).write_text(whole + "\nOutra.\n")
    scribe.git("commit", "--quiet", "--all", "--message", "Outra")
    with pytest.raises(Exception, match="stash"):
        scribe.git("stash", "pop")
    before = scribe.git("ls-files", "--stage"), scribe.text(), scribe.head()
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "conflict"
    assert "git add" in raised.value.next_step
    assert (scribe.git("ls-files", "--stage"), scribe.text(), scribe.head()) == before


def test_an_edit_that_may_hold_a_secret_is_not_committed(scribe):
    token = "ghp_" + "".join(chr(97 + number % 26) + str(number % 10) for number in range(18))
    edited = scribe.text() + f"\nChave {token}\n"
    (scribe.root / NOTE).write_text(edited)
    before = scribe.head()
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "secret_detected"
    assert token not in raised.value.message
    assert scribe.head() == before
    assert scribe.text() == edited


def test_a_log_that_was_edited_by_hand_is_kept(scribe):
    scribe.append(NOTE, "Uma.")
    (scribe.root / "log.md").write_text(scribe.text("log.md") + "Uma palavra minha, sem fim de linha")
    scribe.append(NOTE, "Duas.")
    lines = scribe.text("log.md").splitlines()
    assert "Uma palavra minha, sem fim de linha" in lines
    assert len([one for one in lines if "update concept" in one]) == 2
    assert scribe.log("%an|%s")[1] == "Ana|Edit log.md"
    scribe.assert_whole()


def test_a_log_that_was_deleted_begins_again(scribe):
    (scribe.root / "log.md").unlink()
    scribe.append(NOTE, "Linha.")
    assert scribe.text("log.md").startswith("# Log\n\n- ")
    scribe.assert_whole()


def test_the_turn_of_the_month_moves_the_older_lines(scribe):
    archive = scribe.root / "log" / "2025-01.md"
    archive.parent.mkdir()
    archive.write_text("# Log 2025-01\n\n- 2025-01-02 10:00 · add concept: Antiga\n")
    (scribe.root / "log.md").write_text(
        "# Log\n\nMinha frase.\n- 2025-01-03 11:00 · outra\n- 2025-02-01 09:00 · mais\n"
    )
    scribe.brain.commit()
    archive.write_text(archive.read_text() + "Nota minha\n")
    done = scribe.append(NOTE, "Linha.")
    assert scribe.text("log/2025-01.md").endswith("Antiga\nNota minha\n- 2025-01-03 11:00 · outra\n")
    assert scribe.text("log/2025-02.md") == "# Log 2025-02\n\n- 2025-02-01 09:00 · mais\n"
    assert scribe.text("log.md").startswith("# Log\n\nMinha frase.\n- 20")
    assert scribe.text("log.md").count("\n- ") == 1
    assert scribe.log("%an|%s")[1] == "Ana|Edit log/2025-01.md"
    scribe.call("undo", op=done.op)
    assert scribe.text("log/2025-02.md") == "# Log 2025-02\n\n- 2025-02-01 09:00 · mais\n"
    scribe.assert_whole()


def test_a_note_whose_deletion_is_not_committed_is_made_anew_after_it(scribe):
    (scribe.root / NOTE).unlink()
    with pytest.raises(BrainError) as raised:
        scribe.append(NOTE, "Linha.")
    assert raised.value.code == "not_found"
    scribe.create(NOTE, "De novo.")
    assert scribe.log("%an|%s")[1] == f"Ana|Edit {NOTE}"
    assert NOTE not in scribe.git("ls-tree", "-r", "--name-only", "HEAD~1")
    scribe.assert_whole()


def test_a_save_in_the_very_moment_of_the_write_is_not_overwritten(scribe, monkeypatch):
    from brain.store import placing

    real = placing.Placement.place

    def place(self: Any) -> None:
        (scribe.root / NOTE).write_text("Salvo agora.\n")
        real(self)

    with monkeypatch.context() as patch:
        patch.setattr(placing.Placement, "place", place)
        with pytest.raises(BrainError) as raised:
            scribe.append(NOTE, "Linha.")
    assert raised.value.code == "conflict"
    assert scribe.text() == "Salvo agora.\n"
    assert scribe.leftovers() == []


def test_a_switch_of_branches_in_the_middle_is_a_conflict(scribe, monkeypatch):
    real = committing.Commit.finish

    def finish(self: Any) -> str:
        heads = scribe.root / ".git" / "refs" / "heads"
        (heads / "outra").write_text((heads / "main").read_text())
        (scribe.root / ".git" / "HEAD").write_text("ref: refs/heads/outra\n")
        return real(self)

    with monkeypatch.context() as patch:
        patch.setattr(committing.Commit, "finish", finish)
        with pytest.raises(BrainError) as raised:
            scribe.append(NOTE, "Linha.")
    assert raised.value.code == "conflict"
    scribe.assert_whole()


def test_a_commit_of_another_tool_in_the_middle_is_a_conflict_or_built_on(scribe, monkeypatch):
    real = committing.Commit.finish

    def finish(self: Any) -> str:
        scribe.git("commit", "--quiet", "--allow-empty", "--message", "Meu")
        return real(self)

    before = scribe.head()
    with monkeypatch.context() as patch:
        patch.setattr(committing.Commit, "finish", finish)
        patch.setattr(git_locks, "WAIT_SECONDS", 0.3)
        try:
            scribe.append(NOTE, "Linha.")
        except (BrainError, subprocess.CalledProcessError):
            assert "Linha." not in scribe.text()
    assert before in scribe.log("%H")
    scribe.append(NOTE, "Depois.")
    scribe.assert_whole()


# --- names


@pytest.mark.parametrize(
    "path",
    [
        "-x.md",
        "--force.md",
        "wiki/concepts/com espaço.md",
        "wiki/concepts/d'água.md",
        "wiki/concepts/[colchetes].md",
        "wiki/concepts/$HOME.md",
        "wiki/concepts/ação 🚀 日本.md",
    ],
)
def test_an_odd_name_is_a_name_like_any_other(scribe, path):
    first = scribe.create(path, "Uma.")
    scribe.append(path, "Duas.")
    (scribe.root / path).write_text(scribe.text(path) + "\nTrês.\n")
    scribe.append(path, "Quatro.")
    scribe.assert_whole()
    assert all(word in scribe.git("show", f"HEAD:{path}") for word in ("Uma.", "Duas.", "Três.", "Quatro."))
    with pytest.raises(BrainError):
        scribe.call("undo", op=first.op)


def test_a_hand_made_file_with_a_leading_dash_is_appended_to(scribe):
    for name in ("-x.md", "--force.md", '"aspas".md'):
        scribe.brain.write(name, "Texto.\n")
    scribe.brain.commit()
    for name in ("-x.md", "--force.md"):
        scribe.append(name, "Linha.")
    scribe.assert_whole()


def test_a_brain_in_a_folder_with_a_quote_recovers_its_locks(scribe):
    said = f"fatal: Unable to create '{scribe.root}/d'água/.git/index.lock': File exists."
    assert git_locks.named_in(said) == scribe.root / "d'água" / ".git" / "index.lock"
    said = "fatal: commit: cannot lock ref 'refs/heads/main': Unable to create '/b/.git/refs/heads/main.lock': File exists."
    assert git_locks.named_in(said) == Path("/b/.git/refs/heads/main.lock")


def test_a_paused_process_is_not_a_dead_one(scribe, git_at_work):
    git_at_work.send_signal(signal.SIGSTOP)
    try:
        assert git_locks.worked_on(scribe.root)
    finally:
        git_at_work.send_signal(signal.SIGCONT)


# --- Git's own index, damaged


def _cut(index: bytes) -> bytes:
    return index[: len(index) // 2]


def _turned(index: bytes) -> bytes:
    return index[:20] + bytes([index[20] ^ 0xFF]) + index[21:]


DAMAGES = [_cut, _turned, lambda _index: b"", lambda index: bytes(reversed(index)), lambda index: index[:100]]
DAMAGE_NAMES = ["cut in half", "a byte turned", "empty", "noise", "a hundred bytes"]


@pytest.mark.parametrize("damage", DAMAGES, ids=DAMAGE_NAMES)
def test_a_damaged_index_is_named_with_what_mends_it_and_nothing_is_lost(scribe, damage):
    scribe.append(NOTE, "Antes.")
    own = scribe.brain.write("wiki/concepts/Da pessoa.md", "Da pessoa.\n")
    index = scribe.root / ".git" / "index"
    index.write_bytes(damage(index.read_bytes()))
    broken, text, head = index.read_bytes(), scribe.text(), scribe.head()

    for write in (
        lambda: scribe.append(NOTE, "Linha."),
        lambda: scribe.call("undo"),
        lambda: scribe.create("a.md", "x"),
    ):
        with pytest.raises(BrainError) as raised:
            write()
        assert raised.value.code == "git_failed"
        assert "index, is damaged" in raised.value.message
        assert "git reset" in raised.value.next_step
    assert (index.read_bytes(), scribe.text(), scribe.head()) == (broken, text, head)
    assert "Fila" in [hit.title for hit in scribe.call("search", query="fila").hits]
    assert [one.id for one in whole.told_by(whole.repository)] == ["git_failed"]

    index.unlink()
    scribe.git("reset", "--quiet")
    scribe.append(NOTE, "Depois.")
    assert own.read_text() == "Da pessoa.\n"
    own.unlink()
    scribe.assert_whole()


def test_an_index_that_git_writes_without_a_digest_is_sound(scribe):
    scribe.git("config", "index.skipHash", "true")
    scribe.append(NOTE, "Uma.")
    index = scribe.root / ".git" / "index"
    index.write_bytes(index.read_bytes()[:-20] + b"\0" * 20)
    scribe.append(NOTE, "Outra.")
    scribe.assert_whole()


# --- what a write that was killed left among the objects


def test_half_stored_objects_of_a_dead_write_go_and_those_of_git_stay(scribe):
    scribe.append(NOTE, "Antes.")
    objects = scribe.root / ".git" / "objects"
    (objects / "aa").mkdir(exist_ok=True)
    ours, gits = objects / "aa" / "tmp_obj_0123456789ab", objects / "aa" / "tmp_obj_Xy12Za"
    for file in (ours, gits):
        file.write_bytes(b"x")
    (scribe.root / ".cabecao" / "tmp" / "write-left").write_text("x")
    workplace.recover()

    assert not ours.exists()
    assert gits.exists()
    scribe.append(NOTE, "Depois.")


def test_an_object_that_cannot_be_stored_is_not_named(scribe, monkeypatch):
    def refuse(place, *_rest, **_named):
        if "tmp_obj_" in str(place):
            raise PermissionError(errno.EACCES, "Permission denied", str(place))
        return real(place, *_rest, **_named)

    real = os.open
    monkeypatch.setattr(os, "open", refuse)
    error = refused(scribe, "git_failed", "objects")
    assert "tmp_obj" not in error.message
