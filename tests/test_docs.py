"""The documentation is true: its commands run, its targets exist, its links lead somewhere."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")])
CONSOLE = re.compile(r"^```console\n(.*?)^```", re.MULTILINE | re.DOTALL)
README = [
    line for block in CONSOLE.findall((ROOT / "README.md").read_text(encoding="utf-8")) for line in block.splitlines()
]


@pytest.fixture(scope="module")
def example(tmp_path_factory):
    home = tmp_path_factory.mktemp("home")
    env = {name: value for name, value in os.environ.items() if not name.startswith(("CABECAO_", "GIT_"))}
    env |= {"HOME": str(home), "XDG_CONFIG_HOME": str(home / ".config"), "GIT_CONFIG_GLOBAL": str(home / ".gitconfig")}

    def cabecao(*arguments):
        command = (sys.executable, "-m", "cabecao_site.cli", *arguments)
        env["PYTHONPATH"] = str(ROOT)
        return subprocess.run(
            command, cwd=home, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
        )

    made = cabecao("init", str(home / "exemplo"), "--example", "--yes")
    assert made.returncode == 0, made.stderr
    return cabecao


@pytest.mark.parametrize("line", [line for line in README if line.startswith("make")])
def test_a_make_target_of_the_readme_exists(line):
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    assert line.split()[1] in targets


COMMANDS = [line for line in README if line.startswith("cabecao") and line.split()[1] not in {"init", "start"}]
ENDS_WITH = {"llm on": 4, "ask": 5}  # without a person there, and while answers are off


@pytest.mark.parametrize("line", COMMANDS)
def test_a_command_of_the_readme_works_on_the_example(line, example):
    done = example(*shlex.split(line)[1:])
    wanted = next((code for name, code in ENDS_WITH.items() if line.startswith(f"cabecao {name}")), 0)
    assert done.returncode == wanted, done.stderr


def test_the_readme_shows_commands():
    assert len(COMMANDS) >= 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_a_link_of_the_docs_leads_to_a_file(page):
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = re.findall(r"\]\(([^)#\s]+)", text)
    missing = [target for target in targets if "://" not in target and not (page.parent / target).exists()]
    assert not missing


def test_every_decision_says_its_date_and_state():
    for page in (ROOT / "docs" / "decisions").glob("0*.md"):
        assert re.search(r"^Date: \d{4}-\d{2}-\d{2}\. Status: \w+", page.read_text(encoding="utf-8"), re.MULTILINE), (
            page.name
        )
