"""The table of note types and of frontmatter keys, and what is wrong with a note's fields."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from types import MappingProxyType
from typing import Any, Final

from brain.language import gettext as _
from brain.language import gettext_noop as N_

_FACT: Final = frozenset({"subject", "predicate", "object"})


@dataclass(frozen=True)
class NoteType:
    """A kind of note: where it lies, its ring, and the keys that it alone may carry."""

    name: str
    folder: str
    ring: int
    fields: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Key:
    """A frontmatter key: the kind of its value, who fills it in, and its place in a new block."""

    name: str
    kind: str
    owner: str
    order: int


@dataclass(frozen=True)
class Problem:
    """What is wrong with one field."""

    field: str
    message: str


_TYPES: Final = (
    NoteType("rule", "memory/rules", 0),
    NoteType("preference", "memory/preferences", 1),
    NoteType("gotcha", "memory/gotchas", 2),
    NoteType("decision", "memory/decisions", 2),
    NoteType("fact", "memory/facts", 2, _FACT),
    NoteType("procedure", "memory/procedures", 2),
    NoteType("handoff", "memory/handoffs", 2),
    NoteType("focus", "memory/focus", 2),
    NoteType("episode", "memory/episodes", 3),
    NoteType("entity", "wiki/entities", 2),
    NoteType("concept", "wiki/concepts", 2),
    NoteType("source", "wiki/sources", 4),
    NoteType("synthesis", "wiki/syntheses", 2),
)
TYPES: Final[Mapping[str, NoteType]] = MappingProxyType({one.name: one for one in _TYPES})

TRUST: Final = ("low", "medium", "high")
RINGS: Final = range(5)
PII_KINDS: Final = ("none", "email", "ipv4", "ipv6", "api-key", "iban", "phone", "cpf", "cnpj")
RELATIONS: Final = (
    "uses",
    "part_of",
    "depends_on",
    "decided_by",
    "works_on",
    "related_to",
    "supersedes",
    "superseded_by",
)
TRUE_WORDS: Final = frozenset({"true", "yes", "on", "sim", "verdadeiro", "1"})
FALSE_WORDS: Final = frozenset({"false", "no", "off", "não", "nao", "falso", "0", ""})

_ORDER: Final = (
    ("id", "text", "cabecao"),
    ("type", "type", "person"),
    ("title", "text", "person"),
    ("scope", "scope", "person"),
    ("tags", "texts", "person"),
    ("aliases", "texts", "person"),
    ("created", "moment", "cabecao"),
    ("updated", "moment", "cabecao"),
    ("trust", "trust", "person"),
    ("origin", "origin", "cabecao"),
    ("edited_by", "text", "cabecao"),
    ("approved_by", "text", "cabecao"),
    ("approved_at", "moment", "cabecao"),
    ("confirmed", "confirmed", "person"),
    ("subject", "text", "person"),
    ("predicate", "text", "person"),
    ("object", "text", "person"),
    ("valid_from", "date", "person"),
    ("valid_until", "date", "person"),
    ("expires_at", "date", "person"),
    *((name, "texts", "person") for name in RELATIONS),
    ("sources", "texts", "person"),
    ("private", "flag", "person"),
    ("ring", "ring", "person"),
    ("pii", "pii", "person"),
    ("retention", "duration", "person"),
    ("bereich", "text", "person"),
    ("forget_reason", "text", "cabecao"),
)
KEYS: Final[Mapping[str, Key]] = MappingProxyType(
    {name: Key(name, kind, owner, place) for place, (name, kind, owner) in enumerate(_ORDER)}
)
DATE_KINDS: Final = frozenset({"date", "moment", "confirmed"})

_SCOPE: Final = re.compile(r"global|project:[^\W_](?:[\w.-]){0,79}")
_ORIGIN: Final = re.compile(r"human|(?:agent|ingest):\S.*")
_DATE: Final = re.compile(r"\d{4}-\d{2}-\d{2}")
_DURATION: Final = re.compile(r"P(?=\d|T\d)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?")


def is_scope(text: str) -> bool:
    """Tell whether a text is `global` or `project:<name>`."""
    return _SCOPE.fullmatch(text) is not None


def is_duration(text: str) -> bool:
    """Tell whether a text is an ISO 8601 duration, such as `P2Y`."""
    return _DURATION.fullmatch(text) is not None


def in_order(names: Iterable[str]) -> list[str]:
    """Return keys in the order of a new block: the known ones first, the others as they came."""
    return sorted(names, key=lambda name: KEYS[name].order if name in KEYS else len(KEYS))


def problems(frontmatter: Mapping[str, Any], *, relation_types: Iterable[str] = ()) -> list[Problem]:
    """Return what is wrong with the known fields of a frontmatter; a key that is not known is the person's own."""
    extra = set(relation_types)
    found = []
    for name, value in frontmatter.items():
        kind = KEYS[name].kind if name in KEYS else "texts" if name in extra else None
        if kind is None or value is None:
            continue
        fits, expected = _KINDS[kind]
        if not fits(value):
            found.append(
                Problem(name, _("“%(field)s” must be %(expected)s.") % {"field": name, "expected": _(expected)})
            )
    return found + _misplaced(frontmatter)


