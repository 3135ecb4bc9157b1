"""Names of notes as they stand in frontmatter: plain or in brackets, alone or in lists."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any, Final

from brain.note import links, schema
from brain.note.links import Link

_PLAIN: Final = frozenset({"sources", "subject", "object", *schema.RELATIONS})


def may_link(key: str, extra: Collection[str]) -> bool:
    """Tell whether what a key holds can name a note: a relation, a fact's parts, or a key of the person's own."""
    return key in _PLAIN or key in extra or key not in {*schema.KEYS, "alias", "tag"}


def is_plain(key: str, extra: Collection[str]) -> bool:
    """Tell whether a key names notes without brackets too."""
    return key in _PLAIN or key in extra


def fits(name: str) -> bool:
    """Tell whether a name can stand in a wikilink."""
    return links.parts(name) == (name, None, None, None) and not any(sign in name for sign in "[]\r\n")


def rewritten(
    value: Any, follow: Callable[[str], str | None], reheaded: Callable[[Link], str | None], *, plain: bool
) -> Any:
    """Return a value of a block with each name as `follow` and each heading as `reheaded` say; None leaves it."""
    if isinstance(value, list):
        if len(value) == 1 and isinstance(value[0], list) and len(value[0]) == 1 and isinstance(value[0][0], str):
            before = f"[[{value[0][0]}]]"
            after = _text(before, follow, reheaded, plain=plain)
            return after if after != before else value
        return [rewritten(one, follow, reheaded, plain=plain) for one in value]
    return _text(value, follow, reheaded, plain=plain) if isinstance(value, str) else value


def _text(
    text: str, follow: Callable[[str], str | None], reheaded: Callable[[Link], str | None], *, plain: bool
) -> str:
    inner = text.strip()
    if not (inner.startswith("[[") and inner.endswith("]]")):
        return (follow(inner) or text) if plain and inner else text
    found = links.parts(inner[2:-2])
    if found is None:
        return text
    heading = reheaded(Link(*found))
    after = links.with_heading(inner, heading) if heading else inner
    target = follow(found.target) if found.target else None
    return links.retargeted(after, target) if target else after if after != inner else text
