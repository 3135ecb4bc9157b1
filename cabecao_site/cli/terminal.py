"""What a command shows: answers on standard output, all else on standard error, plain where a terminal is not."""

from __future__ import annotations

import json
import os
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TextIO

from brain.language import gettext as _
from brain.language import gettext_noop as N_

MARKS: Final[Mapping[str, tuple[str, str, str]]] = {  # severity -> sign, word where the sign can't be shown, style
    "ok": ("✓", N_("ok"), "32"),
    "warning": ("!", N_("warning"), "33"),
    "error": ("✗", N_("error"), "31"),
    "info": ("·", N_("info"), "36"),
}
BOLD: Final = "1"
DIM: Final = "2"
NARROW: Final = 60
_YES: Final = frozenset({"y", "yes", "s", "sim"})
_NO: Final = frozenset({"n", "no", "nao", "não"})
_TEXT_SIGNS: Final = frozenset("\n\t")


@dataclass
class Terminal:
    """The streams of one command and what may be shown on them."""

    as_json: bool = False
    quiet: bool = False
    verbose: bool = False
    ask: bool = True
    color: str = "auto"
    out: TextIO = field(default_factory=lambda: sys.stdout)
    err: TextIO = field(default_factory=lambda: sys.stderr)

    def __post_init__(self) -> None:
        for stream in (self.out, self.err):
            reconfigure = getattr(stream, "reconfigure", None)
            if reconfigure:
                reconfigure(errors="replace")

    def say(self, text: str = "") -> None:
        """Print a piece of the answer."""
        write_line(self.out, clean(text, styled=self.colours(self.out)))

    def say_json(self, value: Any) -> None:
        """Print the answer as one JSON object."""
        write_line(self.out, json.dumps(value, ensure_ascii=not is_utf8(self.out)))

    def note(self, text: str) -> None:
        """Print a notice beside the answer; nothing with --quiet or --json."""
        if not (self.quiet or self.as_json):
            self._complain(text)

    def ask_about(self, text: str) -> None:
        """Print what a question is about, where the question will stand; --quiet does not hide it."""
        if not self.as_json:
            self._complain(text)

    def detail(self, text: str) -> None:
        """Print a diagnostic; only with --verbose."""
        if self.verbose:
            self._complain(text)

    def fail(self, error: Mapping[str, Any], *, why: str = "") -> None:
        """Print an error: one JSON object on standard output, or what, why and what to do on standard error."""
        if self.as_json:
            self.say_json({"error": error})
            return
        self._complain(f"{self.mark('error', self.err)} {error['message']}")
        arrow = "→" if is_utf8(self.err) else "->"
        token = f"confirm_token: {error['confirm_token']}" if error.get("confirm_token") else ""
        for line in (
            error.get("summary"),
            why,
            f"{arrow} {error['next_step']}" if error.get("next_step") else "",
            token,
        ):
            if line:
                self._complain(textwrap.indent(line, "  "))

    def _complain(self, text: str) -> None:
        self.out.flush()  # both streams may end on one screen, in the order in which things were said
        write_line(self.err, clean(text, styled=self.colours(self.err)))

    @property
    def can_ask(self) -> bool:
        """Tell whether somebody can answer a question."""
        return self.ask and not self.as_json and sys.stdin is not None and is_terminal(sys.stdin)

    def confirm(self, question: str, *, default: bool = False) -> bool:
        """Ask a yes-or-no question on standard error; with --no-input or without a terminal the answer is no."""
        if not self.can_ask:
            return False
        choices = _("[Y/n]") if default else _("[y/N]")
        while True:
            self.err.write(clean(f"{question} {choices} "))
            self.err.flush()
            line = sys.stdin.readline()
            answer = line.strip().casefold()
            if answer in _YES | _NO:
                return answer in _YES
            if not answer:
                return default and bool(line)

    def choose(self, question: str) -> str:
        """Ask for a line on standard error and return it without spaces around; empty where nobody answers."""
        if not self.can_ask:
            return ""
        self.err.write(clean(f"{question} "))
        self.err.flush()
        return sys.stdin.readline().strip()

    def mark(self, severity: str, stream: TextIO | None = None) -> str:
        """Return the sign of a severity, a word where the stream's encoding has no such sign."""
        stream = stream or self.out
        sign, word, style = MARKS[severity]
        return self.style(sign if is_utf8(stream) else _(word), style, stream)

    def style(self, text: str, style: str, stream: TextIO | None = None) -> str:
        """Return a text in bold, dim or a colour where the stream shows it."""
        return f"\x1b[{style}m{text}\x1b[0m" if text and self.colours(stream or self.out) else text

    def colours(self, stream: TextIO) -> bool:
        """Tell whether a stream gets colour: NO_COLOR and --color=never win, then what forces it, then the terminal."""
        if self.as_json or os.environ.get("NO_COLOR") or self.color == "never":
            return False
        if os.environ.get("FORCE_COLOR") or self.color == "always":
            return True
        return is_terminal(stream) and os.environ.get("TERM") != "dumb"

    @property
    def width(self) -> int:
        """The columns of the terminal, 80 without one."""
        return max(20, shutil.get_terminal_size((80, 24)).columns) if is_terminal(self.out) else 80

    def wrap(self, text: str, *, indent: str = "") -> str:
        """Return a paragraph wrapped to the terminal."""
        return textwrap.fill(text, self.width, initial_indent=indent, subsequent_indent=indent)

    def table(self, rows: Sequence[tuple[str, ...]], heads: tuple[str, ...]) -> str:
        """Return rows in columns, or as `field: value` under 60 columns."""
        if self.width < NARROW:
            blocks = ["\n".join(f"{head}: {cell}" for head, cell in zip(heads, row, strict=True)) for row in rows]
            return "\n\n".join(blocks)
        widths = [max(columns(cell) for cell in column) for column in zip(heads, *rows, strict=True)]
        lines = [pad(heads, widths), *(pad(row, widths) for row in rows)]
        return "\n".join([self.style(lines[0], BOLD), *lines[1:]])


