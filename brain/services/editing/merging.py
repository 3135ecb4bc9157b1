"""Two texts of one note: where they differ, which of them changed there, and the text that a choice makes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from brain.note import matching
from brain.note.matching import Step

CHOICES: Final = ("mine", "theirs", "both")
MOST_PLACES: Final = 200  # beyond as many, nobody chooses place by place
_LINE: Final = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True)
class Stretch:
    """Lines that both texts have, or where they differ; `number` counts the latter from 0.

    `suggested` is the side that alone changed there since both began, nothing where both did or it is not known.
    """

    mine: tuple[str, ...]
    theirs: tuple[str, ...]
    number: int | None = None
    suggested: str = ""


def stretches(mine: str, theirs: str, base: str | None = None) -> list[Stretch]:
    """Return two texts as stretches in order; `base` is the text that both began with."""
    ours, others = _lines(mine), _lines(theirs)
    untouched = None if base is None else (_Untouched(_lines(base), ours), _Untouched(_lines(base), others))
    found: list[Stretch] = []
    number = 0
    for tag, i, i_end, j, j_end in _few(matching.steps(others, ours)):
        if tag == "equal":
            found.append(Stretch(tuple(ours[j:j_end]), tuple(others[i:i_end])))
            continue
        suggested = ""
        if untouched is not None:
            is_theirs, is_mine = not untouched[1].holds(i, i_end), not untouched[0].holds(j, j_end)
            suggested = "" if is_theirs == is_mine else "theirs" if is_theirs else "mine"
        found.append(Stretch(tuple(ours[j:j_end]), tuple(others[i:i_end]), number, suggested))
        number += 1
    return found


def chosen(found: Sequence[Stretch], picks: Mapping[int, str]) -> str:
    """Return the text of a choice for each place where two texts differ; `both` puts theirs first."""
    lines: list[str] = []
    for one in found:
        pick = "mine" if one.number is None else picks[one.number]
        lines += one.theirs if pick in ("theirs", "both") else ()
        lines += one.mine if pick in ("mine", "both") else ()
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    return text if lines and lines[-1].endswith("\n") else text.removesuffix("\n")


def _lines(text: str) -> list[str]:
    return _LINE.findall(text.replace("\r\n", "\n").replace("\r", "\n"))


def _few(steps: Sequence[Step]) -> Sequence[Step]:
    """Return the steps, or one for all between the first and the last place where there are too many of them."""
    differ = [one for one in steps if one[0] != "equal"]
    if len(differ) <= MOST_PLACES:
        return steps
    (_tag, i, _i_end, j, _j_end), (_last, _i, i_end, _j, j_end) = differ[0], differ[-1]
    before = [one for one in steps[:1] if one[0] == "equal"]
    after = [one for one in steps[-1:] if one[0] == "equal"]
    return [*before, ("replace", i, i_end, j, j_end), *after]


class _Untouched:
    """Which lines of a text are as they were in the one that it began with, nothing put between them."""

    def __init__(self, base: Sequence[str], text: Sequence[str]) -> None:
        self._length = len(text)
        steps = matching.steps(base, text)
        self._equal = [(j, j_end) for tag, _i, _end, j, j_end in steps if tag == "equal"]
        self._gone = {j for tag, _i, _end, j, _j_end in steps if tag == "delete"}

    def holds(self, start: int, end: int) -> bool:
        """Tell whether the lines of a range are all the base's, with nothing left out or put in at its ends."""
        first, last = max(0, start - 1), min(self._length, end + 1)
        inside = any(begin <= first and last <= stop for begin, stop in self._equal) or first == last
        return inside and not any(start <= place <= end for place in self._gone)
