"""log.md: one line per operation, written in the operation's own commit.

The file holds the current month; the first operation of a month moves the older lines to log/YYYY-MM.md.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain import clock
from brain.caller import Caller
from brain.store import files, messages

FILE: Final = "log.md"
TITLE: Final = "# Log\n\n"
_MONTH: Final = re.compile(r"^- (\d{4}-\d{2})-\d{2}", re.MULTILINE)
_WIKILINK_SIGNS: Final = str.maketrans({"[": "(", "]": ")"})


@dataclass(frozen=True)
class LogEdit:
    """One of the log's files: what it holds, and what it is to hold."""

    before: bytes | None
    after: bytes


def files_of(root: Path) -> list[str]:
    """Return the log files that the next line will touch: this month's, and where older lines go."""
    text = _decoded(files.read(root, FILE))
    return [FILE, *(_archive(month) for month in sorted(_older(text)))]


def appended(
    root: Path,
    caller: Caller,
    op: str,
    operation: str,
    lines: Sequence[str],
    *,
    held: Mapping[str, bytes | None],
) -> dict[str, LogEdit]:
    """Return the log files with an operation's line added, by path; `held` is what the operation itself writes."""
    before = files.read(root, FILE)
    text = _decoded(held.get(FILE, before)) or TITLE
    older = _older(text)
    edits = {_archive(month): _moved_out(root, text, month, held) for month in sorted(older)}
    kept = _without(text, older) if older else text
    end = "\r\n" if "\r\n" in kept else "\n"
    gap = "" if kept.endswith("\n") or not kept else end
    edits[FILE] = LogEdit(before, _encoded(f"{kept}{gap}{_line(caller, op, operation, lines)}{end}"))
    return edits


def _older(text: str) -> set[str]:
    """Return the months before this one that have lines; two counts tell at once that there is none."""
    now, lines = clock.today().isoformat()[:7], f"\n{text}"
    if lines.count("\n- ") == lines.count(f"\n- {now}-"):
        return set()
    return {found[1] for found in _MONTH.finditer(text)} - {now}


def _archive(month: str) -> str:
    return f"log/{month}.md"


def _line(caller: Caller, op: str, operation: str, lines: Sequence[str]) -> str:
    more = f" (+{len(lines) - 1})" if len(lines) > 1 else ""
    said = messages.one_line(lines[0], 160).translate(_WIKILINK_SIGNS) + more
    moment = clock.now().astimezone().strftime("%Y-%m-%d %H:%M")
    return f"- {moment} · {said} · {operation} · {caller.origin} · {op}"


def _moved_out(root: Path, text: str, month: str, held: Mapping[str, bytes | None]) -> LogEdit:
    before = files.read(root, _archive(month))
    there = _decoded(held.get(_archive(month), before)) or f"# Log {month}\n\n"
    there += "" if there.endswith("\n") else "\n"
    lines = [line for line in _lines(text) if line.startswith(f"- {month}-")]
    return LogEdit(before, _encoded(there + "".join(line if line.endswith("\n") else line + "\n" for line in lines)))


def _without(text: str, months: set[str]) -> str:
    return "".join(line for line in _lines(text) if not (line.startswith("- ") and line[2:9] in months))


def _lines(text: str) -> list[str]:
    """Return the lines with their ends; only a line feed ends one, as for Git."""
    return [line + "\n" for line in text.split("\n")[:-1]] + [last for last in text.split("\n")[-1:] if last]


def _decoded(content: bytes | None) -> str:
    return (content or b"").decode("utf-8", errors="surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogateescape")


def is_log(path: str) -> bool:
    """Tell whether a path is one of the log's files."""
    return path == FILE or path.startswith("log/")
