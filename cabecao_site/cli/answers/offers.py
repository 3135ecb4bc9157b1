"""Which provider, model and address: as given, or picked from what is there on this machine."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.services.asking import wording
from cabecao_site.cli.parser import UsageError
from cabecao_site.cli.terminal import Terminal
from llm import addresses, consent, discovery
from llm.addresses import AddressRefused
from llm.consent import Entry, InvalidSettings
from llm.discovery import Found
from llm.known import PROVIDERS, Known


def pick(terminal: Terminal, environ: Mapping[str, str]) -> Found:
    """Offer what there is and return what the person picks."""
    found = discovery.look(environ)
    if not found:
        raise InvalidArgument(
            _("Nothing that could answer was found on this machine. Nothing was changed."),
            next_step=_("Name one: cabecao llm on --provider %(names)s") % {"names": "|".join(PROVIDERS)},
        )
    terminal.ask_about(_("Found on this machine:"))
    for number, one in enumerate(found, 1):
        terminal.ask_about(f"  {number}. {_offer(one)}")
    terminal.ask_about(_("Others: cabecao llm on --provider %(names)s") % {"names": "|".join(PROVIDERS)})
    answer = terminal.choose(_("Which one? [1-%(last)d]") % {"last": len(found)})
    if not (answer.isdecimal() and 1 <= int(answer) <= len(found)):
        raise InvalidArgument(
            _("None was chosen. Nothing was changed."), next_step=_("Run it again and give a number of the list.")
        )
    chosen = found[int(answer) - 1]
    return chosen if chosen.model else Found(chosen.provider, _model(terminal), chosen.variable)


def _model(terminal: Terminal) -> str:
    return terminal.choose(_("Which model?"))


def _offer(one: Found) -> str:
    facts = [one.known.title]
    if one.known.is_on_this_machine:
        facts.append(_("runs on this machine"))
    if one.model:
        facts.append(_("model %(model)s") % {"model": one.model})
    if one.variable:
        facts.append(wording.key("", one.variable))
    return " · ".join(facts)


def entry(known: Known, given: argparse.Namespace, environ: Mapping[str, str], *, key: str) -> Entry:
    """Return the entry that is asked for; what cannot be is refused, with nothing changed."""
    address = _address(known, given.base_url)
    model = given.model or known.model
    if not model:
        raise _no_model(known, address)
    program = _program(environ) if known.is_installed_agent else discovery.Program("")
    made = Entry(known.name, model, address, key, program.program, program.node)
    try:
        consent.check(made)
    except InvalidSettings as error:
        raise InvalidArgument(
            _("“%(field)s” cannot be taken as it was given. Nothing was changed.") % {"field": error},
            next_step=_("See `%(command)s --help`.") % {"command": "cabecao llm"},
        ) from None
    return made


def _no_model(known: Known, address: str) -> UsageError:
    there = discovery.models(known, address) if known.is_on_this_machine else []
    hint = _("It has: %(models)s") % {"models": ", ".join(there)} if there else ""
    return UsageError(_("“%(provider)s” needs --model MODEL.") % {"provider": known.name}, hint=hint)


def _address(known: Known, given: str | None) -> str:
    if given is not None and known.has_fixed_address:
        raise UsageError(
            _("“%(provider)s” has an address of its own: --base-url is only for %(names)s.")
            % {
                "provider": known.name,
                "names": ", ".join(n for n, one in PROVIDERS.items() if not one.has_fixed_address),
            }
        )
    if known.is_installed_agent:
        return ""
    wanted = given or known.address
    if not wanted:
        raise UsageError(_("“%(provider)s” needs --base-url URL.") % {"provider": known.name})
    try:
        return addresses.parse(wanted).text
    except AddressRefused:
        raise InvalidArgument(
            _("This address is refused. Nothing was changed."),
            next_step=_(
                "Give an https address, or http on this machine (localhost, 127.0.0.1, [::1]), without user, query or "
                "fragment; link-local and metadata addresses are never called."
            ),
        ) from None


def _program(environ: Mapping[str, str]) -> discovery.Program:
    found = discovery.claude_code(environ)
    if found is None:
        raise InvalidArgument(
            _("Claude Code was not found on this machine. Nothing was changed."),
            next_step=_("Install it and log in, or choose another provider."),
        )
    return found
