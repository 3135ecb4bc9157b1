"""Secrets known by what stands before them: a name such as password, an Authorization header, a login in a URL."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

from brain.guard.secret_values import is_assigned_secret, is_mixed_token, is_url_password


class Span(NamedTuple):
    """Where a secret stands in a text, and the rule that found it."""

    start: int
    end: int
    rule: str


# Name, lower case -> whether it means a password, and whether it must begin a word (senha, not desenha).
_NAMES: Final = {
    "passphrase": (True, False),
    "password": (True, False),
    "passwd": (True, False),
    "pass": (True, True),
    "pwd": (True, True),
    "senha": (True, True),
    "secret": (False, False),
    "segredo": (False, True),
    "token": (False, False),
    "credential": (False, False),
    "credencial": (False, True),
    "chave": (False, True),
    "key": (False, False),
}
_KEY_OWNERS: Final = (
    *("api", "access", "account", "auth", "client", "encryption", "license", "master", "private", "secret", "service"),
    *("shared", "signing", "storage", "subscription"),
)
_ASSIGNED: Final = re.compile(
    r"""(?:s(?![a-z]))?(?![a-z])(?P<rest>[\w.-]{0,40})["'`*\])\\]{0,4}
    (?:[ ](?:d[aeo]s?|of|for|para|n[ao]|the|[oa])[ ][\w.-]{1,30}){0,3}(?:[ ]\([^)\n]{1,30}\))?[*]{0,2}
    (?P<sign>[ \t]*(?:=>|:=|={1,3}|:{1,2}|\||->|→)|[ \t]+(?:é|eh|era|is|was)[ \t])[ \t]*
    (?:[|>][-+]?[ \t]*\r?\n[ \t>]+)?(?P<quote>["'`*\\]{0,5}[ \t]?["'`*\\]{0,3})(?P<value>[^\s"'`<>|]{8,128})""",
    re.VERBOSE,
)
# Endings of a name that speaks about a secret rather than holding it: secretName, token_type, password_file.
_ABOUT: Final = re.compile(
    r"(?:names?|ids?|refs?|types?|fields?|headers?|files?|paths?|ur[li]s?|counts?|limits?|len|length|sizes?|budgets?|ttl"
    r"|expir\w*|policy|prefix|kind|version|algorithm|manager|reset|hint|min|max|endpoint|regex|pattern|format|store"
    r"|provider|usage|sha\d*|digest|fingerprint|label|env|var|vault|scope|issuer|audience)$",
    re.IGNORECASE,
)
_NEXT: Final = re.compile(r"[,;]|&(?=[\w.-]+=)")
_HEADER: Final = re.compile(
    r"""authorization["'`\\*]{0,4}[ \t]*[:=][ \t]*["'`\\]{0,4}(?P<kind>bearer|token|apikey|basic)?[ \t]*
    (?P<value>[\w.~+/=-]{16,4000})""",
    re.VERBOSE | re.IGNORECASE,
)
_BEARER: Final = re.compile(r"bearer[ \t]+(?P<value>[\w.~+/=-]{20,4000})", re.IGNORECASE)
_LOGIN: Final = re.compile(r"""://(?P<user>[^\s/:@"'<>]{0,80}):(?P<password>[^\s/"'<>]{4,200})@[\w.\[-]""")


def named(text: str) -> list[Span]:
    """Return what a name, a header or a URL marks as secret."""
    lower = _lower(text)
    spans: list[Span] = []
    if "://" in lower:
        spans += _logins(text)
    if "bearer" in lower or "authorization" in lower:
        spans += _headers(text, lower)
    for name in [name for name in _NAMES if name in lower]:
        spans += _assigned(text, lower, name)
    return spans


def _lower(text: str) -> str:
    """Return a text in lower case with every place kept, which `İ` would shift."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(sign.lower() if sign.isascii() else sign for sign in text)


def _places(text: str, word: str) -> Iterator[int]:
    place = text.find(word)
    while place >= 0:
        yield place
        place = text.find(word, place + len(word))


def _logins(text: str) -> Iterator[Span]:
    for place in _places(text, "://"):
        found = _LOGIN.match(text, place)
        if found and is_url_password(found["user"], found["password"]):
            yield Span(*found.span("password"), "password-in-url")


def _headers(text: str, lower: str) -> Iterator[Span]:
    for word, pattern in (("authorization", _HEADER), ("bearer", _BEARER)):
        for place in _places(lower, word):
            found = pattern.match(text, place)
            if found and _is_credential(found["value"], basic=(found.groupdict().get("kind") or "").lower() == "basic"):
                yield Span(*found.span("value"), "authorization-header")


def _is_credential(value: str, *, basic: bool) -> bool:
    if not basic:
        return is_mixed_token(value)
    try:
        user, colon, password = base64.b64decode(value + "=" * (-len(value) % 4)).decode().partition(":")
    except (binascii.Error, UnicodeDecodeError):
        return False
    return colon == ":" and is_url_password(user, password)


def _assigned(text: str, lower: str, name: str) -> Iterator[Span]:
    password, begins_word = _NAMES[name]
    for place in _places(lower, name):
        if not _is_name(text, lower, place, begins_word=begins_word, key=name == "key"):
            continue
        found = _ASSIGNED.match(text, place + len(name))
        if found and _holds(found):
            quoted = not {'"', "'", "`"}.isdisjoint(found["quote"])
            value = _value(found["value"], quoted=quoted)
            if is_assigned_secret(value, password=password, quoted=quoted):
                start = found.start("value")
                yield Span(start, start + len(value), "assigned-secret")


def _holds(found: re.Match[str]) -> bool:
    """Tell whether a name holds a secret rather than speaking about one, or being one of several in a row."""
    return not _ABOUT.search(found["rest"]) and not (found["rest"] and found["sign"].strip() == "|")


def _is_name(text: str, lower: str, place: int, *, begins_word: bool, key: bool) -> bool:
    if key:
        return lower[max(place - 14, 0) : place].rstrip("-_. ").endswith(_KEY_OWNERS)
    before = text[place - 1 : place] if place else ""
    return not begins_word or not before.isalpha() or (before.islower() and text[place].isupper())


def _value(text: str, *, quoted: bool) -> str:
    """Return an assigned value without the punctuation of its sentence, the next argument or the rest of a query."""
    if not quoted:
        text = _NEXT.split(text, maxsplit=1)[0]
    return text.rstrip(".,;:)]}*\\")
