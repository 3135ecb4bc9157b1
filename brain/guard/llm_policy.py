"""What a brain lets providers of answers have: `llm_policy` of .cabecao.json. It only restricts; a fault closes."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final

from brain.note.schema import TRUST, TYPES


class Allow(StrEnum):
    """Which providers may be asked."""

    ANY = "any"
    AGENT = "agent"  # only the installed agent
    NONE = "none"


class InvalidPolicy(Exception):
    """The policy cannot be taken; carries the name of the field that is wrong."""


@dataclass(frozen=True)
class LlmPolicy:
    """One brain's policy, checked."""

    allow: Allow = Allow.ANY
    exclude_paths: tuple[str, ...] = ()
    exclude_types: tuple[str, ...] = ()
    exclude_trust: tuple[str, ...] = ()

    def excludes(self, *, path: str, type_: str | None, trust: str | None) -> bool:
        """Tell whether a note never goes to a provider."""
        if type_ in self.exclude_types or trust in self.exclude_trust:
            return True
        return any(_pattern(one).fullmatch(_plain(path)) for one in self.exclude_paths)

    def as_json(self) -> dict[str, Any]:
        """Return what .cabecao.json holds: the fields that restrict something."""
        lists = {name: list(getattr(self, name)) for name in _LISTS if getattr(self, name)}
        return {**({} if self.allow is Allow.ANY else {"allow": self.allow.value}), **lists}


_LISTS: Final = ("exclude_paths", "exclude_types", "exclude_trust")
_LONGEST: Final = 300
_WILDCARDS: Final[Mapping[str, str]] = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}


def parse(value: Any) -> LlmPolicy:
    """Return the policy in a value of .cabecao.json, the open one for None; InvalidPolicy names what is wrong."""
    if value is None:
        return LlmPolicy()
    if not isinstance(value, dict):
        raise InvalidPolicy("llm_policy")
    for name, given in value.items():
        if name != "allow" and name not in _LISTS:
            raise InvalidPolicy(str(name)[:64])
        if name in _LISTS and not (isinstance(given, list) and all(_is_text(one) for one in given)):
            raise InvalidPolicy(name)
    allow = value.get("allow", Allow.ANY.value)
    if allow not in list(Allow):
        raise InvalidPolicy("allow")
    policy = LlmPolicy(Allow(allow), *(tuple(value.get(name, ())) for name in _LISTS))
    _check_names(policy)
    return policy


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= _LONGEST and value.isprintable()


def _check_names(policy: LlmPolicy) -> None:
    if not all(_folded(one) for one in policy.exclude_paths):
        raise InvalidPolicy("exclude_paths")
    for name, known in (("exclude_types", TYPES), ("exclude_trust", TRUST)):
        if set(getattr(policy, name)) - set(known):
            raise InvalidPolicy(name)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _folded(pattern: str) -> str:
    """Return a pattern of paths as it is compared; empty where it could match none."""
    return _plain(pattern.strip()).removeprefix("./").strip("/")


@cache
def _pattern(text: str) -> re.Pattern[str]:
    """Return a pattern of paths as an expression; a folder covers everything inside it."""
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", _folded(text))
    return re.compile("".join(_WILDCARDS.get(piece) or re.escape(piece) for piece in pieces) + "(?:/.*)?", re.DOTALL)
