"""How providers, keys and failures are told to the person; nothing here is for an agent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brain import language
from brain.contracts.asking import AskOutput
from brain.guard.llm_policy import Allow, LlmPolicy
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from llm import addresses, consent
from llm.consent import Entry
from llm.failure import Code, Failure
from llm.known import runs_elsewhere

# What went wrong with a provider -> what happened, and what to do.
_FAILURES: Final[Mapping[Code, tuple[str, str]]] = {
    Code.OFFLINE: (
        N_("the provider could not be reached"),
        N_("See whether the server runs and the network is there."),
    ),
    Code.TIMEOUT: (N_("no answer came in time"), N_("Try again; `timeout_ms` in llm.json says how long it may take.")),
    Code.UNAUTHORIZED: (N_("the key or the login was refused"), N_("Give another key with `cabecao llm on`.")),
    Code.LIMITED: (N_("the limit of the account is reached"), N_("Look at the limits in the provider's dashboard.")),
    Code.SERVER: (N_("the server failed"), N_("Try again later.")),
    Code.REJECTED: (N_("the request was refused"), N_("Check the name of the model, and the address.")),
    Code.REDIRECTED: (
        N_("the server sends to another address, which is never followed"),
        N_("Turn it on again with the right address."),
    ),
    Code.MALFORMED: (N_("what came was no answer"), N_("Check that the address is that of such a service.")),
    Code.TOO_LARGE: (N_("the answer was too large"), N_("Try again, or choose another model.")),
    Code.FILTERED: (N_("the model declined"), N_("Try again, or choose another model.")),
    Code.CANCELLED: (N_("it was stopped"), N_("Run `cabecao llm test`.")),
    Code.NOT_INSTALLED: (N_("the program is not where it was"), N_("Turn it on again with `cabecao llm on`.")),
    Code.NO_KEY: (N_("there is no key"), N_("Set the variable, or keep a key with `cabecao llm on`.")),
    Code.KEYRING: (
        N_("the system's store of keys did not answer"),
        N_("Unlock it, or use `cabecao llm on` with --store file."),
    ),
    Code.PROXY: (N_("the proxy refused"), N_("Check HTTPS_PROXY and NO_PROXY.")),
    Code.ADDRESS: (N_("the name leads to an address that is never called"), N_("Check the name and its DNS.")),
    Code.SPENT: (N_("three requests brought no answer"), N_("Try again later.")),
}

_OMITTED: Final[Mapping[str, str]] = {
    "private": N_("%(count)d of private notes, or that name one"),
    "policy": N_("%(count)d kept back by the brain's llm_policy"),
    "secret": N_("%(count)d that may hold a secret"),
    "control": N_("%(count)d of control files"),
    "budget": N_("%(count)d for want of room"),
    "unreadable": N_("%(count)d whose frontmatter cannot be read"),
}


def left_out(output: AskOutput) -> list[str]:
    """Return what was dropped of an answer and kept back from the provider, a sentence for each."""
    said = []
    if count := output.removed_citations:
        dropped = ngettext(
            "%(count)d citation was dropped: no such label, or words that are not in the passage.",
            "%(count)d citations were dropped: no such label, or words that are not in the passage.",
            count,
        )
        said.append(dropped % {"count": count})
    counted: dict[str, int] = output.omitted.model_dump()
    reasons = [_(text) % {"count": counted[reason]} for reason, text in _OMITTED.items() if counted[reason]]
    if reasons:
        said.append(_("Passages not sent to the provider: %(reasons)s.") % {"reasons": "; ".join(reasons)})
    return [*said, *(warning.message for warning in output.warnings)]


def policy(shown: LlmPolicy) -> list[tuple[str, str]]:
    """Return what a policy says, line by line."""
    said = {
        Allow.ANY: _("any provider that you turned on"),
        Allow.AGENT: _("only the installed agent"),
        Allow.NONE: _("no provider: ask only shows the passages"),
    }
    rows = [
        (_("may be asked"), said[shown.allow]),
        (_("paths that never leave"), ", ".join(shown.exclude_paths)),
        (_("types that never leave"), ", ".join(shown.exclude_types)),
        (_("trust levels that never leave"), ", ".join(shown.exclude_trust)),
    ]
    return [(label, value or "-") for label, value in rows]


def failure(error: Failure) -> tuple[str, str]:
    """Return what happened, with the HTTP status where there was one, and what to do."""
    said, advice = _FAILURES[error.code]
    return _(said) + (f" (HTTP {error.status})" if error.status else ""), _(advice)


def destination(entry: Entry) -> str:
    """Return where a question goes."""
    if entry.known.is_installed_agent:
        return _(
            "Anthropic, through the Claude Code that is installed here (%(program)s), with your account's login"
        ) % {"program": entry.program}
    place = addresses.parse(entry.address)
    names = {"name": entry.known.title, "place": place.shown}
    if not place.is_local:
        return f"{entry.known.title} ({place.shown})"
    if runs_elsewhere(entry.known, entry.model):
        return _("%(name)s on this machine (%(place)s), which sends it on to ollama.com") % names
    return _("%(name)s on this machine (%(place)s)") % names


def key(source: str, variable: str = "") -> str:
    """Return where a key is."""
    if variable:
        return _("the variable %(name)s") % {"name": variable}
    names = {
        consent.KEYRING: N_("the system's store of keys"),
        consent.KEY_FILE: N_("a file that only you can read"),
        consent.NO_KEY: N_("none"),
    }
    return _(names[source])


def seconds(value: float) -> str:
    """Return a time with one decimal, in the language in force."""
    text = f"{value:.1f}"
    return text.replace(".", ",") if language.current() == "pt-br" else text
