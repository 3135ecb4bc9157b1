"""log.md: one line per operation, written in the operation's own commit.

The file holds the current month; the first operation of a month moves the older lines to log/YYYY-MM.md.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from brain import clock
from brain.caller import Caller
from brain.store import files, messages

FILE: Final = "log.md"
TITLE: Final = "# Log\n\n"
_MONTH: Final = re.compile(r"^- (\d{4}-\d{2})-\d{2}", re.MULTILINE)
_WIKILINK_SIGNS: Final = str.maketrans({"[": "(", "]": ")"})


def appended(root: Path, caller: Caller, op: str, operation: str, lines: Sequence[str]) -> dict[str, bytes]:
    """Return the log files as they are with an operation's line added, by path."""
    text = (files.read(root, FILE) or b"").decode("utf-8", errors="surrogateescape") or TITLE
    line = _line(caller, op, operation, lines)
    month = clock.today().isoformat()[:7]
    older = {found[1] for found in _MONTH.finditer(text)} - {month}
    written = _moved_out(root, text, older) if older else {}
    kept = _without(text, older) if older else text
    written[FILE] = _encoded(f"{kept if kept.endswith(chr(10)) or not kept else kept + chr(10)}{line}\n")
    return written


def _line(caller: Caller, op: str, operation: str, lines: Sequence[str]) -> str:
    more = f" (+{len(lines) - 1})" if len(lines) > 1 else ""
    said = messages.one_line(lines[0], 160).translate(_WIKILINK_SIGNS) + more
    moment = clock.now().astimezone().strftime("%Y-%m-%d %H:%M")
    return f"- {moment} · {said} · {operation} · {caller.origin} · {op}"


def _moved_out(root: Path, text: str, months: set[str]) -> dict[str, bytes]:
    moved: dict[str, bytes] = {}
    for month in sorted(months):
        path = f"log/{month}.md"
        there = (files.read(root, path) or b"").decode("utf-8", errors="surrogateescape") or f"# Log {month}\n\n"
        lines = [line for line in text.splitlines(keepends=True) if line.startswith(f"- {month}-")]
        moved[path] = _encoded(there + "".join(line if line.endswith("\n") else line + "\n" for line in lines))
    return moved


def _without(text: str, months: set[str]) -> str:
    lines = text.splitlines(keepends=True)
    return "".join(line for line in lines if not (line.startswith("- ") and line[2:9] in months))


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", errors="surrogateescape")


def is_log(path: str) -> bool:
    """Tell whether a path is one of the log's files."""
    return path == FILE or path.startswith("log/")
