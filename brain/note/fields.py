"""The fields of a note as the rest of the product reads them: lenient, never failing."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final

from brain.note.document import Document
from brain.note.schema import KEYS, RELATIONS, RINGS, TRUE_WORDS, TRUST, TYPES, is_duration, is_scope
from brain.note.structure import Structure, scan

_PRIVATE_TAG: Final = re.compile(r"#(?<![\w/#&-]#)(?i:private)(?![\w-])")
_LONGEST_LINE: Final = 1_000
_HEADING: Final = re.compile(r"(?m)^ {0,3}(?:#{1,6}[ \t]|=+[ \t]*\r?$|-+[ \t]*\r?$)")
_SLUG: Final = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)+")
_LINK: Final = re.compile(r"!?\[([^\]\[]*)\]\([^()\s]*\)|!?\[\[(?:[^\]\[|]*\|([^\]\[]+)|([^\]\[|]+))\]\]")
_CODE: Final = re.compile(r"(`+)(.+?)\1(?!`)")
_EMPHASIS: Final = re.compile(r"(?<![\w*_])(\*{1,3}|_{1,3})(?=\S)([^*_]+?)(?<=\S)\1(?![\w*_])")
_TOP_HEADING: Final = re.compile(r"(?m)^ {0,3}(?:#[ \t]|=+[ \t]*\r?$)")


@dataclass(frozen=True)
class Fields:
    """A note's known fields; what is missing or of the wrong form has its default."""

    title: str
    id: str | None = None
    type: str | None = None
    scope: str = "global"
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    created: str | None = None
    updated: str | None = None
    trust: str | None = None
    origin: str | None = None
    edited_by: str | None = None
    approved_by: str | None = None
    approved_at: str | None = None
    confirmed: str | None = None
    valid_from: date | None = None
    valid_until: date | None = None
    expires_at: date | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    relations: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    private: bool = False
    ring: int | None = None
    forget_reason: str | None = None
    pii: tuple[str, ...] = ()
    retention: str | None = None
    bereich: str | None = None


def read(
    document: Document, path: str, *, structure: Structure | None = None, relation_types: Iterable[str] = ()
) -> Fields:
    """Return the fields of a note; a title that is not given is the heading that names it, else its file's name."""
    found = document.frontmatter
    stem = posixpath.basename(path).removesuffix(".md")
    relations = {name: _texts(found[name]) for name in (*RELATIONS, *relation_types) if name in found}
    return Fields(
        title=_text(found.get("title")) or _named_by_heading(document.body, structure, stem) or stem,
        tags=tuple(dict.fromkeys(_tags(found))),
        aliases=_texts(found.get("aliases")) + _texts(found.get("alias")),
        **_simple(found),
        relations={name: targets for name, targets in relations.items() if targets},
        private=is_private(document),
    )


def is_private(document: Document, fields: Fields | None = None) -> bool:
    """Tell whether a note must not leave this machine by its own words: a key, a tag, or a tag in its text.

    Whether a note with unreadable frontmatter leaves is decided where things leave.
    """
    if fields is not None:
        return fields.private
    found = document.frontmatter
    if any(key.lower() == "private" and _is_true(value) for key, value in found.items()):
        return True
    if any(tag.casefold() == "private" or tag.casefold().startswith("private/") for tag in _tags(found)):
        return True
    return _PRIVATE_TAG.search(document.body) is not None


def _simple(found: Mapping[str, Any]) -> dict[str, Any]:
    return {name: reader(found[name]) for name, reader in _READERS.items() if name in found}


def without_markup(text: str) -> str:
    """Return a line of Markdown as it is read: without emphasis, code ticks and the targets of links."""
    if len(text) > _LONGEST_LINE:
        return text.strip()
    plain = _LINK.sub(lambda found: found[1] or found[2] or found[3] or "", text)
    plain = _CODE.sub(lambda found: found[2].strip() or found[0], plain)
    while (less := _EMPHASIS.sub(r"\2", plain)) != plain:
        plain = less
    return plain.strip() or text.strip()