def _misplaced(frontmatter: Mapping[str, Any]) -> list[Problem]:
    """Return the fields of another type that a note of a known type carries as the whole of that type."""
    name = frontmatter.get("type")
    if not isinstance(name, str) or name not in TYPES:
        return []
    others = [one for one in _TYPES if one.fields and one.name != name and one.fields <= frontmatter.keys()]
    message = _("“%(field)s” belongs to notes of type %(type)s only.")
    return [
        Problem(field, message % {"field": field, "type": one.name}) for one in others for field in sorted(one.fields)
    ]


def _is_text(value: Any) -> bool:
    return isinstance(value, str | int | float)


def _is_texts(value: Any) -> bool:
    """Accept a text or a list of texts; `[[Name]]` without quotes is a list in a list, and is meant as a link."""
    if isinstance(value, list):
        return all(one is None or (not isinstance(one, dict) and _is_texts(one)) for one in value)
    return isinstance(value, str | int | float)


def _is_date(value: Any) -> bool:
    if not isinstance(value, str) or not _DATE.fullmatch(value):
        return False
    try:
        date.fromisoformat(value)
    except ValueError:
        return False
    return True


def _is_moment(value: Any) -> bool:
    try:
        datetime.fromisoformat(value)
    except (TypeError, ValueError):
        return False
    return _DATE.match(value) is not None


def _is_flag(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(str(one).strip().lower() in TRUE_WORDS | FALSE_WORDS for one in values)


def _is_pii(value: Any) -> bool:
    values = value if isinstance(value, list) else [value]
    return all(isinstance(one, str) and one in PII_KINDS for one in values)


_KINDS: Final[Mapping[str, tuple[Callable[[Any], bool], str]]] = {
    "text": (lambda value: _is_text(value) or _is_link(value), N_("a text")),
    "texts": (_is_texts, N_("a text or a list of texts")),
    "type": (lambda value: isinstance(value, str) and value in TYPES, N_("a known note type")),
    "scope": (lambda value: isinstance(value, str) and is_scope(value), N_("global or project:<name>")),
    "trust": (lambda value: value in TRUST, N_("low, medium or high")),
    "origin": (
        lambda value: isinstance(value, str) and _ORIGIN.fullmatch(value) is not None,
        N_("human, agent:<client> or ingest:<source>"),
    ),
    "date": (_is_date, N_("a date that exists, YYYY-MM-DD")),
    "moment": (_is_moment, N_("a date, or a date and a time")),
    "confirmed": (lambda value: isinstance(value, bool) or _is_moment(value), N_("a date, or true or false")),
    "flag": (_is_flag, N_("true or false")),
    "ring": (lambda value: type(value) is int and value in RINGS, N_("a whole number from 0 to 4")),
    "pii": (_is_pii, N_("a kind of personal data, or a list of kinds")),
    "duration": (lambda value: isinstance(value, str) and is_duration(value), N_("an ISO 8601 duration, such as P2Y")),
}


def _is_link(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 1 and isinstance(value[0], list) and _is_texts(value)
