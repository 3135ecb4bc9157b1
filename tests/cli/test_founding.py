from __future__ import annotations

import json
import subprocess

import pytest
from command_line import CommandLine


def test_init_makes_a_brain_and_keeps_its_name(cli: CommandLine, tmp_path):
    ended = cli.run("init", str(tmp_path / "notas"), "--name", "trabalho", "--json")
    made = json.loads(ended.out)
    assert ended.code == 0
    assert (made["root"], made["name"]) == (str(tmp_path / "notas"), "trabalho")
    listed = json.loads(cli.run("brains", "--json").out)["brains"]
    assert [(one["name"], one["default"]) for one in listed] == [("trabalho", True)]


def test_init_leaves_an_index_and_records_behind(made_brain):
    assert {"index.db", "state.db", "audit.db"} <= {one.name for one in (made_brain / ".cabecao").iterdir()}


def test_a_second_init_changes_nothing_and_keeps_the_name(cli: CommandLine, made_brain):
    before = {file: file.read_bytes() for file in made_brain.rglob("*.md")}
    ended = cli.run("init", str(made_brain), "--yes", "--json")
    assert json.loads(ended.out)["name"] == "notas"
    assert {file: file.read_bytes() for file in made_brain.rglob("*.md")} == before


def test_where_the_list_of_brains_is_damaged_the_brain_is_made_all_the_same(cli: CommandLine, tmp_path):
    listing = cli.home / ".config" / "cabecao" / "brains.json"
    listing.parent.mkdir(parents=True)
    listing.write_text("{")
    ended = cli.run("init", str(tmp_path / "notas"), "--yes")
    assert ended.code == 0
    assert "brains.json" in ended.err
    assert listing.read_text() == "{"


def test_a_folder_that_is_no_brain_is_an_error_and_stays_empty(cli: CommandLine, tmp_path):
    empty = tmp_path / "vazia"
    empty.mkdir()
    for command in ("status", "serve", "reindex", "worker", "start"):
        ended = cli.run("--brain", str(empty), command, "--json")
        assert ended.code == 1
        assert json.loads(ended.out)["error"]["code"] == "not_a_brain"
    assert list(empty.iterdir()) == []


def test_start_never_fills_a_folder_that_holds_something_else(cli: CommandLine):
    folder = cli.home / "cabecao"
    folder.mkdir()
    (folder / "receitas.txt").write_text("Bolo.")
    ended = cli.run("start", "--no-browser", "--json")
    assert ended.code == 1
    assert json.loads(ended.out)["error"]["code"] == "already_exists"
    assert [one.name for one in folder.iterdir()] == ["receitas.txt"]


@pytest.mark.parametrize("words", [("",), ("  ", "--yes"), ("--yes",), ()])
def test_init_takes_no_folder_that_nobody_named(cli: CommandLine, tmp_path, words):
    here = tmp_path / "aqui"
    here.mkdir()
    (here / "nota.md").write_text("Minha.")
    ended = cli.run("init", *words, "--json", cwd=here)
    assert (ended.code, json.loads(ended.out)["error"]["code"]) == (2, "invalid_argument")
    assert [one.name for one in here.iterdir()] == ["nota.md"]


def test_a_dot_names_this_folder(cli: CommandLine, tmp_path):
    assert cli.run("init", ".", "--yes", cwd=tmp_path).code == 0
    assert (tmp_path / ".cabecao.json").exists()


@pytest.mark.parametrize("inside", ["", "objects"])
def test_a_bare_repository_is_no_folder_for_notes(cli: CommandLine, tmp_path, inside):
    bare = tmp_path / "notas.git"
    subprocess.run(["git", "init", "--quiet", "--bare", str(bare)], check=True)
    before = sorted(bare.rglob("*"))
    ended = cli.run("init", str(bare / inside), "--yes", "--json", CABECAO_LANG="en")
    assert (ended.code, json.loads(ended.out)["error"]["code"]) == (2, "invalid_argument")
    assert "bare" in json.loads(ended.out)["error"]["message"]
    assert sorted(bare.rglob("*")) == before
