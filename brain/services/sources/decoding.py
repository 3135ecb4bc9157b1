"""The bytes of a file as the text of a source: UTF-8, UTF-16 with its mark, or Windows-1252 with a warning."""

from __future__ import annotations

import codecs
import re
from typing import Final

from brain.contracts.shared import Notice
from brain.errors import InvalidArgument
from brain.guard import limits
from brain.language import gettext as _

MOST_BYTES: Final = 4 * limits.CONTENT_CHARACTERS + 4  # no text of more bytes is short enough
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_LINE_ENDS: Final = re.compile(r"\r\n?|\f")  # a converter ends its pages with a form feed
_CONTROL: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def decoded(raw: bytes, name: str) -> tuple[str, list[Notice]]:
    """Return a file's text with plain line ends, and a warning where its encoding was a guess.

    InvalidArgument for a file that is too long, that is no text, or that has nothing in it.
    """
    if len(raw) > MOST_BYTES:
        raise _too_long(name)
    text, warnings = _read(raw, name)
    text = _LINE_ENDS.sub("\n", text)
    if _CONTROL.search(text):
        raise _no_text(name)
    if len(text) > limits.CONTENT_CHARACTERS:
        raise _too_long(name)
    if not text.strip():
        raise InvalidArgument(
            _("%(name)s has no text in it. Nothing was changed.") % {"name": name},
            next_step=_("Give another file, or the text itself as content."),
        )
    return text, warnings


def _read(raw: bytes, name: str) -> tuple[str, list[Notice]]:
    marked = next((encoding for mark, encoding in _MARKS if raw.startswith(mark)), None)
    try:
        return raw.decode(marked or "utf-8"), []
    except UnicodeDecodeError:
        if marked is not None or b"\0" in raw:
            raise _no_text(name) from None
    try:
        text = raw.decode("cp1252")
    except UnicodeDecodeError:
        raise _no_text(name) from None
    said = _("%(name)s is not UTF-8; it was read as Windows-1252. See whether its accents are right.")
    return text, [Notice(code="not_utf8", message=said % {"name": name})]


def _no_text(name: str) -> InvalidArgument:
    return InvalidArgument(
        _("%(name)s is not a text file. Nothing was changed.") % {"name": name},
        next_step=_("Convert it to plain text or Markdown in UTF-8 and ingest that."),
    )


def _too_long(name: str) -> InvalidArgument:
    return InvalidArgument(
        _("%(name)s has more than %(most)d characters. Nothing was changed.")
        % {"name": name, "most": limits.CONTENT_CHARACTERS},
        next_step=_("Split it into parts and ingest each of them."),
    )
