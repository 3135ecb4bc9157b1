"""What a commit of the product says: a subject, one line per change, and trailers that say whose operation it was."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

OP: Final = "Cabecao-Op"
SESSION: Final = "Cabecao-Session"
CLIENT: Final = "Cabecao-Client"
KIND: Final = "Cabecao-Kind"
AUDIT: Final = "Cabecao-Audit"
UNDOES: Final = "Cabecao-Undoes"
APPROVED: Final = "Cabecao-Approved"
CONSOLIDATES: Final = "Cabecao-Consolidates"

_TRAILER: Final = re.compile(r"([A-Za-z][A-Za-z-]*): (.*)")
_BREAKS: Final = re.compile(r"[\x00-\x1f\x7f\x85\u2028\u2029]+")


@dataclass(frozen=True)
class Message:
    """A commit message taken apart."""

    subject: str
    changes: tuple[str, ...]
    trailers: Mapping[str, str] = field(default_factory=dict)


def one_line(text: str, longest: int = 200) -> str:
    """Return a text as one line that cannot open a trailer or a paragraph."""
    line = " ".join(_BREAKS.sub(" ", text).split())
    return line if len(line) <= longest else line[: longest - 1] + "…"


def compose(subject: str, changes: Sequence[str], trailers: Mapping[str, str]) -> str:
    """Return a message; the changes are listed where they are not just the subject."""
    parts = [one_line(subject)]
    if list(changes) != [subject]:
        parts.append("\n".join(f"- {one_line(change)}" for change in changes))
    parts.append("\n".join(f"{key}: {one_line(value)}" for key, value in trailers.items() if value))
    return "\n\n".join(part for part in parts if part) + "\n"


def parse(text: str) -> Message:
    """Take a message apart; trailers are read from its last paragraph only."""
    paragraphs = [part for part in text.strip().split("\n\n") if part.strip()]
    subject = paragraphs[0].split("\n")[0] if paragraphs else ""
    last = paragraphs[-1].split("\n") if len(paragraphs) > 1 else []
    matches = [_TRAILER.fullmatch(line) for line in last]
    trailers = {one[1]: one[2] for one in matches if one} if all(matches) else {}
    listed = [line[2:] for part in paragraphs[1:] for line in part.split("\n") if line.startswith("- ")]
    return Message(subject, tuple(listed) or (subject,), trailers)
