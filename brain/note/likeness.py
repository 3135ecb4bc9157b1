"""When two texts say the same: compared without marks, case, accents and spacing."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import blake3

_WORD: Final = re.compile(r"[^\W_]+")
_MARKS: Final = "«»…"


def words(text: str) -> list[str]:
    """Return the words of a text as they are compared: no accents, no case, no signs."""
    for sign in _MARKS:
        text = text.replace(sign, "")
    plain = unicodedata.normalize("NFKD", text).casefold()
    for sign in {one for one in set(plain) if unicodedata.combining(one)}:
        plain = plain.replace(sign, "")
    return _WORD.findall(plain)


def key(text: str) -> str:
    """Return a key that two texts share when their words are the same, in the same order."""
    return blake3.blake3(" ".join(words(text)).encode()).hexdigest(length=12)
