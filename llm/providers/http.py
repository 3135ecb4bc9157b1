"""What the providers that are reached over HTTP share: name, destination, key, call."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from llm import addresses
from llm.addresses import Address, AddressRefused
from llm.consent import Entry
from llm.failure import Code, Failure
from llm.keys import Keys
from llm.transport import Call


@dataclass(frozen=True)
class HttpProvider:
    """A provider at an address."""

    entry: Entry
    keys: Keys

    @property
    def name(self) -> str:
        """The provider's code."""
        return self.entry.provider

    @property
    def model(self) -> str:
        """The model that is asked."""
        return self.entry.model

    @cached_property
    def address(self) -> Address:
        """Where it is, checked again."""
        return addresses.parse(self.entry.address)

    @property
    def destination(self) -> str:
        """Its host, with the port where that is not the usual one."""
        return self.address.shown

    def call(self, path: str, body: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Call:
        """Return a call of this provider."""
        try:
            address = self.address
        except AddressRefused:
            raise Failure(Code.ADDRESS) from None
        return Call(address, path, body, headers or {}, trusts_environment=self.keys.is_person)

    def key_header(self, name: str, prefix: str = "") -> dict[str, str]:
        """Return the header with the key; none where the provider has no key."""
        key = self.keys.find(self.entry)
        return {} if key is None else {name: prefix + key.text}


def count(value: Any, *names: str) -> int | None:
    """Return a whole number inside nested objects, None where there is none."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if type(value) is int and value >= 0 else None


def items(value: Any) -> list[Any]:
    """Return a list as it is, and an empty one for anything else."""
    return value if isinstance(value, list) else []


def first(value: Any) -> Any:
    """Return the first item of a list, None where there is none."""
    return next(iter(items(value)), None)


def text_in(value: Any, *path: str | int) -> str:
    """Return the text at a place inside nested objects and lists, empty where there is none."""
    for step in path:
        if isinstance(step, int):
            value = value[step] if isinstance(value, list) and len(value) > step else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return value if isinstance(value, str) else ""
