"""A home of its own for each test, and the command line in it or in this process."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from command_line import CommandLine, Ended

import brain.caller
from brain import config, language
from brain.caller import Caller, Kind, Surface
from cabecao_site.cli.__main__ import main


@pytest.fixture
def cli(tmp_path: Path) -> CommandLine:
    home = tmp_path / "home"
    home.mkdir()
    (home / ".gitconfig").write_text(
        "[user]\n\tname = Ana\n\temail = ana@example.org\n[init]\n\tdefaultBranch = main\n"
    )
    return CommandLine(home)


@pytest.fixture
def made_brain(cli: CommandLine, tmp_path: Path) -> Path:
    """A brain made by init, known as `notas`."""
    root = tmp_path / "notas"
    ended = cli.run("init", str(root), "--yes")
    assert ended.code == 0, ended.err
    return root


@pytest.fixture
def in_english(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[None]:
    """This process speaks English, knows no brain, and forgets afterwards what a command set."""
    monkeypatch.setenv("CABECAO_LANG", "en")
    monkeypatch.delenv("CABECAO_BRAIN", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    yield
    language.configure(None)
    config.leave()


@pytest.fixture
def call(in_english: None, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ended]:
    """Run a command line in this process."""

    def run(*words: str) -> Ended:
        code = main(words)
        shown = capsys.readouterr()
        return Ended(code, shown.out, shown.err)

    return run


@pytest.fixture
def person(monkeypatch: pytest.MonkeyPatch) -> Caller:
    found = Caller(kind=Kind.HUMAN, client="cli", surface=Surface.CLI)
    monkeypatch.setattr(brain.caller, "of_command_line", lambda: found)
    return found


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Caller:
    found = Caller(kind=Kind.AGENT, client="script", surface=Surface.CLI)
    monkeypatch.setattr(brain.caller, "of_command_line", lambda: found)
    return found