def write_line(stream: TextIO, text: str) -> None:
    """Write a line at once: where two streams end in one file, neither may come between a line and its end."""
    stream.write(f"{text}\n")
    stream.flush()


def pad(cells: tuple[str, ...], widths: list[int]) -> str:
    """Return a row whose cells are filled up to their widths."""
    filled = (cell + " " * (width - columns(cell)) for cell, width in zip(cells, widths, strict=True))
    return "  ".join(filled).rstrip()


def columns(text: str) -> int:
    """Return how many columns of a terminal a text takes."""
    wide = sum(unicodedata.east_asian_width(sign) in "WF" for sign in text)
    return len(text) + wide - sum(unicodedata.combining(sign) > 0 for sign in text)


def clean(text: str, *, styled: bool = False) -> str:
    """Return a text without control signs, which a note could use to act on the terminal.

    With `styled`, the colours that this program sets stay.
    """
    if text.isprintable():
        return text
    pieces = _split_styles(text) if styled else [(text, False)]
    return "".join(piece if ours else _printable(piece) for piece, ours in pieces)


def _split_styles(text: str) -> list[tuple[str, bool]]:
    import re

    pieces = re.split(r"(\x1b\[(?:0|1|2|31|32|33|36)m)", text)
    return [(piece, place % 2 == 1) for place, piece in enumerate(pieces)]


def _printable(text: str) -> str:
    return "".join(sign for sign in text if sign in _TEXT_SIGNS or unicodedata.category(sign) not in {"Cc", "Cs"})


def is_terminal(stream: TextIO) -> bool:
    """Tell whether a stream is a terminal."""
    try:
        return stream.isatty()
    except (AttributeError, ValueError):
        return False


def is_utf8(stream: TextIO) -> bool:
    """Tell whether a stream can show any sign."""
    return (getattr(stream, "encoding", "") or "").lower().replace("-", "").replace("_", "") == "utf8"
