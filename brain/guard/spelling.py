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
_CONTROL: Final = re.compile(r"[^\n\t\x20-\x7e]")
# All signs but those of everyday writing in Latin letters, Chinese, Japanese and Korean: few are worth a closer look.
_SELDOM: Final = re.compile(
    "[^\n\t\x20-\x7e\xa1-\xac\xae-\u034e\u0350-\u05ff\u2010-\u2023\u2025-\u2027\u20a0-\u20bf\u3041-\u3096\u4e00-\u9fff"
    "\uac00-\ud7a3]"
)
_OTHER_SCRIPT: Final = re.compile(
    "[\u0370-\u058f\u13a0-\u13ff\u1c80-\u1d7f\u1dbf\u1f00-\u1fff\u2126\u2c00-\u2dff\ua640-\ua69f\uab30-\uabbf"
    "\ufb13-\ufb17\U00010140-\U000101ff\U0001e030-\U0001e08f]"
)
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
_LATIN: Final = "LATIN"
_TWINS: Final = frozenset({"CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE"})
# Letters of other scripts that are drawn like Latin ones: a word of nothing else pretends to be one.
TWINS: Final = frozenset("аеорсухіјѕԁһӏԛԝАВЕКМНОРСТУХІЈЅΑΒΕΖΗΙΚΜΝΟΡΤΥΧοѵ")
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
    return "".join(f"\\u{ord(sign):04x}" if is_hidden(sign) else sign for sign in text)


def deceiving(text: str) -> dict[int, str]:
    """Return by place the name of each sign that is not what it looks like, or is drawn as nothing."""
    if text.isascii() and not _CONTROL.search(text):
        return {}
    seldom = ((one.start(), one[0]) for one in _SELDOM.finditer(text))
    found = {place: _name(sign) for place, sign in seldom if is_hidden(sign) or LOOKALIKE.match(sign)}
    for word in _LETTERS.finditer(text) if _OTHER_SCRIPT.search(text) else ():
        found |= {word.start() + place: _name(word[0][place]) for place in _disguised(word[0])}
    return found


def _disguised(word: str) -> list[int]:
    """Return the places of letters of another script in a word of Latin ones, or that only look like a Latin word."""
    scripts = [_script(sign) for sign in word]
    others = [place for place, script in enumerate(scripts) if script in _TWINS]
    if not others or (_LATIN not in scripts and not set(word) <= TWINS):
        return []
    return others


@cache
def _script(sign: str) -> str:
    return unicodedata.name(sign, "").partition(" ")[0]


def _name(sign: str) -> str:
    return f"U+{ord(sign):04X} {unicodedata.name(sign, '')}".strip()


def is_hidden(sign: str) -> bool:
    """Tell whether a sign is drawn as nothing or turns what stands around it."""
    if sign in "\n\t":
        return False
    return unicodedata.category(sign) in _HIDDEN_KINDS or INVISIBLE.match(sign) is not None
