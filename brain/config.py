"""The brain's folder and its settings, `.cabecao.json`.

An unknown key is an error that names the key, so that a slip of the pen never falls back to a default in silence.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from brain.errors import InvalidConfig, NotABrain
from brain.language import gettext as _

FILE: Final = ".cabecao.json"
SCHEMA_VERSION: Final = 1
MACHINE_FOLDER: Final = ".cabecao"


@dataclass(frozen=True)
class Config:
    """The settings of one brain, checked."""

    language: str | None = None
    resident_cap_tokens: int = 8192
    residents_in_agent_search: bool = True
    contradiction_budget_ms: int = 3000
    untrusted_clients: tuple[str, ...] = ()
    relation_types: tuple[str, ...] = ()
    many_valued_predicates: frozenset[str] = field(default_factory=frozenset)
    llm_policy: Any = None  # as it is: what cannot be taken closes answers and nothing else (guard.llm_policy)


@dataclass(frozen=True)
class Brain:
    """A folder of notes that is a brain: where its things lie."""

    root: Path

    @property
    def machine(self) -> Path:
        """The folder of what belongs to this machine only; Git ignores it."""
        return self.root / MACHINE_FOLDER

    @property
    def config_file(self) -> Path:
        """The settings file."""
        return self.root / FILE

    def config(self) -> Config:
        """Return the settings as they are now; read again only when the file changed."""
        return _cached(self.config_file)


_here: list[Brain] = []
_cache: dict[Path, tuple[tuple[int, int], Config]] = {}


def enter(root: Path) -> Brain:
    """Make a folder this process's brain; NotABrain where it has no .cabecao.json."""
    brain = Brain(root.expanduser().resolve())
    if not brain.config_file.is_file():
        raise NotABrain(_("%(folder)s is not a brain: it has no %(file)s.") % {"folder": brain.root, "file": FILE})
    _here[:] = [brain]
    return brain


def here() -> Brain:
    """Return this process's brain."""
    if not _here:
        raise NotABrain(_("No brain was chosen."))
    return _here[0]


def leave() -> None:
    """Forget this process's brain."""
    _here.clear()


def _cached(file: Path) -> Config:
    try:
        stat = file.stat()
        stamp = (stat.st_mtime_ns, stat.st_size)
        if file not in _cache or _cache[file][0] != stamp:
            _cache[file] = (stamp, parse(file.read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise NotABrain(
            _("%(folder)s is not a brain: it has no %(file)s.") % {"folder": file.parent, "file": FILE}
        ) from None
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidConfig(_("%(file)s cannot be read: %(reason)s.") % {"file": FILE, "reason": error}) from error
    return _cache[file][1]


def parse(text: str) -> Config:
    """Return the settings in a text; InvalidConfig names the key that is wrong."""
    try:
        value = json.loads(text)
    except ValueError as error:
        raise InvalidConfig(_("%(file)s is not valid JSON: %(reason)s.") % {"file": FILE, "reason": error}) from error
    found: dict[str, Any] = {}
    _walk(value, _KEYS, "", found)
    return Config(**found)


def _walk(value: Any, keys: Mapping[str, Any], path: str, found: dict[str, Any]) -> None:
    if not isinstance(value, dict):
        raise _wrong(path or FILE, _("an object"))
    for key, inner in value.items():
        name = f"{path}.{key}" if path else key
        if key not in keys:
            raise InvalidConfig(_("%(file)s has the unknown key “%(key)s”.") % {"file": FILE, "key": name})
        reader = keys[key]
        if isinstance(reader, dict):
            _walk(inner, reader, name, found)
        else:
            reader(inner, name, found)


def _wrong(name: str, expected: str) -> InvalidConfig:
    return InvalidConfig(
        _("In %(file)s, “%(key)s” must be %(expected)s.") % {"file": FILE, "key": name, "expected": expected}
    )


def _version(value: Any, name: str, _found: dict[str, Any]) -> None:
    if type(value) is not int or value < 1:
        raise _wrong(name, _("a positive whole number"))
    if value > SCHEMA_VERSION:
        raise InvalidConfig(
            _("This brain has schema %(theirs)s; this Cabeção knows schema %(ours)s.")
            % {"theirs": value, "ours": SCHEMA_VERSION},
            next_step=_("Install a newer Cabeção on this machine."),
        )


def _text(field_name: str) -> Callable[[Any, str, dict[str, Any]], None]:
    def read(value: Any, name: str, found: dict[str, Any]) -> None:
        if not isinstance(value, str):
            raise _wrong(name, _("a text"))
        found[field_name] = value

    return read


def _count(field_name: str) -> Callable[[Any, str, dict[str, Any]], None]:
    def read(value: Any, name: str, found: dict[str, Any]) -> None:
        if type(value) is not int or value < 1:
            raise _wrong(name, _("a positive whole number"))
        found[field_name] = value

    return read


def _flag(field_name: str) -> Callable[[Any, str, dict[str, Any]], None]:
    def read(value: Any, name: str, found: dict[str, Any]) -> None:
        if not isinstance(value, bool):
            raise _wrong(name, _("true or false"))
        found[field_name] = value

    return read


def _texts(field_name: str) -> Callable[[Any, str, dict[str, Any]], None]:
    def read(value: Any, name: str, found: dict[str, Any]) -> None:
        if not isinstance(value, list) or not all(isinstance(one, str) for one in value):
            raise _wrong(name, _("a list of texts"))
        found[field_name] = tuple(value)

    return read


def _llm_policy(value: Any, _name: str, found: dict[str, Any]) -> None:
    found["llm_policy"] = value


def _predicates(value: Any, name: str, found: dict[str, Any]) -> None:
    if not isinstance(value, dict):
        raise _wrong(name, _("an object"))
    for predicate, options in value.items():
        if not isinstance(options, dict) or set(options) - {"many"} or not isinstance(options.get("many", False), bool):
            raise _wrong(f"{name}.{predicate}", '{"many": true}')
    found["many_valued_predicates"] = frozenset(key for key, options in value.items() if options.get("many"))


_KEYS: Final[dict[str, Any]] = {
    "schema_version": _version,
    "language": _text("language"),
    "rings": {"resident_cap_tokens": _count("resident_cap_tokens")},
    "retrieval": {
        "residents_in_agent_search": _flag("residents_in_agent_search"),
        "contradiction_budget_ms": _count("contradiction_budget_ms"),
    },
    "provenance": {"untrusted_clients": _texts("untrusted_clients")},
    "relation_types": _texts("relation_types"),
    "predicates": _predicates,
    "llm_policy": _llm_policy,
}
