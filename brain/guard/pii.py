"""Personal data in a text: which kinds, and where; what is found is never held."""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Found:
    """A piece of personal data: its kind, and the line it stands in, counted from 1."""

    kind: str
    line: int


def scan(text: str) -> list[Found]:
    """Return where a text first shows each kind of personal data, by line; numbers count where their digits check."""
    if "@" not in text and _DIGITS.search(text) is None:
        return []
    found = (_first(kind, text) for kind in _KINDS)
    return sorted((one for one in found if one is not None), key=lambda one: (one.line, one.kind))


def _first(kind: str, text: str) -> Found | None:
    pattern, fits = _KINDS[kind]
    for match in pattern.finditer(text):
        if fits(match[0]):
            return Found(kind, text.count("\n", 0, match.start()) + 1)
    return None


def _is_any(_text: str) -> bool:
    return True


def _numbers(text: str) -> list[int]:
    """Return the values of the digits and letters, as a CNPJ counts them: a letter goes on from where digits end."""
    return [ord(sign) - ord("0") for sign in text if sign.isalnum()]


def _is_cpf(text: str) -> bool:
    digits = _numbers(text)
    return len(set(digits)) > 1 and all(
        digits[place] == _check(digits[:place], range(place + 1, 1, -1)) for place in (9, 10)
    )


def _is_cnpj(text: str) -> bool:
    digits = _numbers(text)
    weights = (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)
    return len(set(digits)) > 1 and all(
        digits[place] == _check(digits[:place], weights[13 - place :]) for place in (12, 13)
    )


def _check(digits: list[int], weights: range | tuple[int, ...]) -> int:
    rest = sum(digit * weight for digit, weight in zip(digits, weights, strict=True)) % 11
    return 0 if rest < 2 else 11 - rest


def _is_iban(text: str) -> bool:
    plain = "".join(text.split())
    if not 15 <= len(plain) <= 34:
        return False
    return int("".join(str(int(sign, 36)) for sign in plain[4:] + plain[:4])) % 97 == 1


def _is_address(text: str) -> bool:
    """Tell whether it is an address of a machine elsewhere: no loopback, no private network, no placeholder."""
    try:
        return ipaddress.ip_address(text).is_global
    except ValueError:
        return False


_DIGITS: Final = re.compile(r"\d[\d .:/()-]{6}|::|/[0-9A-Z]{4}-\d{2}")
_KINDS: Final[dict[str, tuple[re.Pattern[str], Callable[[str], bool]]]] = {
    "email": (re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?:[\w-]{1,63}\.)+[^\W\d_]{2,24}(?![\w@])"), _is_any),
    "ipv4": (re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w]|\.\d)"), _is_address),
    "ipv6": (re.compile(r"(?<![\w:.])[0-9a-fA-F]{1,4}(?::[0-9a-fA-F]{0,4}){2,7}(?![\w:.])"), _is_address),
    "iban": (re.compile(r"(?<!\w)[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?(?!\w)"), _is_iban),
    "phone": (re.compile(r"(?<![\w+.-])(?:\+\d{1,3}[ -]?)(?:\(?\d{2,3}\)?[ -]?)\d{4,5}[ -]?\d{4}(?!\w)"
                         r"|(?<![\w+.-])\(\d{2}\) ?9?\d{4}[ -]?\d{4}(?!\w)"), _is_any),
    "cpf": (re.compile(r"(?<![\w.-])\d{3}\.?\d{3}\.?\d{3}-?\d{2}(?![\w-]|\.\d)"), _is_cpf),
    "cnpj": (re.compile(r"(?<![\w.-])(?:\d{2}\.?\d{3}\.?\d{3}/?\d{4}-?"
                        r"|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-)\d{2}(?![\w-]|\.\d)"), _is_cnpj),
}  # fmt: skip
