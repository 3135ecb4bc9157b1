"""The person's password for what weighs, set where only they can be: at a terminal of their own."""

from __future__ import annotations

import getpass

from brain.errors import InvalidArgument
from brain.language import gettext as _
from cabecao_site.cli.parser import Parser
from cabecao_site.cli.run import Run


def password_options(grammar: Parser) -> None:
    """Add whether it is taken away."""
    grammar.add_argument("--remove", action="store_true", help=_("take the password away"))


def password(run: Run) -> int:
    """Set, change or remove the password; it is typed at the terminal, never given as an argument or in a pipe."""
    run.need_person()
    if not run.terminal.ask:
        raise InvalidArgument(
            _("The password is typed at the terminal, and --no-input forbids to ask. Nothing was changed."),
            next_step=_("Run it without --no-input."),
        )
    root = run.root
    typed = "" if run.arguments.remove else _typed()
    run.enter(records=True, lean=False, root=root)
    from brain.services import proving

    if run.arguments.remove:
        proving.remove_password(run.caller)
    else:
        proving.set_password(run.caller, typed)
    _tell(run, "removed" if run.arguments.remove else "set")
    return 0


def _typed() -> str:
    try:
        text = getpass.getpass(_("New password (it is not shown): "))
        again = getpass.getpass(_("The same once more: "))
    except EOFError as error:
        raise InvalidArgument(
            _("No password was typed. Nothing was changed."), next_step=_("Run the command again.")
        ) from error
    if again != text:
        raise InvalidArgument(
            _("The two passwords are not the same. Nothing was changed."), next_step=_("Run the command again.")
        )
    return text


def _tell(run: Run, state: str) -> None:
    if run.terminal.as_json:
        run.terminal.say_json({"password": state})
    elif state == "set":
        run.terminal.say(_("The password is set. Browsers that are open have to be opened anew: `cabecao open`."))
    else:
        run.terminal.say(_("There is no password any more. A fresh launch link is the proof: `cabecao open`."))
