"""Words of the notes that are spelled almost like one that none of them has."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Final

from brain.index import database

_SHORTEST: Final = 5
_LONG: Final = 8  # letters from which two mistakes are borne
_LONGEST: Final = 40
_MOST: Final = 3


def unknown(expressions: dict[str, str]) -> set[str]:
    """Return the words of which no note has anything; each comes with the expression that finds it."""
    pairs = [[word, expression] for word, expression in expressions.items() if _may_be_wrong(word)]
    if not pairs:
        return set()
    rows = database.query(
        "SELECT json_extract(j.value, '$[0]') FROM json_each(%s) j WHERE NOT EXISTS "
        "(SELECT 1 FROM fulltext WHERE fulltext MATCH json_extract(j.value, '$[1]'))",
        (json.dumps(pairs),),
    )
    return {str(row[0]) for row in rows}


def alike(word: str) -> list[str]:
    """Return the words of the notes nearest to a folded word, those in more notes first where as near."""
    most = 1 if len(word) < _LONG else 2
    wanted = _triples(word)
    needed = max(1, len(wanted) - 3 * most - 1)
    found: list[tuple[int, int, str]] = []
    for term, notes in _near(word, most):
        if len(wanted & _triples(term)) >= needed:
            far = distance(word, term, most)
            if far <= most:
                found.append((far, -notes, term))
    return [term for _far, _notes, term in sorted(found)[:_MOST]]


def distance(one: str, other: str, most: int) -> int:
    """Return how many letters are wrong, missing, too many or changed over; more than `most` where it is more."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for place, letter in enumerate(one, 1):
        following = [place]
        for at, against in enumerate(other, 1):
            cost = min(row[at] + 1, following[-1] + 1, row[at - 1] + (letter != against))
            if place > 1 and at > 1 and letter == other[at - 2] and one[place - 2] == against:
                cost = min(cost, before[at - 2] + 1)
            following.append(cost)
        if min(following) > most:
            return most + 1
        before, row = row, following
    return row[-1]


def _may_be_wrong(word: str) -> bool:
    return _SHORTEST <= len(word) <= _LONGEST and word.isalpha()


def _near(word: str, most: int) -> Iterable[tuple[str, int]]:
    """Return the words of about this length that begin with its first letter, or, as if changed over, its second."""
    for letter in dict.fromkeys(word[:2]):
        for term, notes in database.query(
            "SELECT term, doc FROM word WHERE term >= %s AND term < %s AND length(term) BETWEEN %s AND %s",
            (letter, chr(ord(letter) + 1), len(word) - most, len(word) + most),
        ):
            yield str(term), int(notes)


def _triples(word: str) -> set[str]:
    padded = f"^{word}$"
    return {padded[place : place + 3] for place in range(len(padded) - 2)}
