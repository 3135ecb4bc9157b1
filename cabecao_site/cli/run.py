"""One run of a command: its arguments, its terminal, who asks, and getting the brain ready."""

from __future__ import annotations

import argparse
import logging
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from brain.errors import HumanOnly
from brain.language import gettext as _
from cabecao_site.cli import brains
from cabecao_site.cli.commands import Command
from cabecao_site.cli.terminal import Terminal

if TYPE_CHECKING:
    from brain.caller import Caller
    from brain.config import Brain

# Codes that do not end with 1.
NO_ANSWER: Final = 5  # no provider made an answer
EXITS: Final = {"invalid_argument": 2, "confirmation_required": 3, "human_only": 4}
_LOG_BYTES: Final = 1_000_000


@dataclass
class Run:
    """What a command's function gets."""

    command: Command
    arguments: argparse.Namespace
    terminal: Terminal
    log_file: Path | None = None

    @cached_property
    def caller(self) -> Caller:
        """Who runs the command."""
        from brain.caller import of_command_line

        return of_command_line()

    @property
    def root(self) -> Path:
        """The folder of the brain that is meant."""
        return brains.choose(self.arguments.brain)

    def enter(self, *, records: bool, lean: bool = True, root: Path | None = None) -> Brain:
        """Make the chosen brain this process's; `records` also brings the databases that are no cache up to date."""
        from cabecao_site import bootstrap

        os.environ.setdefault("CABECAO_LOG_LEVEL", "ERROR")
        brain = bootstrap.start(root or self.root, lean=lean)
        if lean:
            self.log_file = brain.machine / "logs" / "cabecao.log"
            keep_log(self.log_file, shown=self.arguments.debug)
        if records:
            bootstrap.prepare_records()
        self.terminal.detail(_("Brain: %(folder)s") % {"folder": brain.root})
        return brain

    def need_person(self, action: str = "") -> None:
        """Raise HumanOnly unless a person at a terminal runs the command, or one of its actions."""
        if not self.caller.is_human:
            command = f"{self.command.name} {action}".strip()
            raise HumanOnly(
                _("“%(command)s” is for a person at a terminal.") % {"command": command},
                next_step=_("Ask the user to run `cabecao %(command)s` in a terminal.") % {"command": command},
            )


def exit_code(code: str, *, human: bool) -> int:
    """Return the exit code of an error's code."""
    if code == "rule_requires_human" and not human:
        return 4
    return EXITS.get(code, 1)


def keep_log(file: Path, *, shown: bool) -> None:
    """Send what goes wrong inside to a file of the machine's folder, to standard error only where `shown`."""
    from logging.handlers import RotatingFileHandler

    class LogFile(RotatingFileHandler):
        """A file that is made, with its folder, at the first line; one that can't be is no error of its own."""

        def _open(self):  # type: ignore[no-untyped-def]  # noqa: ANN202
            Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
            return super()._open()

        def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802
            """Stay silent: the command's own error matters more."""

    handler = LogFile(file, maxBytes=_LOG_BYTES, backupCount=1, delay=True, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    root = logging.getLogger()
    if not shown:
        root.handlers.clear()
    root.addHandler(handler)
