from __future__ import annotations

import sys

import pytest
from command_line import CommandLine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="a pseudo-terminal is wanted")


def test_open_is_for_a_person_at_a_terminal(cli: CommandLine, made_brain):
    script = cli.run("--brain", str(made_brain), "open", "--no-browser")
    agent = cli.run("--brain", str(made_brain), "open", "--no-browser", person=True, CABECAO_AGENT="ajudante")
    person = cli.run("--brain", str(made_brain), "open", "--no-browser", person=True)
    assert (script.code, agent.code) == (4, 4)
    assert person.code == 1
    assert "cabecao start" in person.err


def test_a_person_without_colour_gets_no_escape_code(cli: CommandLine, made_brain):
    assert "\x1b[" in cli.run("--brain", "nada", "status", person=True).err
    assert "\x1b[" not in cli.run("--brain", "nada", "status", person=True, NO_COLOR="1").err
    assert "\x1b[" not in cli.run("--brain", "nada", "status", person=True, TERM="dumb").err


def test_adopting_a_folder_asks_the_person_and_no_changes_nothing(cli: CommandLine, tmp_path):
    folder = tmp_path / "cheia"
    folder.mkdir()
    (folder / "nota.md").write_text("Oi.\n")
    refused = cli.run("init", str(folder), person=True, typed="n\n")
    assert refused.code == 1
    assert [one.name for one in folder.iterdir()] == ["nota.md"]
    agreed = cli.run("init", str(folder), person=True, typed="s\n")
    assert agreed.code == 0
    assert (folder / ".cabecao.json").is_file()
    assert (folder / "nota.md").read_text() == "Oi.\n"


def test_adopting_a_folder_without_a_terminal_wants_yes(cli: CommandLine, tmp_path):
    folder = tmp_path / "cheia"
    folder.mkdir()
    (folder / "nota.md").write_text("Oi.\n")
    ended = cli.run("init", str(folder))
    assert ended.code == 3
    assert "--yes" in ended.err
    assert [one.name for one in folder.iterdir()] == ["nota.md"]
    assert cli.run("init", str(folder), "--yes").code == 0
