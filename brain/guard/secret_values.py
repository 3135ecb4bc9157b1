"""Whether a text looks like a real secret or like the placeholder, the word or the identifier that stands for one."""

from __future__ import annotations

import re
from typing import Final

_PLACEHOLDER: Final = re.compile(
    r"example|exemplo|placeholder|dummy|redacted|change[-_]?me|trocar?[-_]?(?:me|isto)|your[-_]|(?:sua|seu|minha|my)[-_]"
    r"|x{5}|\*{3}|\.{3}|…|123456789|[<{]{1,2}[a-z_ ./-]+[>}]",
    re.IGNORECASE,
)
# The same for tokens, which are long and random: nothing that chance would spell in one of a hundred thousand.
_TOKEN_PLACEHOLDER: Final = re.compile(
    r"example|exemplo|placeholder|redacted|change[-_]?me|your[-_]|x{6}|\*{3}|\.{3}", re.IGNORECASE
)
_REFERENCE: Final = re.compile(
    r"\$[{(\w]|\{\{|%\(|%[A-Z_]+%|<|\[\[|@@|(?:os\.|process\.|env\b|getenv|secrets\.|vault:|op://|ref\+|arn:)|[a-z][a-z0-9+.-]*://"
    r"|[./~]{1,2}/|sha(?:256|384|512)[-:]",
    re.IGNORECASE,
)
_COMMON_PASSWORD: Final = frozenset(
    {"admin", "app", "changeit", "guest", "pass", "passwd", "password", "root", "secret", "senha", "test", "teste"}
    | {"token", "user", "usuario", "usuário"}
)
# A call, an index, or names joined by dots: code that gets the secret from elsewhere.
_CODE: Final = re.compile(r"!*(?P<head>[A-Za-z_$][\w$.?]*)[(\[\])].*|[A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+", re.DOTALL)
_LETTERS: Final = re.compile(r"[A-Z]*[a-z]+|[A-Z]+")
_WORDS: Final = re.compile(r"[A-Za-z]?[a-z]*\d{0,4}|[A-Z]{1,12}\d{0,4}|\d{1,8}[a-z]{0,2}")
_SPLIT: Final = re.compile(r"[-_./:@+,]+")
_NUMERIC: Final = re.compile(r"[\d.,:/TZ+-]+[a-z%]{0,3}")
_IDENTIFIER: Final = re.compile(
    r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-7][0-9A-HJKMNP-TV-Z]{25}", re.IGNORECASE
)
_HEX: Final = re.compile(r"[0-9a-f]{32,128}", re.IGNORECASE)
_NUMBERED: Final = re.compile(r"[A-Za-z_]+\d{1,4}")
_INNER_SIGN: Final = re.compile(r"[^\W_][@#$%^&*!~][^\W_]")
_BOUNDARY: Final = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")


def is_placeholder(text: str) -> bool:
    """Tell whether a text only shows where a secret would stand."""
    return (
        len(set(text)) < 4
        or text.rstrip("0123456789!").lower() in _COMMON_PASSWORD
        or _PLACEHOLDER.search(text) is not None
    )


def is_token(body: str) -> bool:
    """Tell whether what follows a token's fixed prefix is varied enough to be one."""
    return len(set(body)) >= min(8, len(body) // 2) and _TOKEN_PLACEHOLDER.search(body) is None


def is_mixed_token(body: str) -> bool:
    """Tell whether a token whose prefix is weak has both letters and digits, as chance would have it."""
    return is_token(body) and any(map(str.isdigit, body)) and any(map(str.isalpha, body))


def is_url_password(user: str, password: str) -> bool:
    """Tell whether the password in an address is one; a service's well-known default is not."""
    if len(password) < 4 or password == user:
        return False
    return not (is_placeholder(password) or _REFERENCE.match(password))


def is_assigned_secret(value: str, *, password: bool, quoted: bool) -> bool:
    """Tell whether a value given to a name such as password or token is a secret rather than a word, a number or code.

    `password` is for names that mean a password (short ones count), `quoted` for a value between quotes.
    """
    if len(value) < 8 or _NUMERIC.fullmatch(value) or _REFERENCE.match(value):
        return False
    if _HEX.fullmatch(value):
        return not is_placeholder(value)
    if not _is_random(value, password=password, quoted=quoted):
        return False
    if not quoted and _is_code(value, password=password):
        return False
    return not (_IDENTIFIER.fullmatch(value) or _is_slug(value) or is_placeholder(value))


def _is_code(value: str, *, password: bool) -> bool:
    found = _CODE.fullmatch(value)
    if found:
        return found["head"] is None or _is_wordy(found["head"])
    return not password and _is_wordy(value)


def _is_wordy(name: str) -> bool:
    """Tell whether a name is made of words, as in Ed25519PrivateKey; chance changes case at every second letter."""
    words = _LETTERS.findall(name)
    return sum(map(len, words)) >= 3.5 * len(words)


def _is_slug(value: str) -> bool:
    """Tell whether a value is words and short numbers joined by punctuation, as in X-Api-Key or v2.0.1-beta."""
    parts = _SPLIT.split(value)
    return len(parts) > 1 and all(_WORDS.fullmatch(part) for part in parts)


def _is_random(value: str, *, password: bool, quoted: bool) -> bool:
    digits = any(map(str.isdigit, value))
    signs = sum(not sign.isalnum() and sign not in "-_./:" for sign in value)
    kinds = digits + (signs > 0) + any(map(str.islower, value)) + any(map(str.isupper, value))
    if len(set(value)) < 5 or not any(map(str.isalpha, value)):
        return False
    if not digits:
        return password and kinds == 3 and len(value) >= 10 and (quoted or _INNER_SIGN.search(value) is not None)
    if kinds >= 3:
        return len(value) >= (8 if password else 12) and (password or _NUMBERED.fullmatch(value) is None)
    changes = len(_BOUNDARY.findall(value))
    if password:
        return changes > 0
    return len(value) >= (12 if quoted else 16) and changes >= 2
