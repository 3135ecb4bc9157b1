"""Text as a reader or a file system takes it: without invisible characters, full-width letters as plain ones."""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import Final

# Format characters, fillers and variation selectors: drawn as nothing, so they can hide a word from a comparison.
INVISIBLE: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u2800\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_HIDDEN_KINDS: Final = frozenset({"Cc", "Cf", "Zl", "Zp"})
LOOKALIKE: Final = re.compile("[\uff01-\uff5e\U0001d400-\U0001d7ff\u2024]")


@cache
def plain_letters() -> dict[int, str]:
    """Return the table, for `str.translate`, from full-width and mathematical signs to plain ones, one for one."""
    codes = (*range(0xFF01, 0xFF5F), *range(0x1D400, 0x1D800), 0x2024)
    plain = ((code, unicodedata.normalize("NFKC", chr(code))) for code in codes)
    return {code: sign for code, sign in plain if len(sign) == 1}


def folded(text: str) -> str:
    """Return a text as the most lenient file system compares it: NFKC, no invisible characters, no case."""
    if text.isascii():
        return text.casefold()
    return unicodedata.normalize("NFKC", INVISIBLE.sub("", text)).casefold()


def folded_segments(path: str) -> tuple[str, ...]:
    """Return the folded names along a path; either slash separates, and trailing dots and blanks do not count."""
    names = folded(path).replace("\\", "/").split("/")
    return tuple(name if name.strip(". ") == "" else name.rstrip(". ") for name in names)


def visible(text: str) -> str:
    """Return a text in which nothing is drawn as nothing: what hides or turns words around is written out."""
    return "".join(f"\\u{ord(sign):04x}" if _is_hidden(sign) else sign for sign in text)


def _is_hidden(sign: str) -> bool:
    if sign in "\n\t":
        return False
    return unicodedata.category(sign) in _HIDDEN_KINDS or INVISIBLE.match(sign) is not None
