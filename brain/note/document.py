"""A note's file as text: the frontmatter block, the body, and how to change one without touching the other.

What is not changed keeps its bytes: byte order mark, line ends, order, comments and quotes of the keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, cast

from brain.errors import InvalidNote
from brain.language import gettext as _
from brain.note import frontmatter, yaml_lines

_BOM: Final = b"\xef\xbb\xbf"
_OPEN: Final = re.compile(r"---[ \t]*\r?\n")
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_LINE_END: Final = re.compile(r"\r\n|\r")
_CLOSE: Final = re.compile(r"\n---[ \t]*(?:\r?\n|\r?\Z)")

Newline = Literal["\n", "\r\n"]


@dataclass(frozen=True)
class Document:
    """A note as it is in its file: `head` and `body` together are its whole text."""

    raw: bytes
    bom: bool
    head: str
    body: str
    newline: Newline
    frontmatter: dict[str, Any] = field(default_factory=dict)
    error: str | None = None
    error_line: int | None = None
    lossy: bool = False
    body_line: int = 1

    @property
    def text(self) -> str:
        """The whole text without the byte order mark."""
        return self.head + self.body


def parse(raw: bytes) -> Document:
    """Take a file apart; it never fails: what cannot be read is in `error` and `lossy`, and the body is there still."""
    bom = raw.startswith(_BOM)
    content = raw[3:] if bom else raw
    try:
        text, lossy = content.decode(), False
    except UnicodeDecodeError:
        text, lossy = content.decode(errors="replace"), True
    opening = _OPEN.match(text)
    found: dict[str, Any] = {}
    error, line, cut = None, None, 0
    if opening:
        closing = _CLOSE.search(text, opening.end() - 1)
        if closing is None:
            error, line = _("The frontmatter block is opened and never closed."), 1
        else:
            cut = closing.end()
            found, error, line = _read(text[opening.end() : closing.start() + 1])
    return Document(
        raw=raw,
        bom=bom,
        head=text[:cut],
        body=text[cut:],
        newline=_newline(text),
        frontmatter=found,
        error=error,
        error_line=line,
        lossy=lossy,
        body_line=1 + text.count("\n", 0, cut),
    )


def _read(block: str) -> tuple[dict[str, Any], str | None, int | None]:
    try:
        return frontmatter.read(block), None, None
    except frontmatter.Unreadable as unreadable:
        message = _("The frontmatter cannot be read: %(reason)s.") % {"reason": unreadable.message}
        return {}, message, unreadable.line + 1 if unreadable.line is not None else None


def _newline(text: str) -> Newline:
    if "\r" not in text:
        return "\n"
    return "\r\n" if 2 * text.count("\r\n") > text.count("\n") else "\n"


def with_body(document: Document, body: str) -> bytes:
    """Return the file with another body, whose line ends become the file's; lines that stay keep the ends they had.

    InvalidNote where the file is not UTF-8, or where the new body would open, close or move a frontmatter block.
    """
    _require_text(document)
    head = document.head
    if head and body and not head.endswith("\n"):
        head += document.newline
    raw = _encoded(document, head, _with_line_ends(document, body))
    again = parse(raw)
    if again.head != head or (document.error is None) != (again.error is None):
        raise InvalidNote(_("The text would change where the frontmatter block begins or ends."))
    return raw


def with_text(document: Document, text: str) -> bytes:
    """Return the file with another whole text, as a form gives it; lines that stay keep the ends they had.

    InvalidNote where the file is not UTF-8.
    """
    _require_text(document)
    return _encoded(document, "", _with_own_ends(document, text))


def with_fields(document: Document, changes: Mapping[str, object | None]) -> Document:
    """Return the note with other values of some keys; None takes a key away, and every other line keeps its bytes.

    InvalidNote where the block cannot be read, or cannot be changed without touching something else.
    """
    _require_text(document)
    if document.error is not None:
        raise InvalidNote(document.error, line=document.error_line)
    wanted = {key: yaml_lines.plain_value(key, value) for key, value in changes.items()}
    expected = {
        key: value for key, value in {**document.frontmatter, **wanted}.items() if wanted.get(key, "") is not None
    }
    changed = {key: value for key, value in wanted.items() if not _same(document.frontmatter, expected, key)}
    if not changed:
        return document
    result = parse(_encoded(document, _changed_head(document, changed), document.body))
    if result.error or result.body != document.body or _canonical(result.frontmatter) != _canonical(expected):
        raise InvalidNote(
            _("The frontmatter is written in a way that cannot be changed without touching other lines."),
            next_step=_("Change it in an editor, one key on each line, then try again."),
        )
    return result


def new_note(fields: Mapping[str, object], body: str) -> bytes:
    """Return the file of a new note: its keys in the order of the schema, an empty line, and the body."""
    values = {key: yaml_lines.plain_value(key, value) for key, value in fields.items() if value is not None}
    text = body.replace("\r\n", "\n").strip("\n")
    text = text + "\n" if text else ""
    head = f"---\n{yaml_lines.block(values)}---\n" if values else ""
    raw = _encoded(None, head, f"\n{text}" if head and text else text)
    if _canonical(parse(raw).frontmatter) != _canonical(values):
        raise InvalidNote(_("The fields cannot be written as frontmatter."))
    return raw


def _require_text(document: Document) -> None:
    if document.lossy:
        raise InvalidNote(
            _("The file is not UTF-8 text, and writing to it would damage it."),
            next_step=_("Convert it to UTF-8 in an editor, then try again."),
        )


def _changed_head(document: Document, changes: Mapping[str, Any]) -> str:
    if not document.head:
        lines = yaml_lines.block({key: value for key, value in changes.items() if value is not None})
        return f"---\n{lines}---\n".replace("\n", document.newline)
    opening, closing = _OPEN.match(document.head), _CLOSE.search(document.head, document.head.index("\n"))
    start, stop = cast("re.Match[str]", opening).end(), cast("re.Match[str]", closing).start() + 1
    inner = yaml_lines.changed(document.head[start:stop], changes, newline=document.newline)
    return document.head[:start] + inner + document.head[stop:]


def _encoded(document: Document | None, head: str, body: str) -> bytes:
    try:
        return (_BOM if document is not None and document.bom else b"") + (head + body).encode()
    except UnicodeEncodeError as error:
        raise InvalidNote(_("The text holds half of a character pair and cannot be stored.")) from error


def _same(before: Mapping[str, Any], after: Mapping[str, Any], key: str) -> bool:
    if (key in before) != (key in after):
        return False
    return _canonical(before.get(key)) == _canonical(after.get(key))


def _canonical(value: Any) -> str:
    """Return a text by which values are compared with their kinds: true is not 1."""
    return json.dumps(value, sort_keys=True)


def _with_line_ends(document: Document, body: str) -> str:
    """Give a new body the file's line ends; in a file that mixes them, the lines that did not change keep theirs."""
    old, lines = document.body, body.replace("\r\n", "\n").split("\n")
    ends = old.count("\r\n")
    if ends in (0, old.count("\n")):
        return document.newline.join(lines)
    kept = old.split("\n")
    plain = [line.removesuffix("\r") for line in kept]
    first = _common(plain, lines)
    last = min(_common(plain[::-1], lines[::-1]), len(plain) - first, len(lines) - first)
    mark = document.newline[:-1]
    middle = [line + mark for line in lines[first : len(lines) - last]]
    if not last and middle:
        middle[-1] = lines[-1]
    return "\n".join([*kept[:first], *middle, *kept[len(kept) - last :]])


def _with_own_ends(document: Document, text: str) -> str:
    """Give a whole text the file's line ends, whichever a browser put there."""
    kept, wanted = _LINE.findall(document.text), _LINE.findall(text)
    plain, lines = [_LINE_END.sub("\n", one) for one in kept], [_LINE_END.sub("\n", one) for one in wanted]
    first = _common(plain, lines)
    last = min(_common(plain[::-1], lines[::-1]), len(plain) - first, len(lines) - first)
    middle = [one.replace("\n", document.newline) for one in lines[first : len(lines) - last]]
    return "".join([*kept[:first], *middle, *kept[len(kept) - last :]])


def _common(one: list[str], other: list[str]) -> int:
    return next(
        (place for place, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
