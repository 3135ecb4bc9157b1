"""Whether a question may be put to a provider: this machine turned one on, and the brain lets it have its notes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from brain import config
from brain.caller import Caller, Surface
from brain.config import Brain
from brain.errors import BrainError
from brain.guard import llm_policy
from brain.guard.llm_policy import Allow, InvalidPolicy, LlmPolicy
from llm import switch
from llm.consent import Entry
from llm.switch import Off, On

if TYPE_CHECKING:
    from brain.contracts.asking import UnavailableReason

Why = Literal[
    "not_configured", "off", "redirected", "unsafe_folder", "invalid", "consent", "policy", "agent_only",
    "invalid_policy", "consolidation",
]  # fmt: skip


@dataclass(frozen=True)
class Refusal:
    """No provider is asked: the reason as every caller sees it, and what lies behind it."""

    reason: UnavailableReason
    why: Why
    what: str = ""


def is_at_terminal(caller: Caller) -> bool:
    """Tell whether a person asks whose own environment counts; in the browser it is that of whoever started it."""
    return caller.is_human and caller.surface is Surface.CLI


def switched(*, is_at_terminal: bool) -> On | Off:
    """Return what is turned on on this machine, whatever the brain allows."""
    return switch.enabled(caller_is_person=is_at_terminal)


def given(caller: Caller) -> On | Refusal:
    """Return the providers that may be asked for this brain now, or why none may; read anew each time."""
    found = switched(is_at_terminal=is_at_terminal(caller))
    if isinstance(found, Off):
        return Refusal("not_configured", found.reason.value, found.what)
    if caller.consolidation is not None:
        return Refusal("disabled_for_brain", "consolidation")
    policy = brains_own()
    if isinstance(policy, Refusal):
        return policy
    if policy.allow is Allow.NONE:
        return Refusal("disabled_for_brain", "policy")
    kept = found.only(installed_agent=policy.allow is Allow.AGENT)
    return kept or Refusal("disabled_for_brain", "agent_only")


def agents_own(brain: Brain) -> tuple[Entry, ...]:
    """Return the providers that an agent's question may go to, none where it has none.

    What speaks with providers is not loaded for it.
    """
    found = switch.consented(caller_is_person=False)
    if isinstance(found, Off):
        return ()
    policy = brains_own(brain)
    if isinstance(policy, Refusal) or policy.allow is Allow.NONE:
        return ()
    return tuple(one for one in found.entries if policy.allow is Allow.ANY or one.known.is_installed_agent)


def brains_own(brain: Brain | None = None) -> LlmPolicy | Refusal:
    """Return the brain's policy; one that cannot be taken closes, and names the field that is wrong."""
    try:
        return llm_policy.parse((brain or config.here()).config().llm_policy)
    except InvalidPolicy as error:
        return Refusal("disabled_for_brain", "invalid_policy", str(error))


def is_offered(root: Path) -> bool:
    """Tell whether agents have ask for the brain in a folder."""
    try:
        return bool(agents_own(Brain(root)))
    except BrainError:
        return False


def leaves_to() -> str:
    """Return the names of the providers elsewhere that a question may go to, "" where none leaves this machine."""
    return ", ".join(one.known.title for one in agents_own(config.here()) if not one.is_local)
