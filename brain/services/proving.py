"""How the person proves that it is them where something weighs, and what they set for it: a password, passkeys.

Each change and each wrong proof is in the audit log. It keeps out a page or an agent that acts in passing; a program
that runs as the person can read what they type, and no proof in a browser changes that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.db import transaction

from brain.access import guesses, passkeys, password
from brain.access.passkeys import Place
from brain.audit import chain
from brain.caller import Caller
from brain.errors import HumanOnly, NotFound
from brain.guard import proof
from brain.language import gettext as _
from brain.language import ngettext
from brain.services import refusals

_LONGEST_NAME: Final = 80


def set_password(caller: Caller, text: str) -> None:
    """Make a text the person's password."""
    proof.require(caller)
    with transaction.atomic():  # nothing is set that the audit log does not say
        action = "changed" if password.is_set() else "set"
        password.set_to(text)
        _record(caller, "password", action)


def remove_password(caller: Caller) -> None:
    """Leave the person without a password."""
    proof.require(caller)
    if not password.is_set():
        raise NotFound(_("There is no password. Nothing was changed."), next_step=_("The launch link is the proof."))
    with transaction.atomic():
        password.remove()
        _record(caller, "password", "removed")


def add_passkey(caller: Caller, place: Place, *, answer: str, seal: str, name: str) -> None:
    """Keep the passkey that the browser made."""
    proof.require(caller)
    plain = " ".join(name.split())[:_LONGEST_NAME] or _("Passkey")
    with transaction.atomic():
        passkeys.keep(place, answer=answer, seal=seal, name=plain)
        _record(caller, "passkey", "added", name=plain)


def remove_passkey(caller: Caller, identity: int) -> None:
    """Forget a passkey."""
    proof.require(caller)
    with transaction.atomic():
        name = passkeys.remove(identity)
        if name is None:
            raise NotFound(_("There is no such passkey. Nothing was changed."))
        _record(caller, "passkey", "removed", name=name)


def by_password(caller: Caller, text: str) -> None:
    """Return where a text is the password; HumanOnly where it is not, or where too many were wrong."""
    _prove(caller, lambda: password.is_right(text), _("This is not the password. Nothing was changed."))


def by_passkey(caller: Caller, place: Place, *, answer: str, seal: str) -> None:
    """Return where an answer of the browser is signed with a passkey; HumanOnly where not."""
    refusal = _("The passkey did not fit, or took too long. Nothing was changed.")
    _prove(caller, lambda: passkeys.is_signed(place, answer=answer, seal=seal), refusal)


def _prove(caller: Caller, is_right: Callable[[], bool], refusal: str) -> None:
    seconds = guesses.begin()
    if seconds:
        raise HumanOnly(_too_many(seconds), next_step=_("`cabecao open` in a terminal is a proof too."), proof="wrong")
    if is_right():
        guesses.forget()
        return
    error = HumanOnly(refusal, next_step=_("Try again, or run `cabecao open` in a terminal."), proof="wrong")
    refusals.record(caller, "proof", error)
    raise error


def _too_many(seconds: int) -> str:
    return ngettext(
        "Too many wrong proofs: the next one is looked at in %(count)d second. Nothing was changed.",
        "Too many wrong proofs: the next one is looked at in %(count)d seconds. Nothing was changed.",
        seconds,
    ) % {"count": seconds}


def _record(caller: Caller, subject: str, action: str, **detail: str) -> None:
    chain.append(
        "proof", actor=caller.origin, subject=subject, detail={"did": action, "surface": str(caller.surface), **detail}
    )
