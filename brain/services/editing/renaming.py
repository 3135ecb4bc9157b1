"""Which headings of a note have another name in its new text: links to them are to follow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher

from brain.note import links, structure
from brain.note.structure import Heading, Structure


def renamed(before: str, after: str) -> dict[str, str]:
    """Return the new text of each heading that was renamed, by the anchor of the old one.

    A heading that is still there was not renamed, and one that was there before is nobody's new name. Of the others
    those are pairs that stand at the same place, or over the same text.
    """
    old, new = structure.scan(before), structure.scan(after)
    there = {links.anchor(one.text) for one in new.headings}
    known = {links.anchor(one.text) for one in old.headings}
    found: dict[str, str] = {}
    for first, second in _pairs(_Texts(before, old), _Texts(after, new)):
        gone, come = links.anchor(first.text), links.anchor(second.text)
        if first.text and second.text and gone not in there and come not in known:
            found.setdefault(gone, second.text)
    return found


def followed(heading: str, renames: Mapping[str, str]) -> str | None:
    """Return what a link's heading is to say, None where it stays; a path such as `Parent#Child` part by part."""
    parts = heading.split("#")
    after = [renames.get(links.anchor(part), part) if part.strip() else part for part in parts]
    return "#".join(after) if after != parts else None


class _Texts:
    """The headings of a body, and what stands directly under each."""

    def __init__(self, body: str, found: Structure) -> None:
        self.headings: Sequence[Heading] = found.headings
        ends = [*(one.start for one in found.headings[1:]), len(body)]
        starts = [one.content_start for one in found.headings]
        self.under = [body[start:end].strip() for start, end in zip(starts, ends, strict=False)]

    @property
    def keys(self) -> list[tuple[int, str]]:
        return [(one.level, one.text) for one in self.headings]


def _pairs(old: _Texts, new: _Texts) -> Iterator[tuple[Heading, Heading]]:
    for tag, i, i_end, j, j_end in SequenceMatcher(None, old.keys, new.keys, autojunk=False).get_opcodes():
        if tag != "replace":
            continue
        if i_end - i == j_end - j:
            yield from zip(old.headings[i:i_end], new.headings[j:j_end], strict=True)
            continue
        for first in range(i, i_end):
            same = [place for place in range(j, j_end) if old.under[first] and new.under[place] == old.under[first]]
            if len(same) == 1:
                yield old.headings[first], new.headings[same[0]]