def _named_by_heading(body: str, structure: Structure | None, stem: str) -> str | None:
    """Return the heading that names the note: its only level-1 heading, or the one that it begins with.

    A lower heading names a file whose own name is no title, as `ch04-01-ownership.md`, where none is above it.
    """
    is_slug = _SLUG.fullmatch(stem) is not None
    if structure is None:
        if not (_HEADING if is_slug else _TOP_HEADING).search(body):
            return None
        structure = scan(body)
    headings = [one for one in structure.headings if one.text]
    if not headings:
        return None
    top = [one for one in headings if one.level == 1]
    first = headings[0]
    begins = not body[: first.start].strip()
    if len(top) == 1:
        return without_markup(top[0].text)
    named = begins and (first.level == 1 or (is_slug and all(one.level >= first.level for one in headings)))
    return without_markup(first.text) if named else None


def own_keys(document: Document, *, relation_types: Iterable[str] = ()) -> dict[str, tuple[str, ...]]:
    """Return the texts of the keys that are the person's own, in the order of the block."""
    known = {*KEYS, *relation_types, "alias", "tag"}
    found = {key: tuple(_leaves(value)) for key, value in document.frontmatter.items() if key not in known}
    return {key: texts for key, texts in found.items() if texts}


def _leaves(value: Any) -> Iterator[str]:
    """Yield the texts inside a value, as far as a person would look for them."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Mapping):
            waiting += reversed(list(one.values()))
        elif isinstance(one, list) and (text := _text(one)) is None:
            waiting += reversed(one)
        elif isinstance(one, str | int | float | list) and not isinstance(one, bool):
            yield text if isinstance(one, list) and text else str(one).strip()


def _text(value: Any) -> str | None:
    """Return a scalar as the text that was written; `[[Name]]` without quotes reads as a link."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int):
        return str(value).strip() or None
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        return f"[[{', '.join(_texts(value[0]))}]]" if value[0] else None
    return None


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, list):
        return tuple(text for one in value if (text := _item(one)))
    text = _text(value)
    return (text,) if text else ()


def _item(value: Any) -> str | None:
    """Return an item of a list as text; one that is a list is a link without quotes."""
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    if isinstance(value, list):
        inner = ", ".join(text for one in value if (text := _text(one)))
        return f"[[{inner}]]" if inner else None
    return _text(value)


def _tags(found: Mapping[str, Any]) -> list[str]:
    texts = [text for key in ("tags", "tag") for value in (found.get(key),) for text in _split(value)]
    return [tag for text in texts if (tag := text.strip().lstrip("#").strip())]


def _split(value: Any) -> list[str]:
    return value.split(",") if isinstance(value, str) else list(_texts(value))


def _type(value: Any) -> str | None:
    text = _text(value) if not isinstance(value, list) else None
    return text.lower() if text and text.lower() in TYPES else text


def _scope(value: Any) -> str:
    text = _text(value) or ""
    return text if is_scope(text) else "global"


def _trust(value: Any) -> str | None:
    text = (_text(value) or "").lower()
    return text if text in TRUST else None


def _ring(value: Any) -> int | None:
    text = _text(value) or ""
    return int(text) if len(text) == 1 and text.isascii() and text.isdigit() and int(text) in RINGS else None


def _duration(value: Any) -> str | None:
    text = _text(value) or ""
    return text if is_duration(text) else None


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat((_text(value) or "")[:10])
    except ValueError:
        return None


def _is_true(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return any((_text(one) or "").lower() in TRUE_WORDS for one in values)


_READERS: Final[Mapping[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("id", "created", "updated", "origin", "edited_by", "approved_by", "approved_at"), _text),
    **dict.fromkeys(("confirmed", "subject", "predicate", "object", "forget_reason", "bereich"), _text),
    **dict.fromkeys(("valid_from", "valid_until", "expires_at"), _date),
    **dict.fromkeys(("supersedes", "superseded_by", "sources", "pii"), _texts),
    "type": _type,
    "scope": _scope,
    "trust": _trust,
    "ring": _ring,
    "retention": _duration,
}
