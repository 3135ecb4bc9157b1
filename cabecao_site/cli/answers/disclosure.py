"""What the person reads before a provider is turned on: where to, what leaves, what never does, and what it costs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.services.asking import wording
from llm.consent import Entry
from llm.known import runs_elsewhere
from llm.limits import Limits

# Provider -> what it says of the data, and where; looked up on POLICIES_OF.
POLICIES_OF: Final = "2026-11-13"
POLICIES: Final[Mapping[str, tuple[str, str]]] = {
    "claude-code": (
        N_("with Free, Pro or Max, your account's privacy setting decides whether models are improved with it"),
        "privacy.claude.com",
    ),
    "anthropic": (N_("by default not used to train models"), "privacy.claude.com"),
    "openai": (
        N_("not used for training unless you opt in; logs against abuse are kept for up to 30 days"),
        "developers.openai.com",
    ),
    "gemini": (
        N_("free tier: used to improve products, and people may read it; paid tier: not used, logs kept for a time"),
        "aistudio.google.com",
    ),
    "openrouter": (
        N_("not stored unless you turn logging on; only providers that do not collect data are asked for"),
        "openrouter.ai",
    ),
    "groq": (
        N_("not kept by default; may be logged for up to 30 days to look into errors or abuse"),
        "console.groq.com",
    ),
}
# What makes Claude Code, run for the person, send elsewhere or use another login.
ELSEWHERE: Final = (
    "ANTHROPIC_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_AUTH_TOKEN",
    "CLAUDE_CONFIG_DIR",
    "CLAUDE_CODE_USE_BEDROCK",
    "CLAUDE_CODE_USE_VERTEX",
    "CLAUDE_CODE_USE_FOUNDRY",
)


def lines(entry: Entry, limits: Limits, key: str) -> Iterator[str]:
    """Yield what is shown of an entry; `key` says where its key comes from."""
    yield _("To answer `cabecao ask`, and the tool `ask` of your agents, Cabeção will send to: %(destination)s") % {
        "destination": wording.destination(entry)
    }
    yield _("Provider “%(provider)s” · model %(model)s · %(where)s · key: %(key)s") % {
        "provider": entry.provider,
        "model": entry.model,
        "where": _("runs on this machine") if entry.is_local else _("outside this machine"),
        "key": key,
    }
    yield _(
        "What leaves, with each question: the question, and up to ~%(tokens)d tokens of passages from the notes that "
        "the search finds, each with its path, title, type, validity and provenance (trust, origin)."
    ) % {"tokens": limits.context_tokens}
    yield _(
        "What NEVER leaves: private notes and their names; notes whose frontmatter cannot be read; control files (the "
        "catalogue, the log, AGENTS.md, CLAUDE.md and the like, conflict copies); any passage in which the secret "
        "scanner finds something (it is left out, and the answer says so); what the brain's `llm_policy` excludes; "
        "the key."
    )
    yield _("The answer is never written to the brain nor run: it is only read.")
    yield _cost(entry)
    yield _limits(limits)
    yield from _policy(entry)
    yield _("To turn it off: %(command)s") % {"command": "cabecao llm off"}
    yield _("To delete the provider: %(command)s") % {"command": f"cabecao llm remove {entry.provider}"}


def _cost(entry: Entry) -> str:
    if entry.known.is_installed_agent:
        return _(
            "Cost: it counts against the limits of your Claude Code subscription, or is charged to the key that Claude "
            "Code uses. Where your agent is Claude Code too, each ask opens a second session."
        )
    if entry.is_local:
        return _("Cost: it runs on this machine, nothing is charged for a question.")
    return _("Cost: you pay in the provider's account, by the token. Set a spending cap in the provider's dashboard.")


def _limits(limits: Limits) -> str:
    return _(
        "Limits: up to %(output)d tokens of answer and ~%(context)d of context for a question, %(seconds)d s in all; "
        "%(hour)d questions an hour, %(session)d in an agent's session (`limits` in llm.json)."
    ) % {
        "output": limits.max_output_tokens,
        "context": limits.context_tokens,
        "seconds": limits.seconds,
        "hour": limits.max_calls_per_hour,
        "session": limits.max_calls_per_session,
    }


def _policy(entry: Entry) -> Iterator[str]:
    if entry.provider in POLICIES:
        said, source = POLICIES[entry.provider]
        yield _("Your data, as the provider says (%(source)s, %(day)s; see whether it still holds): %(policy)s.") % {
            "source": source,
            "day": POLICIES_OF,
            "policy": _(said),
        }


def others(on: Sequence[Entry], *, is_fallback: bool) -> Iterator[str]:
    """Yield what becomes of those that are on already."""
    if not on:
        return
    names = "; ".join(wording.destination(one) for one in on)
    if is_fallback:
        yield _("It is asked only where what is on now fails: %(names)s") % {"names": names}
    else:
        yield _("It takes the place of what is on now, which is turned off (--fallback keeps it first): %(names)s") % {
            "names": names
        }


def warnings(entry: Entry, environ: Mapping[str, str]) -> Iterator[str]:
    """Yield what needs a second look in an entry."""
    if runs_elsewhere(entry.known, entry.model):
        yield _(
            "The model %(model)s runs on ollama.com, not on this machine: the question and the passages leave it."
        ) % {"model": entry.model}
    if entry.known.is_on_this_machine and not entry.is_local and not runs_elsewhere(entry.known, entry.model):
        yield _("The address is not on this machine: the question and the passages leave it.")
    named = [name for name in ELSEWHERE if environ.get(name)]
    if entry.known.is_installed_agent and named:
        yield _(
            "In your terminal your environment holds for Claude Code, and may send elsewhere or use another login: "
            "%(names)s. For agents it does not."
        ) % {"names": ", ".join(named)}
