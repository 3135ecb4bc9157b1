import json

import pytest
from pydantic import BaseModel, ConfigDict, Field

from brain import language, operations
from mcpbridge import tools


def sent(profile, *, asks=False):
    listed = tools.listed(profile, asks=asks)
    return len(json.dumps({"tools": listed}, ensure_ascii=False, separators=(",", ":")).encode())


def nodes(schema):
    """Every schema inside a schema."""
    yield schema
    for key, value in schema.items():
        if key == "properties":
            for inner in value.values():
                yield from nodes(inner)
        elif isinstance(value, dict):
            yield from nodes(value)
        elif isinstance(value, list):
            for inner in value:
                if isinstance(inner, dict):
                    yield from nodes(inner)


@pytest.mark.parametrize("tongue", ["pt-br", "en"])
def test_a_list_of_tools_stays_small(tongue):
    with language.activate(tongue):
        assert sent("core") <= 12_000
        assert sent("core", asks=True) <= 12 * 1024
        assert sent("standard", asks=True) <= 40_000


@pytest.mark.parametrize("asks", [False, True])
@pytest.mark.parametrize("profile", ["core", "standard", "full"])
def test_a_profile_has_its_operations_and_those_of_the_smaller_ones(profile, asks):
    smaller = {"core": {"core"}, "standard": {"core", "standard"}, "full": {"core", "standard", "full"}}[profile]
    wanted = {one.name for one in operations.OPERATIONS if one.profile in smaller and not one.human_only}
    wanted -= set() if asks else {"ask"}
    assert tools.names(profile, asks=asks) == wanted
    names = [tool["name"] for tool in tools.listed(profile, asks=asks)]
    assert set(names) == wanted
    assert not asks or names.index("ask") == names.index("search") + 1


def test_the_annotations_say_what_a_tool_does():
    for tool in tools.listed("full", asks=True):
        operation = operations.by_name(tool["name"])
        hints = tool["annotations"]
        assert hints["readOnlyHint"] is (not operation.writes)
        assert hints["destructiveHint"] is operation.destructive
        assert hints["openWorldHint"] is operation.open_world is (tool["name"] in {"sync", "ask"})


def test_every_schema_is_a_closed_object_without_titles():
    for tool in tools.listed("full"):
        for schema in (tool["inputSchema"], tool["outputSchema"]):
            assert schema["type"] == "object"
            assert schema["additionalProperties"] is False
            assert set(schema.get("required", ())) <= set(schema["properties"])
            assert not [node for node in nodes(schema) if isinstance(node.get("title"), str)]


def test_an_input_names_every_argument_and_describes_it_in_the_language_in_force(monkeypatch):
    monkeypatch.setattr(tools, "_", lambda text: f"«{text}»")
    for operation in operations.OPERATIONS:
        properties = tools.input_schema(operation.input)["properties"]
        for name, field in operation.input.model_fields.items():
            described = properties[field.alias or name].get("description")
            assert described == (f"«{field.description}»" if field.description else None)


def test_an_answer_has_the_fields_of_its_model_and_no_description():
    for operation in operations.OPERATIONS:
        schema = tools.output_schema(operation.output)
        fields = operation.output.model_json_schema(mode="serialization", by_alias=True)["properties"]
        assert set(schema["properties"]) == set(fields)
        assert not [node for node in nodes(schema) if isinstance(node.get("description"), str)]


class Inner(BaseModel):
    """An inner thing."""

    title: str | None


class Outer(BaseModel):
    """An outer thing."""

    model_config = ConfigDict(extra="forbid")
    title: str = "sem"
    description: str | None = None
    default: int | None = None
    kind: Inner | None
    source: str = Field(alias="from", description="Where from.")
    either: int | str | None = None


def test_a_field_named_like_a_keyword_of_the_schema_stays():
    assert tools.input_schema(Outer)["properties"] == {
        "title": {"type": "string", "default": "sem"},
        "description": {"type": "string"},
        "default": {"type": "integer"},
        "kind": {"anyOf": [{"$ref": "#/$defs/Inner"}, {"type": "null"}]},
        "from": {"type": "string", "description": "Where from."},
        "either": {"anyOf": [{"type": "integer"}, {"type": "string"}, {"type": "null"}]},
    }


def test_an_answers_inner_object_is_any_object():
    assert tools.output_schema(Outer)["properties"]["kind"] == {"type": ["object", "null"]}
    assert "$defs" not in tools.output_schema(Outer)
