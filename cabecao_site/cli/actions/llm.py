"""`cabecao llm`: answers from a language model, turned on, off, tested and deleted by the person alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from brain.language import gettext as _
from cabecao_site.cli.parser import Parser, UsageError
from cabecao_site.cli.run import Run
from llm.known import PROVIDERS

_STATUS: Final = "status"
# Action -> the options that only it takes.
_OPTIONS: Final = {
    "on": ("provider", "model", "base_url", "key_env", "store", "fallback"),
    "off": (),
    _STATUS: (),
    "test": (),
    "remove": ("which",),
    "policy": ("allow", "exclude_paths", "exclude_types", "exclude_trust", "clear"),
}
_EACH: Final = tuple(name for names in _OPTIONS.values() for name in names)
_SPELLED: Final = {
    "which": "PROVIDER",
    "provider": "--provider",
    "model": "--model",
    "base_url": "--base-url",
    "key_env": "--key-env",
    "store": "--store",
    "fallback": "--fallback",
    "allow": "--allow",
    "exclude_paths": "--exclude-path",
    "exclude_types": "--exclude-type",
    "exclude_trust": "--exclude-trust",
    "clear": "--clear",
}


def llm_options(grammar: Parser) -> None:
    """Add what is to be done, and what each of it takes."""
    add = grammar.add_argument
    add("action", nargs="?", choices=tuple(_OPTIONS), default=_STATUS, metavar="ACTION",
        help=_("on, off, status, test, remove or policy (default: status)"))  # fmt: skip
    add("which", nargs="?", choices=tuple(PROVIDERS), metavar="PROVIDER", help=_("with remove: which provider"))
    names = ", ".join(PROVIDERS)
    add("--provider", choices=tuple(PROVIDERS), metavar="PROVIDER",
        help=_("with on: one of %(names)s (default: pick from what is there)") % {"names": names})  # fmt: skip
    add("--model", metavar="MODEL", help=_("with on: the model"))
    add("--base-url", metavar="URL", help=_("with on: the address, for compatible, ollama and lmstudio"))
    add("--key-env", metavar="NAME", help=_("with on: take the key from this variable each time, keep none"))
    add("--store", choices=("file", "keyring"), help=_("with on: where the key is kept"))
    add("--fallback", action="store_true", help=_("with on: keep what is on first, and ask this one where it fails"))
    add("--allow", choices=("any", "agent", "none"), help=_("with policy: which providers may be asked"))
    for name, word in (("path", "PATH"), ("type", "TYPE"), ("trust", "TRUST")):
        dest = "exclude_trust" if name == "trust" else f"exclude_{name}s"
        add(f"--exclude-{name}", dest=dest, action="append", default=[], metavar=word,
            help=_("with policy: what never leaves; may be given several times"))  # fmt: skip
    add("--clear", action="store_true", help=_("with policy: drop the policy that is there"))


def llm(run: Run) -> int:
    """Do what was asked; all but the status is the person's."""
    action = run.arguments.action
    _refuse_strangers(run, action)
    if action != _STATUS:
        run.need_person(action)
    from cabecao_site.cli.answers import policy, telling, turning_off, turning_on

    table: dict[str, Callable[[Run], int]] = {
        "on": turning_on.turn_on,
        "off": turning_off.turn_off,
        _STATUS: telling.status,
        "test": telling.test,
        "remove": turning_off.remove,
        "policy": policy.policy,
    }
    return table[action](run)


def _refuse_strangers(run: Run, action: str) -> None:
    given = [name for name in _EACH if getattr(run.arguments, name) and name not in _OPTIONS[action]]
    if given:
        raise UsageError(
            _("“llm %(action)s” takes no %(option)s.") % {"action": action, "option": _SPELLED.get(given[0], given[0])},
            hint=_("See `%(command)s --help`.") % {"command": "cabecao llm"},
        )
