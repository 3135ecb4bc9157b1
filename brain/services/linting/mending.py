"""What mends a finding without a choice to make: a link to the one note with nearly that name, or brackets."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_lowercase
from typing import Final

from brain.index.graph import mentions
from brain.note import links, structure

_SHORTEST: Final = 5  # letters of a name in which a slip is told from another word
_GAPS: Final = re.compile(r"[\W_]+")


@dataclass(frozen=True, slots=True)
class Mend:
    """A link of this key on a line gets another target; without a target, the name itself becomes a link."""

    key: str
    target: str | None = None


def squeezed(key: str) -> str:
    """Return a name without what stands between its words."""
    return _GAPS.sub("", key)


@lru_cache(maxsize=4096)
def slips(name: str) -> frozenset[str]:
    """Return a squeezed name and those one letter away from it; a number is never taken for another."""
    if len(name) < _SHORTEST:
        return frozenset({name})
    return frozenset(_slips(name)) | {name}


def _slips(name: str) -> Iterator[str]:
    for place in range(len(name) + 1):
        before, after = name[:place], name[place:]
        yield from (before + letter + after for letter in ascii_lowercase)
        if after and not after[0].isdigit():
            yield before + after[1:]
            yield from (before + letter + after[1:] for letter in ascii_lowercase)
            if len(after) > 1 and not after[1].isdigit():
                yield before + after[1] + after[0] + after[2:]


def nearest(name: str, known: Mapping[str, Iterable[str]]) -> str | None:
    """Return the one path whose squeezed name is like this one; None where there is none, or a choice to make."""
    like = {path for one in slips(squeezed(name)) for path in known.get(one, ())}
    return like.pop() if len(like) == 1 else None


def mended(body: str, line: int, mend: Mend) -> str | None:
    """Return a body with a mend made in one of its lines, None where the line is not as the finding says."""
    return _bracketed(body, line, mend.key) if mend.target is None else _retargeted(body, line, mend.key, mend.target)


def _retargeted(body: str, line: int, key: str, target: str) -> str | None:
    for link in reversed(structure.scan(body).links):
        if link.line == line and not link.markdown and links.target_key(link.target) == key:
            source = body[link.start : link.end]
            return body[: link.start] + links.retargeted(source, target) + body[link.end :]
    return None


def _bracketed(body: str, line: int, key: str) -> str | None:
    place = mentions.Prose(body).place_of(key)
    if place is None or body.count("\n", 0, place[0]) + 1 != line:
        return None
    start, end = place
    name = body[start:end]
    if "\n" in name or links.target_key(name) != key:
        return None
    return f"{body[:start]}[[{name}]]{body[end:]}"
