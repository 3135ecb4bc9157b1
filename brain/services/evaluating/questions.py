"""A file of questions: one JSON object a line, with what a right answer cites."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from brain.errors import InvalidArgument, NotFound, reason_of
from brain.index import notes
from brain.language import gettext as _

_MOST_BYTES: Final = 5_000_000
_OPTIONS: Final = ("scope", "types", "as_of")
_KEYS: Final = frozenset({"question", "answerable", "sources", *_OPTIONS})


@dataclass(frozen=True)
class Question:
    """What is asked, whether the brain has an answer, and the notes of which a right one cites at least one."""

    text: str
    is_answerable: bool
    sources: frozenset[str]  # paths
    options: dict[str, Any]


def read(file: Path) -> list[Question]:
    """Return the questions of a file; what is wrong in it is told by its line, before anything is asked."""
    try:
        with file.open("rb") as stream:
            raw = stream.read(_MOST_BYTES + 1)
    except OSError as error:
        raise NotFound(
            _("%(name)s cannot be read: %(reason)s.") % {"name": file.name, "reason": reason_of(error)},
            next_step=_("Check the name and the permissions of the file."),
        ) from None
    if len(raw) > _MOST_BYTES:
        raise _wrong(1, _("The file is too large."))
    lines = raw.decode("utf-8-sig", errors="replace").split("\n")
    found = [_question(line, number) for number, line in enumerate(lines, 1) if line.strip()]
    if not found:
        raise _wrong(1, _("There is no question in it."))
    return found


def _question(line: str, number: int) -> Question:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _wrong(number, _("It is not JSON.")) from None
    if not isinstance(value, dict) or not isinstance(value.get("question"), str) or not value["question"].strip():
        raise _wrong(number, _("It has no “question”."))
    if unknown := sorted(set(value) - _KEYS):
        raise _wrong(number, _("It has the unknown key “%(key)s”.") % {"key": unknown[0][:100]})
    answerable, sources = value.get("answerable", True), value.get("sources", [])
    if not isinstance(answerable, bool):
        raise _wrong(number, _("“answerable” is true or false."))
    if not isinstance(sources, list) or not all(isinstance(one, str) for one in sources):
        raise _wrong(number, _("“sources” is a list of paths and ids."))
    paths = frozenset(_path(one, number) for one in sources)
    options = {name: value[name] for name in _OPTIONS if name in value}
    return Question(value["question"], answerable, paths, options)


def _path(source: str, number: int) -> str:
    """Return the path of an expected source, which is in the brain: a slip in the file is no fault of an answer."""
    row = notes.by_path(source) or notes.by_id(source)
    if row is None:
        raise _wrong(number, _("The brain has no note “%(source)s”.") % {"source": source[:200]})
    return row.path


def _wrong(number: int, why: str) -> InvalidArgument:
    return InvalidArgument(
        _("Line %(number)d of the questions: %(why)s Nothing was asked.") % {"number": number, "why": why},
        next_step=_("Correct the file: see “Measure” in docs/answers.md."),
    )
