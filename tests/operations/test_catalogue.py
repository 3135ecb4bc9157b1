"""The catalogue is kept by every surface: each operation has a service, a tool, an address, a command, docs and a test."""

from __future__ import annotations

import inspect
import json
import re
import shutil
import subprocess
from importlib import import_module
from pathlib import Path

import jsonschema
import pytest
from calling import as_client, calling

from brain import config, operations
from brain.caller import Caller, Kind, Surface
from brain.errors import ConfirmationRequired
from brain.operations import OPERATIONS
from cabecao_site import bootstrap
from cabecao_site.cli import commands
from mcpbridge import tools

HERE = Path(__file__).parent
DOCS = (HERE.parent.parent / "docs" / "operations.md").read_text(encoding="utf-8")
# Operations that have no tool, each with the reason why.
WITHOUT_TOOL: dict[str, str] = {
    "lint_fix": "the person mends with one click; an agent has patch_page",
    "edit_page": "whole texts over what is there are the person's; an agent has write_page, which leaves its trace",
    "restore_page": "which version holds is the person's to say; an agent has undo for what it did",
    "resolve_conflict": "which of two texts counts is the person's to say",
    "move_page": "where a note lies is the person's to say",
    "retention": "what is put away for good is the person's to say; lint lists it for an agent",
    "attest": "what an agent would vouch for is not the person's word",
}
NAMES = [operation.name for operation in OPERATIONS]


@pytest.fixture
def example(ready, tmp_path):
    """The example brain, and an operation of an agent to begin with."""
    from brain.services import adopting, vouching

    root = tmp_path / "exemplo"
    adopting.init(root, example=True)
    for name in ("state.db", "audit.db"):
        shutil.copy(ready.root / ".cabecao" / name, root / ".cabecao" / name)
    bootstrap.point_at(config.enter(root))
    vouching.vouch_for_example()
    agent = as_client("claude-code")
    person = calling(Caller(Kind.HUMAN, "web", Surface.WEB, connection=f"browser of {root}"))
    agent("remember", content="Uma primeira memória.", type="episode")

    def confirmed(name, **arguments):
        call = person if operations.by_name(name).human_only else agent
        if name == "restore_page":
            agent("patch_page", path=arguments["path"], old="Até 10", new="Até 9")
        if name == "resolve_conflict":
            copy = root / arguments["path"]
            copy.write_text((copy.parent / "SQS.md").read_text() + "\nO outro texto.\n")
        try:
            return call(name, **arguments)
        except ConfirmationRequired as asked:
            return call(name, **arguments, confirm_token=asked.details["confirm_token"])

    return confirmed


def section(name: str) -> str:
    return DOCS.split(f"\n## {name}\n", 1)[1].split("\n## ", 1)[0]


def example_of_docs(name: str) -> dict[str, object]:
    return json.loads(re.search(r"```json\n(.*?)\n```", section(name), re.DOTALL)[1])


def test_names_are_unique():
    assert len(set(NAMES)) == len(NAMES)
    assert len({operation.command for operation in OPERATIONS}) == len(NAMES)


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_has_a_service_that_takes_the_caller_and_the_input(operation):
    module = import_module(operation.service)
    assert module.__doc__
    assert len(inspect.signature(module.run).parameters) == 2
    assert operation.run is module.run
    assert operations.by_name(operation.name) is operation


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_has_a_tool_or_says_why_not(operation):
    listed = {tool["name"]: tool for tool in tools.listed("full", asks=True)}
    assert (operation.name in listed) is (operation.name not in WITHOUT_TOOL)
    if tool := listed.get(operation.name):
        assert tool["annotations"]["readOnlyHint"] is not operation.writes
        assert tool["inputSchema"]["additionalProperties"] is False
        arguments = set(operation.input.model_json_schema().get("properties", {}))
        assert operation.not_for_tools <= arguments
        assert set(tool["inputSchema"]["properties"]) == arguments - operation.not_for_tools


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_has_an_address_that_answers_the_method_it_is_for(operation):
    from brain.api import api

    paths = api.get_openapi_schema(path_prefix="/api/")["paths"]
    methods = set(paths[f"/api/{operation.command}"])
    assert methods == ({"post"} if operation.writes else {"get", "post"})


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_has_a_command_made_from_it(operation):
    (command,) = [one for one in commands.COMMANDS if one.name == operation.command]
    assert command.is_operation


def test_a_command_made_from_an_operation_has_one():
    assert {one.name for one in commands.COMMANDS if one.is_operation} == {one.command for one in OPERATIONS}


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_is_documented_with_each_argument_and_field(operation):
    said = section(operation.name)
    assert example_of_docs(operation.name) == operation.example
    for name in [*operation.input.model_json_schema().get("properties", {}), *operation.output.model_fields]:
        assert f"`{name}`" in said, name


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_has_a_test_file_of_its_own(operation):
    assert (HERE / f"test_{operation.name}.py").is_file()


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_the_example_of_the_docs_runs_and_its_answer_is_what_the_schemas_say(example, operation):
    given = example_of_docs(operation.name)
    jsonschema.validate(given, tools.input_schema(operation.input))
    answer = example(operation.name, **given)
    assert isinstance(answer, operation.output)
    shown = answer.model_dump(mode="json")
    jsonschema.validate(shown, operation.output.model_json_schema(mode="serialization"))
    jsonschema.validate(shown, tools.output_schema(operation.output))
    assert json.loads(answer.model_dump_json()) == shown
    if "data_notice" in shown:
        assert next(iter(shown)) == "data_notice"


@pytest.mark.parametrize("operation", OPERATIONS, ids=NAMES)
def test_an_operation_only_changes_what_it_says_it_changes(example, operation):
    root = config.here().root
    before = (root / ".git/refs/heads/main").read_text()
    example(operation.name, **operation.example)
    assert ((root / ".git/refs/heads/main").read_text() != before) is (operation.writes and not operation.kept_here)
    status = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, check=True)
    assert status.stdout == b""


@pytest.mark.parametrize(
    "operation",
    [one for one in OPERATIONS if one.idempotent and one.writes and not one.kept_here],
    ids=lambda one: one.name,
)
def test_an_idempotent_operation_changes_nothing_the_second_time(example, operation):
    assert example(operation.name, **operation.example).changed
    assert not example(operation.name, **operation.example).changed


def test_the_rules_of_the_example_are_in_force_at_once(example):
    rules = example("recall", task="qualquer coisa").rules
    assert rules
    assert {one.origin for one in rules} <= {"human", "agent:claude-code"}
