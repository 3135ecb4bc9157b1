"""The title of a memory: what was given, else the first line of its text."""

from __future__ import annotations

import re
from typing import Final

from brain.contracts.writes import RememberInput
from brain.note import likeness
from brain.note.fields import without_markup

_LIST_MARKS: Final = re.compile(r"\A\s*(?:>\s*|(?:#{1,6}|[-*+]|\d{1,2}[.)])\s+)*")
_LONGEST: Final = 120


def title_of(given: RememberInput) -> str:
    """Return the title of a new memory."""
    if given.title:
        return given.title
    if given.type == "fact" and given.subject:
        return " ".join(unlinked(one) for one in (given.subject, given.predicate or "", given.object or ""))
    return of_text(given.content)


def of_text(text: str) -> str:
    """Return the first line of a text without marks, cut between words where it is long."""
    first = next((line for line in text.splitlines() if line.strip()), "")
    title = without_markup(_LIST_MARKS.sub("", first, count=1)) or first.strip()
    return title if len(title) <= _LONGEST else title[: _LONGEST - 1].rsplit(" ", 1)[0] + "…"


def are_apart(given: RememberInput, title: str, body: str) -> bool:
    """Tell whether both memories were named by somebody, and differently: one text may be said of two things."""
    if not given.title or given.subject:
        return False
    wanted, there = likeness.words(given.title), likeness.words(title)
    return (
        wanted != there and there != likeness.words(of_text(body)) and wanted != likeness.words(of_text(given.content))
    )


def unlinked(text: str) -> str:
    """Return a text without the brackets of its links."""
    return text.replace("[[", "").replace("]]", "")
