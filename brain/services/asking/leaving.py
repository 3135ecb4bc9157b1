"""Whether questions leave this machine, for a line on every page: quick, and without a look at any key."""

from __future__ import annotations

from brain.guard.llm_policy import Allow
from brain.services.asking import permission
from brain.services.asking.permission import Refusal
from llm import switch
from llm.switch import Off


def to() -> str:
    """Return the names of the providers elsewhere that a question may go to, "" where none leaves."""
    found = switch.consented(caller_is_person=False)
    if isinstance(found, Off):
        return ""
    policy = permission.brains_own()
    if isinstance(policy, Refusal) or policy.allow is Allow.NONE:
        return ""
    asked = [one for one in found.entries if policy.allow is Allow.ANY or one.known.is_installed_agent]
    return ", ".join(one.known.title for one in asked if not one.is_local)
