"""Which addresses a provider may have: https, or http on this machine; never link-local or metadata ones."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from enum import StrEnum
from typing import Final
from urllib.parse import urlsplit

LOCAL_NAMES: Final = frozenset({"localhost", "127.0.0.1", "::1"})
_METADATA: Final = frozenset({"metadata", "metadata.google.internal", "metadata.goog", "instance-data"})
_METADATA_ADDRESSES: Final = frozenset(map(ipaddress.ip_address, ("100.100.100.200", "192.0.0.192", "fd00:ec2::254")))
_LONGEST: Final = 300
_PORTS: Final = {"http": 80, "https": 443}
IpAddress = ipaddress.IPv4Address | ipaddress.IPv6Address


class Fault(StrEnum):
    """What is wrong with an address."""

    UNREADABLE = "unreadable"
    SCHEME = "scheme"  # neither https, nor http on this machine
    EXTRAS = "extras"  # a user name, a password, a query or a fragment
    FORBIDDEN = "forbidden"  # link-local, metadata, unspecified
    FIXED = "fixed"  # the provider's address is not to be chosen


class AddressRefused(Exception):
    """An address may not be called."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.value)
        self.fault = fault


@dataclass(frozen=True)
class Address:
    """A checked address; `text` has no slash at its end."""

    text: str
    scheme: str
    host: str
    port: int

    @property
    def is_local(self) -> bool:
        """Tell whether it is on this machine."""
        return self.host in LOCAL_NAMES

    @property
    def shown(self) -> str:
        """The host with its port where that is not the usual one."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


def parse(text: str) -> Address:
    """Return an address that may be called; AddressRefused says what is wrong."""
    if (
        len(text) > _LONGEST
        or not text.isascii()
        or not text.isprintable()
        or any(sign in text for sign in " \\\"'`^{}|")
    ):
        raise AddressRefused(Fault.UNREADABLE)
    try:
        parts = urlsplit(text)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError:
        raise AddressRefused(Fault.UNREADABLE) from None
    if parts.scheme not in _PORTS:
        raise AddressRefused(Fault.SCHEME)
    if not host or port == 0:
        raise AddressRefused(Fault.UNREADABLE)
    if "@" in parts.netloc or parts.query or parts.fragment or "?" in text or "#" in text:
        raise AddressRefused(Fault.EXTRAS)
    _check_host(host)
    if parts.scheme == "http" and host not in LOCAL_NAMES:
        raise AddressRefused(Fault.SCHEME)
    return Address(text.rstrip("/"), parts.scheme, host, port or _PORTS[parts.scheme])


def _check_host(host: str) -> None:
    if host in _METADATA:
        raise AddressRefused(Fault.FORBIDDEN)
    number = _as_number(host)
    if number is not None and is_forbidden(number):
        raise AddressRefused(Fault.FORBIDDEN)


def _as_number(host: str) -> IpAddress | None:
    """Return the address that a host spells in numbers, also in the spellings that only the system understands."""
    try:
        return ipaddress.ip_address(host.partition("%")[0])
    except ValueError:
        pass
    try:
        return ipaddress.ip_address(socket.inet_aton(host))
    except (OSError, ValueError):
        return None


def is_forbidden(number: IpAddress) -> bool:
    """Tell whether a number is never called: link-local, metadata, unspecified, multicast, reserved."""
    inner = getattr(number, "ipv4_mapped", None) or getattr(number, "sixtofour", None)
    if inner is not None and is_forbidden(inner):
        return True
    if isinstance(number, ipaddress.IPv6Address) and number in ipaddress.ip_network("64:ff9b::/96"):
        return is_forbidden(ipaddress.IPv4Address(int(number) & 0xFFFFFFFF))
    is_nowhere = isinstance(number, ipaddress.IPv4Address) and number in ipaddress.ip_network("0.0.0.0/8")
    return (
        number.is_link_local
        or is_nowhere
        or number.is_unspecified
        or number.is_multicast
        or number in _METADATA_ADDRESSES
    )


def check_numbers(address: Address) -> None:
    """Raise AddressRefused where a name leads to a number that is never called; OSError where it leads nowhere."""
    for *_kind, place in socket.getaddrinfo(address.host, address.port, type=socket.SOCK_STREAM):
        number = ipaddress.ip_address(str(place[0]).partition("%")[0])
        if is_forbidden(number) or (address.is_local and not number.is_loopback):
            raise AddressRefused(Fault.FORBIDDEN)
