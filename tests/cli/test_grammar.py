from __future__ import annotations

import json
import subprocess
import sys

import pytest
from command_line import CommandLine

from brain.operations import OPERATIONS
from cabecao_site.cli import commands, parser
from cabecao_site.cli.commands import COMMANDS, GROUPS


def test_each_operation_of_the_catalogue_is_a_command_and_no_other_command_claims_to_be_one():
    assert {one.name for one in COMMANDS if one.is_operation} == {operation.command for operation in OPERATIONS}


def test_each_command_has_a_group_a_sentence_examples_and_functions():
    for command in COMMANDS:
        module = __import__(command.module, fromlist=["_"])
        assert command.group in GROUPS
        assert command.summary.endswith(".")
        assert len(command.examples) >= 1
        assert callable(getattr(module, command.function))
        assert callable(getattr(module, f"{command.function}_options"))


@pytest.mark.parametrize("command", COMMANDS, ids=lambda one: one.name)
def test_the_examples_in_a_commands_help_are_understood(command, in_english):
    import shlex

    module = __import__(command.module, fromlist=["_"])
    for example in command.examples:
        words = shlex.split(example.partition(" < ")[0])
        line = parser.split(words[1:])
        assert line.command == command.name
        grammar = parser.for_command(command)
        getattr(module, f"{command.function}_options")(grammar)
        grammar.parse_args(line.options)


def test_help_names_every_command_on_standard_output(call):
    ended = call("--help")
    assert ended.code == 0
    assert all(f"  {command.name} " in ended.out for command in COMMANDS)
    assert call().out == ended.out


def test_each_command_has_a_help_of_its_own(call):
    for command in COMMANDS:
        ended = call(command.name, "--help")
        assert (ended.code, ended.err) == (0, "")
        assert f"cabecao {command.name}" in ended.out
        assert "exit codes" in ended.out


def test_the_version_is_shown(call):
    assert call("--version").out.startswith("cabecao 0.")


def test_help_version_and_mistakes_load_nothing_heavy():
    code = (
        "import sys; from cabecao_site.cli.__main__ import main\n"
        "for words in (['--help'], ['--version'], ['nope'], ['open', '--nope'], ['mcp', '--help']): main(words)\n"
        "print(sorted({'django', 'pydantic', 'rich', 'mcp', 'uvicorn', 'celery'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.splitlines()[-1] == "[]"


@pytest.mark.parametrize(
    "words",
    [
        ("nope",),
        ("--nope",),
        ("search",),
        ("read",),
        ("search", "x", "--nope"),
        ("search", "x", "--lim", "3"),
        ("search", "x", "--limit", "three"),
        ("search", "x", "--lang", "xx"),
        ("remember", "x"),
        ("remember", "x", "--type", "poem"),
        ("remember", "x", "--type", "gotcha", "--relations", "[1]"),
        ("remember", "x", "--type", "gotcha", "--relations", "{"),
        ("search", "x", "--query", "y"),
        ("status", "--brain"),
    ],
)
def test_a_usage_error_ends_with_two_and_is_told_on_standard_error(call, words):
    ended = call(*words)
    assert ended.code == 2
    assert ended.out == ""
    assert ended.err.strip()
    assert "Traceback" not in ended.err


def test_a_mistyped_command_is_guessed(call):
    assert "cabecao search" in call("serach").err


def test_a_usage_error_under_json_is_one_object_on_standard_output(call):
    ended = call("search", "--json")
    error = json.loads(ended.out)["error"]
    assert ended.code == 2
    assert error["code"] == "invalid_argument"
    assert error["next_step"]


@pytest.mark.parametrize(
    ("words", "command"),
    [
        (("--brain", "b", "search", "x"), "search"),
        (("search", "x", "--brain", "b"), "search"),
        (("--brain=b", "-q", "search", "x"), "search"),
        (("--json", "--lang", "en", "status"), "status"),
        (("--json",), None),
    ],
)
def test_the_command_is_found_wherever_the_common_options_stand(words, command):
    assert parser.split(words).command == command


def test_a_value_after_two_dashes_is_no_option():
    assert parser.value_of("--lang", ["search", "--", "--lang", "en"]) is None
    assert parser.value_of("--lang", ["--lang", "pt-br", "search", "--lang=en"]) == "en"


def test_argparse_speaks_through_the_catalogue(in_english, monkeypatch):
    asked: list[str] = []

    def translate(text: str) -> str:
        asked.append(text)
        return text

    monkeypatch.setattr(parser, "_", translate)
    grammar = parser.for_command(commands.COMMANDS[0])
    with pytest.raises(parser.UsageError):
        grammar.parse_args(["--nope"])
    grammar.format_help()
    assert {"unrecognized arguments: %s", "options", "usage: "} <= set(asked)


def test_the_language_is_portuguese_whatever_the_locale_unless_it_is_asked_for(cli: CommandLine):
    plain = cli.run("status")
    assert cli.run("status", LANG="en_US.UTF-8", LC_ALL="en_US.UTF-8").err == plain.err
    assert cli.run("status", "--lang", "en").err == cli.run("status", CABECAO_LANG="en").err


def test_an_empty_command_line_value_of_lang_changes_nothing(monkeypatch, in_english):
    monkeypatch.setenv("CABECAO_LANG", "en")
    parser.choose_language(["--lang", "klingon"])
    import os

    assert os.environ["CABECAO_LANG"] == "en"
    assert commands.nearest("zzzzzz") is None
