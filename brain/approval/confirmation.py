"""Confirm tokens: what binds the second call of an action to exactly what the first one showed.

A token proves that the action was meant and is the one that was shown; it does not prove that the person said yes.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

from brain import clock
from brain.approval.models import ConfirmAnswer
from brain.errors import InvalidArgument
from brain.guard import machine_secret
from brain.language import gettext as _

PREFIX: Final = "cbc_ct_"
LIFETIME: Final = timedelta(minutes=5)
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True)
class Subject:
    """What a yes is for: the action with its arguments, its result, what the target holds now, and whose session."""

    action: str
    result: str
    target: str
    session: str

    @property
    def content(self) -> str:
        """The digest by which a no is remembered: what would be written, in this session, whatever the target holds."""
        return _digest(self.action.partition(" ")[0], self.result, self.session)


@dataclass(frozen=True)
class Token:
    """A token, and the moment from which it is worth nothing."""

    text: str
    expires_at: datetime


def issue(subject: Subject, machine: Path) -> Token:
    """Return a token for a subject, good for five minutes."""
    until = int((clock.now() + LIFETIME).timestamp())
    return Token(_text(subject, until, machine), datetime.fromtimestamp(until, tz=clock.now().tzinfo))


def check(text: str, subject: Subject, machine: Path) -> None:
    """Return where a token is of this subject, in time and not used before; InvalidArgument where not."""
    until = _until(text)
    if until is None or not hmac.compare_digest(_text(subject, until, machine).encode(), text.encode()):
        raise _refusal(
            _(
                "The confirm_token is not for this: another action, other arguments, another session, or the note "
                "changed since. Nothing was changed."
            )
        )
    now = clock.now()
    if not now.timestamp() < until <= (now + LIFETIME).timestamp():  # later than that: the clock was set back since
        raise _refusal(_("The confirm_token has expired. Nothing was changed."))
    if _is_kept(_digest(text), ConfirmAnswer.USED):
        raise _refusal(_("The confirm_token was used before. Nothing was changed."))


def _refusal(message: str) -> InvalidArgument:
    return InvalidArgument(
        message, next_step=_("Call again without confirm_token, show the new summary to the user, and ask.")
    )


def use(text: str) -> None:
    """Record that a token did its work."""
    _keep(_digest(text), ConfirmAnswer.USED)


def decline(content: str) -> None:
    """Record that the person said no to a content: for five minutes it gets no token in that session."""
    _keep(content, ConfirmAnswer.DECLINED)


def was_declined(content: str) -> bool:
    """Tell whether the person just said no to this."""
    return _is_kept(content, ConfirmAnswer.DECLINED)


def _keep(digest: str, answer: str) -> None:
    ConfirmAnswer.objects.filter(until__lt=clock.now()).delete()
    ConfirmAnswer.objects.update_or_create(
        digest=digest, defaults={"answer": answer, "until": clock.now() + LIFETIME + timedelta(seconds=1)}
    )


def _is_kept(digest: str, answer: str) -> bool:
    return ConfirmAnswer.objects.filter(digest=digest, answer=answer, until__gte=clock.now()).exists()


def _text(subject: Subject, until: int, machine: Path) -> str:
    whole = json.dumps([subject.action, subject.result, subject.target, subject.session, until])
    proof = hmac.new(machine_secret.of(machine, machine_secret.CONFIRM), whole.encode(), hashlib.sha256).digest()
    return f"{PREFIX}{_base36(until)}_{base64.urlsafe_b64encode(proof).decode().rstrip('=')}"


def _until(text: str) -> int | None:
    digits, mark, _proof = text.removeprefix(PREFIX).partition("_")
    if not text.startswith(PREFIX) or not mark or not 0 < len(digits) <= 10 or set(digits) - set(_DIGITS):
        return None
    return int(digits, 36)


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, last = divmod(number, 36)
        digits = _DIGITS[last] + digits
    return digits


def _digest(*parts: str) -> str:
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()
