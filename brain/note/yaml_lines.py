"""Writing frontmatter: values as lines of YAML, and a block changed by exchanging lines alone.

A value is written plain where no reader can mistake it, else in double quotes. A block is not written anew, as no YAML
writer gives back a person's spacing, quotes and comments: the places of its top-level keys come from the parser, and
only the text of the keys that change is exchanged. The caller reads the result again and compares.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Final

import yaml

from brain import clock
from brain.errors import InvalidNote
from brain.language import gettext as _
from brain.note import frontmatter
from brain.note.schema import DATE_KINDS, KEYS, in_order

INDENT: Final = "  "

# Begins with a letter, holds no sign with a meaning in YAML, and a colon only inside a word.
_SAFE: Final = re.compile(r"[^\W\d_](?:[\w ./()@+'-]|:(?=[\w/]))*(?<! )")
# Words that YAML 1.1 or 1.2 reads as something else.
_RESERVED: Final = frozenset({"y", "n", "yes", "no", "on", "off", "true", "false", "null", "nan", "inf"})
_ULID: Final = re.compile(r"(?=.*[A-DF-Z])[0-7][0-9A-HJKMNP-TV-Z]{25}")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?")
_UNPRINTABLE: Final = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ufffe\uffff]")
_DEEPEST: Final = 20
_QUOTED_OR_PLAIN: Final = (None, "", "'", '"')


def plain_value(key: str, value: object) -> Any:
    """Return a value as reading the block will give it back; InvalidNote names a key whose value has no such form."""
    return _plain(key, value, 0)


def _plain(key: str, value: object, depth: int) -> Any:
    if depth > _DEEPEST:
        raise InvalidNote(_("The value of “%(key)s” is nested too deeply.") % {"key": key}, field=key)
    if value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, str | float):
        return str(value)
    if isinstance(value, datetime):
        return clock.timestamp(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): _plain(key, one, depth + 1) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain(key, one, depth + 1) for one in value]
    raise InvalidNote(_("The value of “%(key)s” cannot be written as frontmatter.") % {"key": key}, field=key)


def block(values: Mapping[str, Any], *, indent: str = "") -> str:
    """Return the lines of several keys, in the order of the schema."""
    return "".join(entry_lines(key, values[key], indent=indent) for key in in_order(values))


def entry_lines(key: str, value: Any, *, indent: str = "") -> str:
    """Return the line or lines of one key; a list has one item on each line."""
    name = _text(key)
    if isinstance(value, list) and value:
        items = "".join(item(one, key=key, indent=indent + INDENT) for one in value)
        return f"{indent}{name}:\n{items}"
    return f"{indent}{name}: {inline(value, key=key)}\n"


def item(value: Any, *, key: str = "", indent: str = INDENT) -> str:
    """Return the line of one item of a list."""
    return f"{indent}- {inline(value, key=key)}\n"


def inline(value: Any, *, key: str = "") -> str:
    """Return a value on one line."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(inline(one) for one in value)}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_text(name)}: {inline(one)}" for name, one in value.items()) + "}"
    return _text(value, key=key)


def _text(text: str, *, key: str = "") -> str:
    if _SAFE.fullmatch(text) and text.lower() not in _RESERVED:
        return text
    if (key in KEYS and KEYS[key].kind in DATE_KINDS and _DATE.fullmatch(text)) or (
        key == "id" and _ULID.fullmatch(text)
    ):
        return text
    quoted = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda match: f"\\u{ord(match[0]):04x}", quoted)


@dataclass(frozen=True)
class _Entry:
    """A top-level key and its lines, from `start` to `end`."""

    key: yaml.ScalarNode
    value: yaml.Node
    start: int
    end: int


def changed(inner: str, changes: Mapping[str, Any], *, newline: str) -> str:
    """Return the block's inside with other values; None takes a key away, and a key that is new comes at the end."""
    root = frontmatter.compose(inner)
    if root is not None and root.flow_style:
        raise InvalidNote(_("The frontmatter is one bracketed value and cannot be changed key by key."))
    entries = {one.key.value: one for one in _entries(inner, root)} if root is not None else {}
    indent = " " * root.value[0][0].start_mark.column if entries and root is not None else ""
    edits = [
        _edit(inner, entries[key], value, indent=indent, newline=newline)
        for key, value in changes.items()
        if key in entries
    ]
    for start, end, text in sorted(edits, reverse=True):
        inner = inner[:start] + text + inner[end:]
    added = {key: value for key, value in changes.items() if key not in entries and value is not None}
    return inner + block(added, indent=indent).replace("\n", newline)


def _entries(inner: str, root: yaml.MappingNode) -> list[_Entry]:
    starts = [inner.rfind("\n", 0, key.start_mark.index) + 1 for key, _value in root.value]
    limits = [*starts[1:], len(inner)]
    return [
        _Entry(key, value, start, _end(inner, key, value, limit))
        for (key, value), start, limit in zip(root.value, starts, limits, strict=True)
    ]


def _end(inner: str, key: yaml.Node, value: yaml.Node, limit: int) -> int:
    """Return where a key's lines end: blank lines and comments before the next key are not its own."""
    floor = max(key.end_mark.index, _text_end(value))
    end = limit
    while end > floor:
        before = inner.rfind("\n", 0, end - 1) + 1
        line = inner[before:end].strip()
        if before < floor or (line and not line.startswith("#")):
            break
        end = before
    return end


def _text_end(node: yaml.Node) -> int:
    """Return the end of a value that ends in a text over several lines, where `#` is no comment; else 0."""
    while node.value and not isinstance(node, yaml.ScalarNode):
        last = node.value[-1]
        node = last[1] if isinstance(last, tuple) else last
    return int(node.end_mark.index) if isinstance(node, yaml.ScalarNode) and node.style in ("|", ">") else 0


def _edit(inner: str, entry: _Entry, value: Any, *, indent: str, newline: str) -> tuple[int, int, str]:
    """Return the place and the new text of one key."""
    if value is None:
        return entry.start, entry.end, ""
    old = entry.value
    if isinstance(old, yaml.SequenceNode) and isinstance(value, list):
        appended = _appended(entry, old, value, newline=newline)
        if appended:
            return appended
    if _is_short(inner, entry) and not (isinstance(value, list) and value):
        return old.start_mark.index, old.end_mark.index, inline(value, key=entry.key.value)
    return entry.start, entry.end, entry_lines(entry.key.value, value, indent=indent).replace("\n", newline)


def _is_short(inner: str, entry: _Entry) -> bool:
    """Tell whether the value is a scalar on its key's line, so that what stands beside it can stay."""
    old = entry.value
    if not isinstance(old, yaml.ScalarNode) or old.style not in _QUOTED_OR_PLAIN:
        return False
    start, end = old.start_mark.index, old.end_mark.index
    return entry.key.end_mark.index < start < end <= entry.end and "\n" not in inner[entry.start : end]


def _appended(entry: _Entry, old: yaml.SequenceNode, value: list[Any], *, newline: str) -> tuple[int, int, str] | None:
    """Return the insertion of further items where a list only grows; None where it changes otherwise."""
    before = frontmatter.value_of(old)
    more = value[len(before) :]
    if not before or not more or value[: len(before)] != before or old.start_mark.index < entry.start:
        return None
    key = entry.key.value
    if old.flow_style:
        place = old.value[-1].end_mark.index
        return place, place, "".join(f", {inline(one, key=key)}" for one in more)
    lines = "".join(item(one, key=key, indent=" " * old.start_mark.column) for one in more)
    return entry.end, entry.end, lines.replace("\n", newline)
