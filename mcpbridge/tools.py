"""The tools as a client sees them: generated from the catalogue of operations, without what it can't use."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import cache
from typing import Any, Final

from pydantic import BaseModel

from brain import language, operations
from brain.language import gettext as _
from brain.operations import Operation
from mcpbridge import instructions

Schema = dict[str, Any]
_MAPS: Final = ("properties", "$defs")
_NULL: Final = {"type": "null"}


def names(profile: str, *, asks: bool = False) -> frozenset[str]:
    """Return the names of the tools of a profile; `asks` says that `ask` is among them."""
    return frozenset(operation.name for operation in _of(profile, asks=asks))


def listed(profile: str, *, asks: bool = False) -> list[Schema]:
    """Return the tools of a profile as they are sent, in the language in force."""
    return _listed(profile, language.current(), asks)


@cache
def _listed(profile: str, _language: str, asks: bool) -> list[Schema]:  # noqa: FBT001 (a key of the cache)
    return [_tool(operation) for operation in _of(profile, asks=asks)]


def _of(profile: str, *, asks: bool) -> tuple[Operation, ...]:
    absent = frozenset() if asks else instructions.OPTIONAL
    return tuple(
        operation
        for operation in operations.OPERATIONS
        if not operation.human_only
        and operation.name not in absent
        and instructions.includes(profile, operation.profile)
    )


def _tool(operation: Operation) -> Schema:
    return {
        "name": operation.name,
        "description": _(operation.doc),
        "inputSchema": input_schema(operation.input, without=operation.not_for_tools),
        "outputSchema": output_schema(operation.output, without=operation.not_told_to_tools),
        "annotations": {
            "readOnlyHint": not operation.writes,
            "destructiveHint": operation.destructive,
            "idempotentHint": operation.idempotent or not operation.writes,
            "openWorldHint": operation.open_world,
        },
    }


def input_schema(model: type[BaseModel], *, without: Collection[str] = ()) -> Schema:
    """Return the schema of the arguments, each described in the language in force; null stands for one left out."""
    schema = _closed(_clean(model.model_json_schema(mode="validation")))
    schema["properties"] = {name: field for name, field in schema["properties"].items() if name not in without}
    optional = set(schema["properties"]) - set(schema.get("required", ()))
    for name, field in schema["properties"].items():
        schema["properties"][name] = _without_null(field) if name in optional else field
    for name, field_info in model.model_fields.items():
        if field_info.description and name not in without:
            schema["properties"][field_info.alias or name]["description"] = _(field_info.description)
    return schema


def output_schema(model: type[BaseModel], *, without: Collection[str] = ()) -> Schema:
    """Return the schema of the answer: its fields, not what is inside each, because a list of tools costs context."""
    schema = _clean(model.model_json_schema(mode="serialization"))
    schema["properties"] = {name: field for name, field in schema.get("properties", {}).items() if name not in without}
    inner = schema.pop("$defs", {})
    return _closed(_short(_outlined(schema, inner)))


def _closed(schema: Schema) -> Schema:
    return {"type": "object", "properties": {}, "additionalProperties": False} | schema


def _clean(schema: Schema) -> Schema:
    """Return a schema without titles, docstrings and empty defaults; a field of such a name stays."""
    kept: Schema = {}
    for key, value in schema.items():
        if key in _MAPS:
            kept[key] = {name: _clean(inner) for name, inner in value.items()}
        elif key not in {"title", "description"} and not (key == "default" and value is None):
            kept[key] = _inside(value, _clean)
    return kept


def _without_null(schema: Schema) -> Schema:
    """Return the one other alternative where null is one of two."""
    others = [one for one in schema.get("anyOf", ()) if one != _NULL]
    if len(others) != 1:
        return schema
    return {**{key: value for key, value in schema.items() if key != "anyOf"}, **others[0]}


def _outlined(schema: Schema, inner: dict[str, Schema]) -> Schema:
    """Return a schema in which an object of another model is any object."""
    if "$ref" in schema:
        named = inner[schema["$ref"].rpartition("/")[2]]
        return {"type": "object"} if named.get("type") == "object" else named
    return {
        key: {name: _outlined(field, inner) for name, field in value.items()}
        if key in _MAPS
        else _inside(value, lambda part: _outlined(part, inner))
        for key, value in schema.items()
    }


def _short(schema: Schema) -> Schema:
    """Return a schema that says "or null" in its type, where it has one."""
    kept: Schema = {
        key: {name: _short(inner) for name, inner in value.items()} if key in _MAPS else _inside(value, _short)
        for key, value in schema.items()
    }
    plain = _without_null(kept)
    if plain is kept or not isinstance(plain.get("type"), str):
        return kept
    choices = {"enum": [*plain["enum"], None]} if "enum" in plain else {}
    return {**plain, "type": [plain["type"], "null"], **choices}


def _inside(value: Any, change: Callable[[Schema], Schema]) -> Any:
    if isinstance(value, dict):
        return change(value)
    if isinstance(value, list):
        return [change(item) if isinstance(item, dict) else item for item in value]
    return value
