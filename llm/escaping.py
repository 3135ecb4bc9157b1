"""A model's words as plain text: no link, image or HTML is left in them for a reader's program to follow."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_MARKUP: Final = re.compile(r"[\\\[\]<>]")
_DOT: Final = r"(?:\.|[。．｡․]|\[\.\])"
_HOST: Final = rf"(?:[^\W_](?:[\w-]*[^\W_])?{_DOT})+"
_COMMON: Final = (
    "com|org|net|edu|gov|mil|int|info|biz|io|dev|app|ai|co|me|tv|cc|xyz|site|online|shop|store|tech|cloud|link|click|top"
    "|club|live|page|web|blog|news|test|example|invalid|localhost|local|onion|zip|mov|ru|cn|uk|us|eu|de|fr|es|it|nl|pt|br"
    "|jp|in|ar|mx|ca|au|ch|se|no|pl|to|ly|gg|sh|so|pw|ws|tk|ml|ga|cf|gq"
)
# In this order: what has a scheme, what begins with two slashes, then hosts by their look.
_ADDRESSES: Final = (
    re.compile(r"[a-z][a-z0-9+.-]*:[ ]?[\\/]{2}\S*", re.IGNORECASE),
    re.compile(
        r"\b(?:javascript|vbscript|data|mailto|tel|sms|file|ftp|blob|https?|wss?|about|obsidian|cid)\s*:\s*\S+",
        re.IGNORECASE,
    ),
    re.compile(r"(?<![\w:])[\\/]{2}[^\s\\/]\S*"),
    re.compile(rf"\bwww\d{{0,2}}{_DOT}\S+", re.IGNORECASE),
    re.compile(rf"\b{_HOST}[^\W\d_]{{2,}}(?::\d+)?[/?#\\](?=\S)\S*", re.IGNORECASE),
    re.compile(rf"\b{_HOST}(?:{_COMMON})(?![\w-])(?::\d+)?(?:[/?#]\S*)?", re.IGNORECASE),
    re.compile(r"\b(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?(?:[/?#]\S*)?"),
    re.compile(r"\blocalhost(?::\d+)?(?:[/?#]\S*)?", re.IGNORECASE),
)
_TURNS: Final = 4  # what is taken out may bring the two ends of an address together


def escape(text: str, *, removed: str) -> str:
    """Return one line of text without addresses, each replaced by `removed`, and with its markup escaped."""
    plain = " ".join("".join(map(_visible, text)).split())
    for _turn in range(_TURNS):
        before = plain
        for pattern in _ADDRESSES:
            plain = pattern.sub("\0", plain)
        plain = re.sub(r"\0(?:\s*\0)*", "\0", plain)
        if plain == before:
            break
    return _MARKUP.sub(r"\\\g<0>", plain).replace("\0", removed)


def shortened(text: str, most: int) -> str:
    """Return an escaped line that is no longer than that, no escape cut in two."""
    if len(text) <= most:
        return text
    cut = text[: most - 2].rstrip()
    odd = len(cut) - len(cut.rstrip("\\"))
    return (cut[:-1] if odd % 2 else cut) + " …"


def _visible(sign: str) -> str:
    kind = unicodedata.category(sign)
    if kind in {"Cc", "Zl", "Zp"}:
        return " "
    return "" if kind in {"Cf", "Cs", "Co"} else sign
