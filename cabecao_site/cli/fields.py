"""From an operation's input model to command-line options, and from what was typed to the operation's arguments."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Mapping, Sequence
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, get_args, get_origin

from pydantic.fields import FieldInfo

from brain.clock import is_id
from brain.language import gettext as _
from brain.operations import Operation
from cabecao_site.cli import outside
from cabecao_site.cli.parser import Parser, UsageError
from cabecao_site.cli.run import Run
from cabecao_site.cli.terminal import is_terminal

# The field that stands without an option's name; for `read` the form of the word tells which of two it is.
MAIN: Final[Mapping[str, str]] = {
    "recall": "task",
    "search": "query",
    "ask": "question",
    "read": "path",
    "graph": "node",
    "remember": "content",
    "write_page": "path",
    "patch_page": "path",
    "edit_page": "path",
    "restore_page": "path",
    "move_page": "path",
    "forget": "id",
    "ingest": "path",
    "attest": "path",
    "propose": "operation",
    "review": "id",
    "consolidate": "action",
    "undo": "op",
}
FROM_INPUT: Final[Mapping[str, str]] = {
    "remember": "content",
    "write_page": "content",
    "edit_page": "text",
    "ingest": "content",
}
_CITATION: Final = re.compile(r"r[0-4]-[0-9a-f]{12}")
_OF_EVERY_COMMAND: Final = frozenset({"verbose"})  # an option that all commands have says the same
_PREFIX: Final = "field_"
_MAIN: Final = "main"


def add(grammar: Parser, operation: Operation) -> None:
    """Give a parser one option for each field of an operation's input, and the main field a place of its own."""
    fields = operation.input.model_fields
    main = MAIN.get(operation.name)
    if main:
        word = {"read": _("PATH|ID"), "ingest": _("FILE")}.get(operation.name, main.upper())
        grammar.add_argument(_MAIN, nargs="?", metavar=word, help=_escaped(_help(fields[main], (), many=False)))
    optional = {main, FROM_INPUT.get(operation.name)}
    for field_name, field in fields.items():
        name = field.alias or field_name
        if name in _OF_EVERY_COMMAND:
            continue
        settings = _settings(name, field)
        if name == main:
            settings["help"] = argparse.SUPPRESS
        settings["required"] = field.is_required() and name not in optional
        grammar.add_argument(f"--{name.replace('_', '-')}", dest=_PREFIX + name, default=argparse.SUPPRESS, **settings)


def _settings(name: str, field: FieldInfo) -> dict[str, Any]:
    """Return what argparse is told about a field."""
    kind = _plain(field.annotation)
    many = get_origin(kind) is list
    if many:
        kind = _plain(get_args(kind)[0])
    choices = get_args(kind) if get_origin(kind) is Literal else ()
    settings: dict[str, Any] = {"help": _escaped(_help(field, choices, many=many))}
    if kind is bool:
        return {**settings, "action": argparse.BooleanOptionalAction}
    settings["metavar"] = {int: "N", dict: "JSON"}.get(get_origin(kind) or kind, name.upper())
    settings["type"] = {int: _number, dict: _object}.get(get_origin(kind) or kind, str)
    if many:
        settings["action"] = "append"
    if choices:
        settings["choices"] = choices
    return settings


def _plain(annotation: Any) -> Any:
    """Return an annotation without None and what pydantic was told beside it."""
    if get_origin(annotation) is Annotated:
        return _plain(get_args(annotation)[0])
    if get_origin(annotation) in {Union, UnionType}:
        return _plain(next(one for one in get_args(annotation) if one is not NoneType))
    return annotation


def _help(field: FieldInfo, choices: Sequence[str], *, many: bool) -> str:
    parts = [_(field.description)] if field.description else []
    if choices:
        parts.append(_("One of: %(choices)s.") % {"choices": ", ".join(choices)})
    if many:
        parts.append(_("May be given several times."))
    if not field.is_required() and field.default is not None:
        parts.append(_("Default: %(value)s.") % {"value": field.default})
    return " ".join(parts)


def _escaped(text: str) -> str:
    return text.replace("%", "%%")


def _number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(_("“%(value)s” is not a whole number") % {"value": text[:40]}) from None


def _object(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(_("not valid JSON: %(reason)s") % {"reason": error}) from None
    if not isinstance(value, dict):
        raise argparse.ArgumentTypeError(_("a JSON object is wanted, such as %(example)s") % {"example": '{"a": "b"}'})
    return value


def given(run: Run, operation: Operation) -> dict[str, Any]:
    """Return the arguments that were typed; a text that was left out, or is `-`, comes from standard input."""
    values = vars(run.arguments)
    found = {key.removeprefix(_PREFIX): value for key, value in values.items() if key.startswith(_PREFIX)}
    _place_main(found, operation, values.get(_MAIN))
    if operation.name == "ingest":
        found = outside.taken_in(run, found)
    streamed = FROM_INPUT.get(operation.name)
    if streamed and found.get(streamed, "-") == "-" and (operation.name != "ingest" or "path" not in found):
        found[streamed] = _standard_input(run)
    _require_main(run, found, operation)
    return found


def _place_main(found: dict[str, Any], operation: Operation, word: str | None) -> None:
    field = MAIN.get(operation.name)
    if word is None or field is None:
        return
    if operation.name == "read" and (is_id(word) or _CITATION.fullmatch(word)):
        field = "id"
    if field in found:
        raise UsageError(_("“%(field)s” was given twice.") % {"field": field})
    found[field] = word


def _require_main(run: Run, found: Mapping[str, Any], operation: Operation) -> None:
    field = MAIN.get(operation.name)
    required = operation.name == "read" or (field and operation.input.model_fields[field].is_required())
    if required and field not in found and not (operation.name == "read" and "id" in found):
        wanted = _("PATH|ID") if operation.name == "read" else str(field).upper()
        raise UsageError(
            _("the following arguments are required: %s") % wanted,
            hint=_("See `%(command)s --help`.") % {"command": f"cabecao {run.command.name}"},
        )


def _standard_input(run: Run) -> str:
    if sys.stdin is None or (is_terminal(sys.stdin) and run.arguments.no_input):
        raise UsageError(_("The text is missing: give it as an argument or on standard input."))
    if is_terminal(sys.stdin):
        run.terminal.note(_("Type the text; end it with Ctrl+D on a line of its own."))
    buffer = getattr(sys.stdin, "buffer", None)
    raw = buffer.read() if buffer else sys.stdin.read().encode()
    try:
        return str(raw.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise UsageError(_("Standard input is not UTF-8 text.")) from None
