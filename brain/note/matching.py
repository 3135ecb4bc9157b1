"""Where two sequences are equal and where they differ, in bounded time.

difflib looks at each place of the one where a part of the other stands: a million pairs for two thousand equal lines.
What both begin and end with is set aside first, and what would still be too much is taken as replaced whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Final

Step = tuple[str, int, int, int, int]

# Beyond as many, difflib leaves out parts that stand in more than one place of a hundred.
_MANY: Final = 4000
_POPULAR_FROM: Final = 200
MOST_PAIRS: Final = 400_000


@dataclass(slots=True)
class Budget:
    """How many pairs of equal parts may still be looked at."""

    pairs: int = MOST_PAIRS

    def takes(self, pairs: int) -> bool:
        """Take as many pairs off the budget; False, and nothing taken, where it has no more of them."""
        if pairs > self.pairs:
            return False
        self.pairs -= pairs
        return True


def steps(before: Sequence[str], after: Sequence[str], budget: Budget | None = None) -> list[Step]:
    """Return how one sequence becomes another, as difflib's opcodes; the parts of a text that is too big are one."""
    head = _common(before, after)
    tail = _common_end(before, after, head)
    i_end, j_end = len(before) - tail, len(after) - tail
    found: list[Step] = [("equal", 0, head, 0, head)] if head else []
    found += _between(before, after, (head, i_end), (head, j_end), budget or Budget())
    found += [("equal", i_end, len(before), j_end, len(after))] if tail else []
    return _joined(found)


def _between(
    before: Sequence[str], after: Sequence[str], old: tuple[int, int], new: tuple[int, int], budget: Budget
) -> list[Step]:
    gone, come = before[slice(*old)], after[slice(*new)]
    if not gone or not come:
        tag = "delete" if gone else "insert"
        return [(tag, *old, *new)] if gone or come else []
    junk = len(gone) + len(come) > _MANY
    if not budget.takes(_pairs(gone, come, junk=junk)):
        return [("replace", *old, *new)]
    found = SequenceMatcher(None, gone, come, autojunk=junk).get_opcodes()
    return [(tag, old[0] + i, old[0] + i_end, new[0] + j, new[0] + j_end) for tag, i, i_end, j, j_end in found]


def _pairs(gone: Sequence[Hashable], come: Sequence[Hashable], *, junk: bool) -> int:
    """Return how many pairs of equal parts there are, without those that difflib leaves out."""
    old, new = Counter(gone), Counter(come)
    popular = len(come) // 100 + 1 if junk and len(come) >= _POPULAR_FROM else len(come)
    return len(old) + sum(times * new[part] for part, times in old.items() if new[part] <= popular)


def _common(before: Sequence[str], after: Sequence[str]) -> int:
    most = min(len(before), len(after))
    return next((place for place in range(most) if before[place] != after[place]), most)


def _common_end(before: Sequence[str], after: Sequence[str], head: int) -> int:
    most = min(len(before), len(after)) - head
    return next((place for place in range(most) if before[-1 - place] != after[-1 - place]), most)


def _joined(found: list[Step]) -> list[Step]:
    """Put together equal stretches that follow each other."""
    joined: list[Step] = []
    for tag, i, i_end, j, j_end in found:
        if joined and tag == joined[-1][0] == "equal":
            joined[-1] = ("equal", joined[-1][1], i_end, joined[-1][3], j_end)
        else:
            joined.append((tag, i, i_end, j, j_end))
    return joined
