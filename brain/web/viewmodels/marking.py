"""Marked stretches of a text: the words of a search, whatever their accents and case, and the label of a link."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from brain.note import links

_HIT: Final = re.compile("«([^«»]*)»")
_MARKUP: Final = re.compile(
    r"(?m)(?:(?<=\s)|^)#{1,6}\s+|^\s*(?:[-*+]\s+(?:\[[ xX]\]\s+)?|>\s?|\d{1,3}[.)]\s+)|\*\*|__|`|~~"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?…])\s+")
_MOST: Final = 180


@dataclass(frozen=True)
class Stretch:
    """A part of a text; a marked one is a hit."""

    text: str
    is_marked: bool = False


def hits(snippet: str, terms: Iterable[str]) -> tuple[Stretch, ...]:
    """Return a search's snippet as plain text, what stands between « and » marked where it holds one of the terms."""
    wanted = tuple(folded for folded in map(_folded, terms) if folded)
    found: list[Stretch] = []
    position, text = 0, plain(snippet)
    for match in _HIT.finditer(text):
        if any(term in _folded(match[1]) for term in wanted):
            found += [Stretch(text[position : match.start()]), Stretch(match[1], is_marked=True)]
            position = match.end()
    found.append(Stretch(text[position:]))
    return tuple(one for one in found if one.text)


def plain(text: str) -> str:
    """Return a passage without the signs of its markup, links as their labels."""
    return "".join(one.text for one in _unlinked(text, frozenset()))


def sentence(line: str, own_keys: frozenset[str]) -> tuple[Stretch, ...]:
    """Return the sentence of a line that links to a note, with the link's label marked.

    `own_keys` are the keys by which the note can be named. Empty where no link of the line names it.
    """
    stretches = _unlinked(line, own_keys)
    place = next((number for number, one in enumerate(stretches) if one.is_marked), None)
    if place is None:
        return ()
    before = "".join(one.text for one in stretches[:place])
    after = "".join(one.text for one in stretches[place + 1 :])
    head = _SENTENCE.split(before)[-1]
    tail = _SENTENCE.split(after, maxsplit=1)[0]
    room = max(20, _MOST - len(stretches[place].text))
    head = head if len(head) <= room // 2 else "…" + head[-room // 2 :]
    tail = tail if len(tail) <= room else tail[:room] + "…"
    return (Stretch(head), stretches[place], Stretch(tail))


def _unlinked(text: str, own_keys: frozenset[str]) -> list[Stretch]:
    found: list[Stretch] = []
    position = 0
    for link in links.find_all(text, ()):
        found.append(Stretch(_MARKUP.sub("", text[position : link.start])))
        label = link.label or link.target or link.heading or ""
        found.append(Stretch(label, _is_own(link.target, own_keys)))
        position = link.end
    found.append(Stretch(_MARKUP.sub("", text[position:])))
    return found


def _is_own(target: str, own_keys: frozenset[str]) -> bool:
    key = links.target_key(target)
    return bool(key) and (key in own_keys or any(own.endswith(f"/{key}") for own in own_keys))


def _folded(text: str) -> str:
    plain_text = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in plain_text if not unicodedata.combining(sign))
