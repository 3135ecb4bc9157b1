"""A note's body as safe HTML, its headings directly under the page's own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString, mark_safe

from brain.note import markdown
from brain.note.markdown import Resolve

# Ids that the page around a note's text uses.
_RESERVED: Final = (
    "content",
    "toasts",
    "shortcuts",
    "shortcuts-title",
    "search-box",
    "cited",
    "versions",
    "neighbours",
)
_ID: Final = re.compile(r' id="([^"]+)"')
_HEADING: Final = re.compile(r"<(/?)h([2-6])(?=[ >])")


@dataclass(frozen=True)
class Rendered:
    """The text before, in and after a cited passage; all of it in `before` where none is cited.

    `as_typed`: it was too much to lay out, and stands as it does in the file.
    """

    before: SafeString
    cited: SafeString
    after: SafeString
    as_typed: bool = False


NOTHING: Final = Rendered(SafeString(""), SafeString(""), SafeString(""))


def render(
    body: str, *, resolve: Resolve, start: int = 0, cited: tuple[int, int] | None = None, top: int = 2
) -> Rendered:
    """Render a body from the place `start` on; its highest headings become those of level `top`."""
    first, last = (max(place, start) for place in cited or (len(body), len(body)))
    wanted = [body[start:first], body[first:last], body[last:]]
    if markdown.is_too_much(body):
        before, passage, after = (_safe(markdown.as_typed(piece) if piece else "") for piece in wanted)
        return Rendered(before, passage, after, as_typed=True)
    pieces = list(_rendered(wanted, resolve))
    highest = min((int(found[2]) for piece in pieces for found in _HEADING.finditer(piece)), default=top)
    before, passage, after = (_safe(_lifted(piece, highest - top)) for piece in pieces)
    return Rendered(before, passage, after)


def _rendered(pieces: Iterable[str], resolve: Resolve) -> Iterator[str]:
    taken = list(_RESERVED)
    for piece in pieces:
        found = markdown.render(piece, resolve=resolve, reserved_ids=taken) if piece else ""
        taken += _ID.findall(found)
        yield found


def _lifted(piece: str, levels: int) -> str:
    """Move the headings up or down; the renderer escapes what looks like a tag in the text itself."""
    if not levels:
        return piece
    return _HEADING.sub(lambda found: f"<{found[1]}h{min(6, max(2, int(found[2]) - levels))}", piece)


def _safe(piece: str) -> SafeString:
    return mark_safe(piece)  # noqa: S308 (the renderer lets through nothing that could act)
