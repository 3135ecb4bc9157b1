"""The message in a line of the protocol, or why there is none: each reason is the true one."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

import mcp_types as types
from pydantic import ValidationError

from brain.language import gettext as _
from brain.language import gettext_noop as N_
from mcpbridge.pipes import LINE_LIMIT

RequestId = int | str
_MOST_LEVELS: Final = 190  # what the parser takes
_NOT_JSON: Final = N_("The line is not valid JSON.")
_NESTED: Final = N_("The message is nested too deeply.")
# What the parser says of a line that is JSON -> the reason why it is not taken.
_NOT_OF_SYNTAX: Final[Mapping[str, str]] = {
    "recursion limit": _NESTED,
    "surrogate": N_("A text holds half of a character pair."),
    "end of hex escape": N_("A text holds half of a character pair."),
    "number out of range": N_("A number has too many digits."),
}
# The id of a request that stands before anything nested, where the line as a whole can't be parsed.
_ID: Final = re.compile(
    rb'\s*\{(?:\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,)*\s*"id"\s*:\s*(-?\d{1,15}(?=\s*[,}])|"[^"\\]{0,200}")'
)


class Refused(Exception):
    """A line that is no message; `reply` says so to the client."""

    def __init__(self, code: int, message: str, line: bytes) -> None:
        super().__init__(message)
        error = types.ErrorData(code=code, message=message)
        self.reply = types.JSONRPCError(jsonrpc="2.0", id=_id_in(line), error=error)


def parse(line: bytes) -> types.JSONRPCMessage:
    """Return the message in a line; Refused where there is none."""
    if len(line) > LINE_LIMIT:
        raise Refused(types.INVALID_REQUEST, _("The line is too long."), b"")
    try:
        message = types.jsonrpc_message_adapter.validate_json(line.decode("utf-8"), by_name=False)
    except UnicodeDecodeError:
        raise Refused(types.PARSE_ERROR, _("The line is not UTF-8."), line) from None
    except ValidationError as error:
        message = _second_look(line, error)
    if isinstance(message, types.JSONRPCNotification) and "id" in json.loads(line):
        # The library takes a request whose id it does not like for a notification, which nobody would answer.
        raise Refused(types.INVALID_REQUEST, _("The id of a request must be a text or a whole number."), line)
    return message


def _second_look(line: bytes, error: ValidationError) -> types.JSONRPCMessage:
    """Return the message after all where only half of a character pair stood in the way; Refused says what did."""
    first = error.errors(include_url=False, include_input=False)[0]
    if first["type"] != "json_invalid":
        raise Refused(types.INVALID_REQUEST, _("The line is no JSON-RPC message."), line) from None
    said = str(first.get("ctx", {}).get("error", ""))
    reason = next((reason for words, reason in _NOT_OF_SYNTAX.items() if words in said), None)
    if reason is None:
        raise Refused(types.PARSE_ERROR, _(_NOT_JSON), line) from None
    try:
        value = _within_depth(json.loads(line))
        message = types.jsonrpc_message_adapter.validate_python(value, by_name=False)
        _whole_but_for_arguments(value)
    except (RecursionError, _TooDeep):
        raise Refused(types.INVALID_REQUEST, _(_NESTED), line) from None
    except (ValidationError, UnicodeEncodeError):
        raise Refused(types.INVALID_REQUEST, _(reason), line) from None
    except ValueError as bad:
        too_long = "digits" in str(bad)
        code, words = (types.INVALID_REQUEST, reason) if too_long else (types.PARSE_ERROR, _NOT_JSON)
        raise Refused(code, _(words), line) from None
    return message


class _TooDeep(Exception):
    pass


def _within_depth(value: Any) -> Any:
    """Return a value that is nested no deeper than a message may be."""
    level = [value]
    for _depth in range(_MOST_LEVELS):
        level = [
            inner
            for one in level
            if isinstance(one, dict | list)
            for inner in (one.values() if isinstance(one, dict) else one)
        ]
        if not level:
            return value
    raise _TooDeep


def _whole_but_for_arguments(value: dict[str, Any]) -> None:
    """Raise UnicodeEncodeError where half a pair stands anywhere but in a tool's arguments: the tool names those."""
    params = value.get("params") or {}
    called = {name: inner for name, inner in params.items() if name != "arguments"}
    json.dumps({**value, "params": called}, ensure_ascii=False).encode()


def _id_in(line: bytes) -> RequestId | None:
    """Return the id of the request that a line was meant to be, where it can be told."""
    if b'"method"' not in line:
        return None
    found = _ID.match(line)
    value: Any = None
    try:
        value = json.loads(found[1]) if found else json.loads(line.decode("utf-8", "replace"))
    except (ValueError, RecursionError):
        return None
    if isinstance(value, dict):
        value = value.get("id")
    return value if type(value) in {int, str} and _sendable(value) else None


def _sendable(value: RequestId) -> bool:
    return isinstance(value, int) or value.isprintable()
