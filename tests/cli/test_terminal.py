from __future__ import annotations

import io
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cabecao_site.cli import progress, terminal
from cabecao_site.cli.terminal import Terminal

pytestmark = pytest.mark.usefixtures("in_english")


class Screen(io.TextIOWrapper):
    def __init__(self, *, is_terminal: bool = True, encoding: str = "utf-8") -> None:
        super().__init__(io.BytesIO(), encoding=encoding, write_through=True)
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal

    @property
    def shown(self) -> str:
        return self.buffer.getvalue().decode(self.encoding)


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def at(**settings: Any) -> Terminal:
    return Terminal(out=settings.pop("out", Screen()), err=settings.pop("err", Screen()), **settings)


@pytest.mark.parametrize(
    ("environment", "color", "is_terminal", "wanted"),
    [
        ({}, "auto", True, True),
        ({}, "auto", False, False),
        ({"TERM": "dumb"}, "auto", True, False),
        ({"NO_COLOR": "1"}, "always", True, False),
        ({"FORCE_COLOR": "1"}, "never", True, False),
        ({"FORCE_COLOR": "1"}, "auto", False, True),
        ({}, "always", False, True),
        ({"NO_COLOR": ""}, "auto", True, True),
    ],
)
def test_who_decides_about_colour(monkeypatch, environment, color, is_terminal, wanted):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    screen = Screen(is_terminal=is_terminal)
    shown = at(color=color, out=screen)
    shown.say(shown.style("x", terminal.BOLD))
    assert ("\x1b[" in screen.shown) is wanted


def test_json_never_has_colour_nor_notices():
    out, err = Screen(), Screen()
    shown = at(as_json=True, out=out, err=err, color="always")
    shown.note("aside")
    shown.say_json({"a": shown.style("ç", "1")})
    assert out.shown == '{"a": "ç"}\n'
    assert err.shown == ""


def test_where_a_sign_cannot_be_shown_a_word_stands_and_nothing_fails():
    out = Screen(encoding="iso-8859-1")
    shown = at(out=out, color="never")
    assert [shown.mark(one) for one in ("ok", "warning", "error")] == ["ok", "warning", "error"]
    shown.say("日本 é")
    shown.say_json({"a": "日本"})
    assert out.shown == '?? é\n{"a": "\\u65e5\\u672c"}\n'


def test_an_error_without_a_next_step_has_two_lines():
    err = Screen(is_terminal=False)
    at(err=err).fail({"message": "It broke."}, why="Nothing was changed.")
    assert err.shown.splitlines() == ["✗ It broke.", "  Nothing was changed."]


@pytest.mark.parametrize(
    ("typed", "default", "wanted"),
    [("s\n", False, True), ("Y\n", False, True), ("sim\n", False, True), ("n\n", True, False), ("\n", True, True),
     ("\n", False, False), ("", True, False), ("what\nyes\n", False, True)],
)  # fmt: skip
def test_answers_in_both_languages_count_and_the_end_of_input_is_a_no(monkeypatch, typed, default, wanted):
    answers = Screen()
    answers.buffer.write(typed.encode())
    answers.buffer.seek(0)
    monkeypatch.setattr("sys.stdin", answers)
    err = Screen()
    assert at(err=err).confirm("Go on?", default=default) is wanted
    assert err.shown.startswith("Go on? [Y/n]" if default else "Go on? [y/N]")


def test_nobody_is_asked_without_a_terminal_or_with_no_input(monkeypatch):
    monkeypatch.setattr("sys.stdin", Screen(is_terminal=False))
    assert at().confirm("?", default=True) is False
    monkeypatch.setattr("sys.stdin", Screen())
    assert at(ask=False).confirm("?", default=True) is False
    assert at(as_json=True).confirm("?", default=True) is False
    monkeypatch.setattr("sys.stdin", None)
    assert at().confirm("?", default=True) is False


def test_a_narrow_terminal_gets_fields_instead_of_columns(monkeypatch):
    rows = [("a", "/x"), ("日本", "/y")]
    assert at(color="never").table(rows, ("name", "folder")) == "name  folder\na     /x\n日本  /y"
    monkeypatch.setenv("COLUMNS", "40")
    assert at(color="never").table(rows, ("name", "folder")) == "name: a\nfolder: /x\n\nname: 日本\nfolder: /y"
    assert at(out=Screen(is_terminal=False)).width == 80


@given(st.text())
def test_no_text_brings_a_control_sign_to_the_terminal(text):
    shown = terminal.clean(text)
    assert not any(ord(sign) < 32 and sign not in "\n\t" for sign in shown)
    assert not any(0x7F <= ord(sign) < 0xA0 for sign in shown)


def test_own_colours_stay_and_a_notes_do_not():
    assert terminal.clean("\x1b[1mT\x1b[0m \x1b[2J \x1b]0;x\x07", styled=True) == "\x1b[1mT\x1b[0m [2J ]0;x"


def test_progress_without_a_terminal_is_a_line_at_the_start_and_one_at_the_end():
    err = Screen(is_terminal=False)
    with progress.Progress("Work", at(err=err)) as work:
        for done in range(100):
            work.advance(done + 1, 100)
    assert err.shown.splitlines()[0] == "Work …"
    assert err.shown.splitlines()[1].startswith("Work: 100 in ")
    assert len(err.shown.splitlines()) == 2


@pytest.mark.parametrize("settings", [{"quiet": True}, {"as_json": True}])
def test_progress_is_silent_with_quiet_and_json(settings):
    err = Screen()
    with progress.Progress("Work", at(err=err, **settings)) as work:
        work.advance(1, 2)
    assert err.shown == ""


def test_progress_on_a_terminal_draws_a_bar_once_it_takes_long(monkeypatch):
    err = Screen()
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 3600.0)
    with progress.Progress("Work", at(err=err)) as work:
        work.advance(1, 2)
        assert err.shown == ""
    monkeypatch.setattr(progress, "PATIENCE_SECONDS", 0.0)
    drawn = Screen()
    with progress.Progress("Work", at(err=drawn)) as work:
        work.advance(1, 2)
        work.advance(2, 2)
    assert "2/2" in drawn.shown


def test_a_line_and_its_end_are_written_at_once():
    written = []

    class Stream:
        write = staticmethod(written.append)
        flush = staticmethod(lambda: None)

    terminal.write_line(Stream(), "um endereço")

    assert written == ["um endereço\n"]


def test_an_interrupt_while_the_command_line_is_loaded_ends_it_quietly():
    code = (
        "import sys\n"
        "class Interrupted:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'cabecao_site.cli.__main__':\n"
        "            raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupted())\n"
        "from cabecao_site.cli.entry import main\n"
        "raise SystemExit(main())\n"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)

    assert (ended.returncode, ended.stderr) == (130, "")
