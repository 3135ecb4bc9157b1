"""Words that the tokenizer cannot see: those of scripts written without spaces, as pairs of neighbouring signs."""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_CLASS: Final = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u2e80-\u2fdf\u3005-\u3007\u3040-\u30ff\u3100-\u318f\u31a0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uff9f\U0001b000-\U0001b16f"
    "\U00020000-\U0003134f"
)
RUN: Final = re.compile(f"[{_CLASS}]+")


def pieces(text: str) -> str:
    """Return the pairs of signs of each run without spaces, and the words that are glued to one."""
    if _is_western(text) or not RUN.search(text):
        return ""
    found: list[str] = []
    token, part = _patterns()
    for one in token.findall(text):
        found += [pairs(piece) if RUN.match(piece) else piece for piece in part.findall(one)]
    return " ".join(found)


@cache
def _patterns() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what matches a token with such a run, and its parts; made at the first need, as it takes 10 ms."""
    return (
        re.compile(rf"[\w{_CLASS}]*[{_CLASS}][\w{_CLASS}]*"),
        re.compile(rf"[{_CLASS}]+|[^\W_{_CLASS}]+"),
    )


def _is_western(text: str) -> bool:
    """Tell quickly that a text has no sign above U+00FF, as most have."""
    if text.isascii():
        return True
    try:
        text.encode("latin-1")
    except UnicodeEncodeError:
        return False
    return True


def pairs(run: str) -> str:
    """Return the pairs of a run and its last sign, so that one sign alone is found as the start of a pair."""
    return " ".join([*(run[place : place + 2] for place in range(len(run) - 1)), run[-1]])


def phrase(run: str) -> str:
    """Return what finds a run inside running text, as a phrase of the full-text language."""
    if len(run) == 1:
        return f'pieces : "{run}" *'
    return f'pieces : "{" ".join(run[place : place + 2] for place in range(len(run) - 1))}"'
