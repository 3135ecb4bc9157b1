"""The grammar of the command line: common options anywhere, one parser per command, all in the person's language."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from brain import __version__, language
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from cabecao_site.cli.commands import COMMANDS, GROUPS, Command, nearest

EXIT_CODES: Final = (
    (0, N_("done")),
    (1, N_("failed")),
    (2, N_("the command was not understood")),
    (3, N_("needs the user's explicit request")),
    (4, N_("only for a person at the terminal")),
    (5, N_("no provider gave an answer")),
    (130, N_("stopped with Ctrl+C")),
)
# argparse's own sentences, listed so that the catalogue has them; it looks them up through this module's gettext.
ARGPARSE_WORDS: Final = (
    N_("usage: "),
    N_("options"),
    N_("positional arguments"),
    N_("show this help message and exit"),
    N_("the following arguments are required: %s"),
    N_("unrecognized arguments: %s"),
    N_("expected one argument"),
    N_("expected at least one argument"),
    N_("ignored explicit argument %r"),
    N_("argument %(argument_name)s: %(message)s"),
    N_("invalid choice: %(value)r (choose from %(choices)s)"),
    N_("invalid %(type)s value: %(value)r"),
    N_("not allowed with argument %s"),
    N_("%(prog)s: error: %(message)s\n"),
)
_WITH_VALUE: Final = ("--brain", "--lang", "--color")


class UsageError(Exception):
    """The command line was not understood; carries how the command is used."""

    def __init__(self, message: str, *, usage: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.usage = usage
        self.hint = hint


@dataclass(frozen=True)
class Line:
    """A command line in its parts: what stands before the command, the command, and what follows."""

    before: tuple[str, ...]
    command: str | None
    after: tuple[str, ...]

    @property
    def options(self) -> list[str]:
        """Everything but the command's name."""
        return [*self.before, *self.after]


class Parser(argparse.ArgumentParser):
    """An argparse parser that raises UsageError and knows no abbreviations."""

    def __init__(self, command: Command | None = None, **settings: Any) -> None:
        self.spoken = command
        vars(argparse).update({"_": _, "ngettext": ngettext})
        super().__init__(allow_abbrev=False, formatter_class=argparse.RawDescriptionHelpFormatter, **settings)

    def format_usage(self) -> str:
        """Return one line: what must be given, the rest as OPTIONS."""
        self.usage = self._short_usage()
        return super().format_usage()

    def format_help(self) -> str:
        """Return the help of argparse under the one-line usage."""
        self.usage = self._short_usage()
        return super().format_help()

    def _short_usage(self) -> str:
        words = [self.prog, _("[OPTIONS]")]
        for action in self._actions:
            name = str(action.metavar or action.dest)
            if not action.option_strings:
                words.append(f"[{name}]" if action.nargs == "?" else name)
            elif action.required:
                words.append(f"{action.option_strings[-1]} {name}")
        return " ".join(words).replace("%", "%%")

    @property
    def command(self) -> Command:
        """The command that this parser is for."""
        assert self.spoken is not None  # noqa: S101 (only the front parser has none)
        return self.spoken

    def error(self, message: str) -> NoReturn:
        """Raise what argparse found."""
        hint = _("See `%(command)s --help`.") % {"command": self.prog}
        raise UsageError(message, usage=self.format_usage().strip(), hint=hint)


def split(argv: Sequence[str]) -> Line:
    """Find the command among its options."""
    place = 0
    while place < len(argv):
        word = argv[place]
        if not word.startswith("-") or word == "-":
            return Line(tuple(argv[:place]), word, tuple(argv[place + 1 :]))
        place += 2 if word in _WITH_VALUE else 1
    return Line(tuple(argv), None, ())


def value_of(option: str, argv: Sequence[str]) -> str | None:
    """Return the last value of an option before anything is parsed."""
    found = None
    for word, following in zip(argv, [*argv[1:], None], strict=False):
        if word == "--":
            break
        if word == option:
            found = following
        elif word.startswith(option + "="):
            found = word.partition("=")[2]
    return found


class Front(Parser):
    """The parser of a line without a command; its help names every command."""

    def __init__(self) -> None:
        super().__init__(prog="cabecao", add_help=False)
        _common(self)

    def format_help(self) -> str:
        """Return every command with its sentence, in groups, and the common options."""
        options = super().format_help().partition("\n\n")[2].strip()
        lines = [_("Cabeção: long-term memory for you and your AI clients."), "", _("usage: cabecao COMMAND [OPTIONS]")]
        for key, title in GROUPS.items():
            lines += ["", _(title), *_listed(key)]
        return "\n".join([*lines, "", options, "", _("Help of one command: cabecao COMMAND --help"), ""])


def _listed(group: str) -> list[str]:
    width = max(len(command.name) for command in COMMANDS) + 2
    return [f"  {one.name:<{width}}{_(one.summary)}" for one in COMMANDS if one.group == group]


def for_command(command: Command) -> Parser:
    """Return a command's parser with what every command takes; its own options are added by its module."""
    parser = Parser(command, prog=f"cabecao {command.name}", add_help=False)
    parser.description = _(command.summary)
    parser.epilog = _epilogue(command)
    _common(parser)
    return parser


def _common(parser: Parser) -> None:
    group = parser.add_argument_group(_("common options"))
    add = group.add_argument
    add("-h", "--help", action="help", help=_("show this help and end"))
    add("--version", action="version", version=f"cabecao {__version__}", help=_("show the version and end"))
    add("--brain", metavar=_("DIR|NAME"), help=_("which brain: its folder, or a name that `cabecao brains` lists"))
    add("--json", action="store_true", help=_("one JSON object on standard output, errors too"))
    add("-q", "--quiet", action="store_true", help=_("only the result or an error"))
    add("-v", "--verbose", action="store_true", help=_("more about what is done, on standard error"))
    add("--no-input", action="store_true", help=_("never ask; every question is answered with no"))
    add("--color", choices=("auto", "always", "never"), default="auto", help=_("colour (default: on a terminal)"))
    add("--lang", type=_language, metavar="pt-br|en", help=_("language of the messages"))
    add("--debug", action="store_true", help=_("show the traceback of a failure"))


def _language(name: str) -> str:
    found = language.normalised(name)
    if found is None:
        raise argparse.ArgumentTypeError(_("there is no language “%(name)s”; choose pt-br or en") % {"name": name})
    return found


def _epilogue(command: Command) -> str:
    examples = "\n".join(f"  {example}" for example in command.examples)
    codes = "\n".join(f"  {code:>3}  {_(meaning)}" for code, meaning in EXIT_CODES)
    siblings = ", ".join(one.name for one in COMMANDS if one.group == command.group and one is not command)
    see = _("see also: %(commands)s") % {"commands": siblings}
    return f"{_('examples')}:\n{examples}\n\n{_('exit codes')}:\n{codes}\n\n{see}"


def unknown(name: str) -> UsageError:
    """Return the error of a command that does not exist, with the nearest that does."""
    close = nearest(name)
    hint = _("Did you mean `cabecao %(command)s`?") % {"command": close} if close else _("See `cabecao --help`.")
    return UsageError(_("There is no command “%(name)s”.") % {"name": name[:80]}, hint=hint)


def choose_language(argv: Sequence[str]) -> None:
    """Let --lang win over CABECAO_LANG, for this process and its children."""
    named = language.normalised(value_of("--lang", argv))
    if named:
        os.environ["CABECAO_LANG"] = named
        language.configure(named)
