"""How far something is: a bar on a terminal once it takes longer than a moment, a line now and then elsewhere."""

from __future__ import annotations

from contextlib import AbstractContextManager
from time import monotonic
from typing import Any, Final, Self

from brain.language import gettext as _
from cabecao_site.cli.terminal import Terminal, is_terminal

PATIENCE_SECONDS: Final = 0.5
LINE_SECONDS: Final = 30.0


class Progress(AbstractContextManager["Progress"]):
    """Shows a count on standard error, nothing with --quiet or --json."""

    def __init__(self, title: str, terminal: Terminal) -> None:
        self._title = title
        self._terminal = terminal
        self._begun = monotonic()
        self._told = self._begun
        self._done = 0
        self._total = 0
        self._bar: Any = None
        self._task: Any = None
        silent = terminal.quiet or terminal.as_json
        self._as_bar = not silent and is_terminal(terminal.err) and terminal.colours(terminal.err)

    def __enter__(self) -> Self:
        if not self._as_bar:
            self._terminal.note(f"{self._title} …")
        return self

    def advance(self, done: int, total: int) -> None:
        """Take in how far it is."""
        self._done, self._total = done, total
        if self._as_bar:
            self._draw()
        elif monotonic() - self._told >= LINE_SECONDS:
            self._told = monotonic()
            self._terminal.note(f"{self._title}: {done}/{total}")

    def __exit__(self, kind: type[BaseException] | None, *_rest: object) -> None:
        if self._bar is not None:
            self._bar.stop()
        if kind is None:
            seconds = monotonic() - self._begun
            self._terminal.note(
                _("%(title)s: %(count)d in %(seconds).1f s")
                % {"title": self._title, "count": self._done, "seconds": seconds}
            )

    def _draw(self) -> None:
        if self._bar is None and monotonic() - self._begun >= PATIENCE_SECONDS:
            self._start_bar()
        if self._bar is not None:
            self._bar.update(self._task, completed=self._done, total=self._total)

    def _start_bar(self) -> None:
        from rich import progress
        from rich.console import Console

        columns = (
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.MofNCompleteColumn(),
            _rate_column(),
            progress.TimeRemainingColumn(),
        )
        self._bar = progress.Progress(*columns, console=Console(file=self._terminal.err), transient=True)
        self._task = self._bar.add_task(self._title, total=self._total or None)
        self._bar.start()


class Steps(AbstractContextManager["Steps"]):
    """Shows which of a few steps something is at: a bar on a terminal, a line for each step elsewhere."""

    def __init__(self, title: str, terminal: Terminal) -> None:
        self._title = title
        self._terminal = terminal
        silent = terminal.quiet or terminal.as_json
        self._as_bar = not silent and is_terminal(terminal.err) and terminal.colours(terminal.err)
        self._bar: Any = None
        self._task: Any = None

    def advance(self, done: int, total: int, step: str) -> None:
        """Take in which step has begun, after `done` of `total`."""
        if not self._as_bar:
            self._terminal.note(f"{self._title} ({done + 1}/{total}): {step}")
            return
        if self._bar is None:
            from rich import progress
            from rich.console import Console

            columns = (progress.SpinnerColumn(), progress.TextColumn("{task.description}"), progress.BarColumn(),
                       progress.TaskProgressColumn())  # fmt: skip
            self._bar = progress.Progress(*columns, console=Console(file=self._terminal.err), transient=True)
            self._task = self._bar.add_task(self._title, total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done, total=total, description=f"{self._title}: {step}")

    def __exit__(self, *_told: object) -> None:
        if self._bar is not None:
            self._bar.stop()


class Percent(AbstractContextManager["Percent"]):
    """Shows which step something is at and how many percent are done: a bar on a terminal, else a line for a step."""

    def __init__(self, title: str, terminal: Terminal) -> None:
        self._title = title
        self._terminal = terminal
        silent = terminal.quiet or terminal.as_json
        self._as_bar = not silent and is_terminal(terminal.err) and terminal.colours(terminal.err)
        self._step = ""
        self._told = 0.0
        self._bar: Any = None
        self._task: Any = None

    def advance(self, done: int, total: int, step: str = "") -> None:
        """Take in how far it is."""
        percent = min(100, done * 100 // total) if total > 0 else 0
        if self._as_bar:
            self._draw(percent, step)
        elif step != self._step or monotonic() - self._told >= LINE_SECONDS:
            self._step, self._told = step, monotonic()
            self._terminal.note(" ".join(filter(None, (f"{self._title}:", f"{percent} %", step))))

    def __exit__(self, *_told: object) -> None:
        if self._bar is not None:
            self._bar.stop()

    def _draw(self, percent: int, step: str) -> None:
        if self._bar is None:
            from rich import progress
            from rich.console import Console

            columns = (progress.SpinnerColumn(), progress.TextColumn("{task.description}"), progress.BarColumn(),
                       progress.TaskProgressColumn())  # fmt: skip
            self._bar = progress.Progress(*columns, console=Console(file=self._terminal.err), transient=True)
            self._task = self._bar.add_task(self._title, total=100)
            self._bar.start()
        self._bar.update(self._task, completed=percent, description=f"{self._title}: {step}" if step else self._title)


def _rate_column() -> Any:
    from rich.progress import ProgressColumn, Task
    from rich.text import Text

    class Rate(ProgressColumn):
        """Units in a second."""

        def render(self, task: Task) -> Text:
            """Return the rate, nothing before it is known."""
            return Text(f"{task.speed:.0f}/s" if task.speed else "")

    return Rate()
