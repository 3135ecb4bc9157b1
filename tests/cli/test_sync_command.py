"""`cabecao sync`: exit codes, what a person reads, and the steps that a program is told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest


@pytest.fixture
def remote(made_brain: Path, tmp_path: Path) -> Path:
    bare = tmp_path / "remoto.git"
    subprocess.run(["git", "init", "-q", "--bare", "--initial-branch=main", str(bare)], check=True)
    subprocess.run(["git", "remote", "add", "origin", str(bare)], cwd=made_brain, check=True)
    return bare


def test_a_sync_that_is_well_ends_with_nought_and_one_json_line(cli, made_brain, remote):
    ended = cli.run("--brain", str(made_brain), "sync", "--json")
    assert ended.code == 0, ended.err
    told = json.loads(ended.out)
    assert (told["status"], told["integration"]) == ("ok", "published")
    assert cli.run("--brain", str(made_brain), "sync", "--lang", "en").code == 0


def test_a_sync_that_is_not_well_ends_with_one_and_says_the_next_step(cli, made_brain):
    ended = cli.run("--brain", str(made_brain), "sync", "--lang", "en")
    assert ended.code == 1
    assert "git remote add origin" in ended.out + ended.err


def test_a_program_that_asks_is_told_the_steps(cli, made_brain, remote):
    ended = cli.run("--brain", str(made_brain), "sync", "--json", CABECAO_PROGRESS_LINES="1")
    steps = [json.loads(line) for line in ended.err.splitlines() if line.startswith("{")]
    assert [one["done"] for one in steps] == sorted({one["done"] for one in steps})
    assert all(one["total"] == 5 and one["step"] for one in steps)


def test_a_person_at_a_terminal_sees_how_it_went(cli, made_brain, remote):
    ended = cli.run("--brain", str(made_brain), "sync", "--lang", "en", person=True)
    assert ended.code == 0
    assert "sent" in ended.out + ended.err


def test_a_clone_sends_nothing_of_its_own_machine(cli, made_brain, remote, tmp_path):
    assert cli.run("--brain", str(made_brain), "sync").code == 0
    clone = tmp_path / "outra"
    subprocess.run(["git", "clone", "-q", str(remote), str(clone)], check=True)
    before = _git(clone, "rev-parse", "HEAD")
    for _ in range(2):
        told = json.loads(cli.run("--brain", str(clone), "sync", "--json").out)
        assert (told["status"], told["committed"], told["pushed"]) == ("ok", 0, 0)
    assert (clone / ".cabecao" / "django.key").exists()
    (clone / ".cabecao" / ".gitignore").unlink()
    assert json.loads(cli.run("--brain", str(clone), "sync", "--json").out)["committed"] == 0
    assert _git(remote, "rev-parse", "HEAD") == before


def _git(folder: Path, *words: str) -> str:
    return subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
