"""A model's answer, read as it comes: each claim as soon as its JSON is complete.

What stands around the JSON, such as a code fence, is passed over; what is not of the agreed shape is malformed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

MOST_CHARACTERS: Final = 400_000
MOST_CLAIMS: Final = 60
MOST_CITATIONS: Final = 12
LONGEST_CLAIM: Final = 4_000

SCHEMA: Final[dict[str, object]] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["claims", "missing"],
    "properties": {
        "claims": {
            "type": "array",
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["text", "citations"],
                "properties": {
                    "text": {"type": "string"},
                    "citations": {
                        "type": "array",
                        "items": {
                            "type": "object",
                            "additionalProperties": False,
                            "required": ["label", "quote"],
                            "properties": {"label": {"type": "string"}, "quote": {"type": "string"}},
                        },
                    },
                },
            },
        },
        "missing": {"type": "string"},
    },
}
_CLAIMS: Final = re.compile(r'"claims"\s*:\s*\Z')


class Malformed(Exception):
    """What came is not the answer that was asked for."""


@dataclass(frozen=True)
class Cited:
    """What a claim rests on, as the model says: a passage's label and words from it."""

    label: str
    quote: str


@dataclass(frozen=True)
class Claim:
    """One statement of the answer and what it is said to rest on."""

    text: str
    citations: tuple[Cited, ...]


class Reader:
    """Reads one answer: `feed` gives the claims that are complete by then, `end` what the brain is said to lack."""

    def __init__(self) -> None:
        self._text = ""
        self._place = 0
        self._start = -1  # of the whole object
        self._open: list[str] = []
        self._in_string = False
        self._is_escaped = False
        self._claims_at = 0  # how deep the list of claims lies, 0 before it
        self._item = -1  # where the claim at hand begins
        self._end = -1
        self.given = 0

    def feed(self, piece: str) -> Iterator[Claim]:
        """Yield the claims that the next piece completes; Malformed where one is not a claim."""
        self._text += piece
        if len(self._text) > MOST_CHARACTERS:
            raise Malformed
        while self._place < len(self._text) and self._end < 0:
            place, self._place = self._place, self._place + 1
            if self._step(self._text[place], place):
                self.given += 1
                if self.given > MOST_CLAIMS:
                    raise Malformed
                yield _claim(_loaded(self._text[self._item : self._place]))

    def end(self) -> str:
        """Return what the brain is said to lack; Malformed unless a whole answer has come."""
        if self._end < 0:
            raise Malformed
        whole = _loaded(self._text[self._start : self._end])
        if not isinstance(whole, dict) or not isinstance(whole.get("claims"), list):
            raise Malformed
        if len(whole["claims"]) != self.given:
            raise Malformed
        missing = whole.get("missing")
        if isinstance(missing, list):
            missing = " ".join(one for one in missing if isinstance(one, str))
        return missing if isinstance(missing, str) else ""

    def _step(self, sign: str, place: int) -> bool:
        """Take one sign in, and tell whether it completes a claim."""
        if self._in_string:
            self._in_string = self._is_escaped or sign != '"'
            self._is_escaped = sign == "\\" and not self._is_escaped
        elif not self._open:
            if sign == "{":
                self._start = place
                self._open.append(sign)
        elif sign == '"':
            self._in_string = True
        elif sign in "{[":
            self._enter(sign, place)
        elif sign in "}]":
            return self._leave(place)
        return False

    def _enter(self, sign: str, place: int) -> None:
        depth = len(self._open)
        if sign == "[" and depth == 1 and not self._claims_at and _CLAIMS.search(self._text, self._start, place):
            self._claims_at = 2
        elif sign == "{" and depth == 2 and self._claims_at == 2:
            self._item = place
        self._open.append(sign)

    def _leave(self, place: int) -> bool:
        self._open.pop()
        depth = len(self._open)
        if depth == 0:
            self._end = place + 1
        elif depth == 1 and self._claims_at == 2:
            self._claims_at = -1
        return depth == 2 and self._claims_at == 2 and self._item >= 0


def _loaded(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Malformed from None


def _claim(value: Any) -> Claim:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str) or not value["text"].strip():
        raise Malformed
    found = value.get("citations", [])
    if not isinstance(found, list):
        raise Malformed
    return Claim(value["text"][:LONGEST_CLAIM], tuple(_cited(one) for one in found[:MOST_CITATIONS]))


def _cited(value: Any) -> Cited:
    if not isinstance(value, dict) or not all(isinstance(value.get(name), str) for name in ("label", "quote")):
        raise Malformed
    return Cited(value["label"].strip().strip("[]"), value["quote"])
