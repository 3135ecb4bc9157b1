from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from brain.errors import InvalidConfig, NotABrain
from cabecao_site.cli import brains

pytestmark = pytest.mark.usefixtures("in_english")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make(tmp_path / "um")


def make(root: Path) -> Path:
    root.mkdir()
    (root / ".cabecao.json").write_text('{"schema_version": 1}')
    return root


def test_without_any_brain_the_error_says_how_to_make_one(tmp_path):
    with pytest.raises(NotABrain) as raised:
        brains.choose(None, start=tmp_path)
    assert "cabecao start" in raised.value.next_step


def test_the_option_wins_over_the_environment_which_wins_over_the_folder(folder, tmp_path, monkeypatch):
    other, third = make(tmp_path / "dois"), make(tmp_path / "tres")
    inner = folder / "wiki" / "entities"
    inner.mkdir(parents=True)
    brains.register(third)
    assert brains.choose(None, start=tmp_path) == third
    assert brains.choose(None, start=inner) == folder
    monkeypatch.setenv("CABECAO_BRAIN", str(other))
    assert brains.choose(None, start=inner) == other
    assert brains.choose(str(third), start=inner) == third


def test_a_brain_is_chosen_by_its_name_and_the_environment_may_name_one_too(folder, monkeypatch):
    assert brains.register(folder, "trabalho") == "trabalho"
    assert brains.choose("trabalho") == folder
    monkeypatch.setenv("CABECAO_BRAIN", "trabalho")
    assert brains.choose(None) == folder


def test_what_is_no_name_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    assert brains.choose("nada") == Path("nada")
    assert brains.choose("./um") == Path("um")
    assert brains.choose("~/um") == tmp_path / "um"


def test_the_first_brain_is_the_default_and_a_second_with_its_name_gets_a_number(folder, tmp_path):
    (tmp_path / "x").mkdir()
    twin = make(tmp_path / "x" / "um")
    assert (brains.register(folder), brains.register(twin)) == ("um", "um-2")
    known = brains.registry()
    assert known.default == "um"
    assert known.folders == {"um": folder, "um-2": twin}


def test_registering_again_keeps_the_name_and_a_new_name_replaces_it(folder):
    brains.register(folder)
    assert brains.register(folder) == "um"
    assert brains.register(folder, "meu caderno") == "meu-caderno"
    known = brains.registry()
    assert (known.default, list(known.folders)) == ("meu-caderno", ["meu-caderno"])


@pytest.mark.parametrize("text", ["{", "[]", '{"brains": 3}', "\x00"])
def test_a_damaged_list_is_an_error_and_is_never_replaced(folder, text):
    brains.file().parent.mkdir(parents=True)
    brains.file().write_text(text)
    with pytest.raises(InvalidConfig):
        brains.registry()
    with pytest.raises(InvalidConfig):
        brains.register(folder)
    assert brains.file().read_text() == text


def test_a_default_that_is_no_name_is_none(folder):
    brains.file().parent.mkdir(parents=True)
    brains.file().write_text(json.dumps({"default": "x", "brains": {"um": str(folder)}}))
    assert brains.registry().default is None


def test_the_language_of_the_settings_is_found_and_a_brain_that_cannot_be_read_has_none(folder, tmp_path):
    (folder / ".cabecao.json").write_text('{"schema_version": 1, "language": "en"}')
    assert brains.setting_of_language(str(folder)) == "en"
    (folder / ".cabecao.json").write_text("{")
    assert brains.setting_of_language(str(folder)) is None
    assert brains.setting_of_language(str(tmp_path / "nada")) is None


def test_brains_lists_names_folders_and_the_default(folder, tmp_path, call):
    assert "cabecao init" in call("brains").err
    brains.register(folder)
    brains.register(make(tmp_path / "dois"))
    (tmp_path / "dois" / ".cabecao.json").unlink()
    (tmp_path / "dois").rmdir()
    listed = json.loads(call("brains", "--json").out)["brains"]
    assert listed == [
        {"name": "dois", "path": str(tmp_path / "dois"), "default": False, "exists": False},
        {"name": "um", "path": str(folder), "default": True, "exists": True},
    ]
    shown = call("brains").out
    assert "um" in shown
    assert "gone" in shown


def test_a_control_character_is_refused_and_nothing_is_written(cli, made_brain):
    def head():
        return subprocess.run(["git", "rev-parse", "HEAD"], cwd=made_brain, check=True, capture_output=True).stdout

    before = head()
    ended = cli.run("--brain", str(made_brain), "remember", "--type", "gotcha", "--json", typed="Uma \x1b[31mcor\x00.")
    assert (ended.code, json.loads(ended.out)["error"]["code"]) == (2, "invalid_argument")
    assert head() == before
