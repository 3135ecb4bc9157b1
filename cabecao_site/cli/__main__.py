"""The console script `cabecao`."""

from __future__ import annotations

import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib import import_module

from brain import language
from brain.errors import BrainError, InternalError, InvalidArgument, foreign, reason_of
from brain.language import gettext as _
from cabecao_site.cli import brains, commands, parser
from cabecao_site.cli.entry import STOPPED
from cabecao_site.cli.parser import Line, UsageError
from cabecao_site.cli.run import Run, exit_code
from cabecao_site.cli.terminal import Terminal

USAGE = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command line and return its exit code."""
    words = list(sys.argv[1:] if argv is None else argv)
    parser.choose_language(words)
    language.configure(brains.setting_of_language(parser.value_of("--brain", words)))
    try:
        return _run(parser.split(words))
    except UsageError as error:
        return _explain(error, as_json="--json" in words)
    except SystemExit as end:  # argparse after --help or --version
        return end.code if isinstance(end.code, int) else 1
    except KeyboardInterrupt:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # another one would break off the ending of Python itself
        print(file=sys.stderr)  # noqa: T201
        return STOPPED
    except BrokenPipeError:  # whoever read the answer has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1


def _run(line: Line) -> int:
    if line.command is None:
        front = parser.Front()
        front.parse_args(line.options)
        front.print_help()
        return 0
    command = commands.find(line.command)
    if command is None:
        raise parser.unknown(line.command)
    module = import_module(command.module)
    grammar = parser.for_command(command)
    getattr(module, f"{command.function}_options")(grammar)
    arguments = grammar.parse_args(line.options)
    shown = Terminal(
        as_json=arguments.json,
        quiet=arguments.quiet,
        verbose=arguments.verbose,
        ask=not arguments.no_input,
        color=arguments.color,
    )
    run = Run(command, arguments, shown)
    code = _guarded(run, getattr(module, command.function))
    sys.stdout.flush()
    return code


def _guarded(run: Run, function: Callable[[Run], int]) -> int:
    try:
        return function(run)
    except BrainError as error:
        return _failed(run, error)
    except (UsageError, BrokenPipeError):
        raise
    except Exception as error:  # noqa: BLE001 (the outermost door: no traceback without --debug)
        if (told := foreign(error)) is not None:
            return _failed(run, told)
        where = "".join(traceback.format_tb(error.__traceback__))
        logging.getLogger(__name__).error("%s failed: %s\n%s", run.command.name, type(error).__name__, where)  # noqa: TRY400
        reason = reason_of(error)
        told = InternalError(_("Something unexpected failed inside Cabeção (%(kind)s).") % {"kind": reason})
        told.__cause__ = error
        return _failed(run, told)


def _failed(run: Run, error: BrainError) -> int:
    if run.arguments.debug:
        traceback.print_exception(error)
    run.terminal.fail(error.as_dict(), why=_reason(run, error))
    return exit_code(error.code, human=run.caller.is_human)


def _reason(run: Run, error: BrainError) -> str:
    """Return the middle line: what became of it."""
    if error.code == InternalError.code:
        return _("The log is in %(file)s.") % {"file": run.log_file} if run.log_file else _("Run it with --debug.")
    nothing = _("Nothing was changed.")
    return f"({error.code})" if nothing in error.message else f"{nothing} ({error.code})"


def _explain(error: UsageError, *, as_json: bool) -> int:
    terminal = Terminal(as_json=as_json)
    told = {"code": InvalidArgument.code, "message": error.message, "next_step": error.hint}
    terminal.fail(told, why=error.usage)
    return USAGE


if __name__ == "__main__":
    raise SystemExit(main())
