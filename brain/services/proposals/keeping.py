"""Keeping what an agent asked for, with its digest and who asked in the audit log."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Final

from brain import clock
from brain.approval.models import Proposal
from brain.audit import chain
from brain.caller import Caller
from brain.errors import InvalidArgument
from brain.language import gettext as _
from brain.services.proposals import checks, packing

if TYPE_CHECKING:
    from brain.services.writing import Change

MOST: Final = 300  # that wait at once
TOLD_FOR: Final = timedelta(minutes=10)  # in which the client may ask what became of it
KEPT: Final = timedelta(days=7)  # after it was decided or expired


def propose(caller: Caller, change: Change, reasons: Iterable[str], *, claim: str = "") -> Proposal:
    """Keep a change as a proposal and return it; the same one of the same client is kept once."""
    same = _same(caller, change, Proposal.PROPOSAL)
    if same is not None:
        return same
    if Proposal.objects.filter(state=Proposal.WAITING).count() >= MOST:
        raise InvalidArgument(
            _("%(count)d requests wait for the user already. Nothing was changed.") % {"count": MOST},
            next_step=_("Tell the user that the Approvals page is full, and ask them to decide some."),
        )
    return _keep(caller, change, reasons, kind=Proposal.PROPOSAL, claim=claim)


def ask(caller: Caller, change: Change, reasons: Iterable[str], *, content: str, until: datetime) -> None:
    """Keep a change that a client is asking the person about, so that it can be decided on the Approvals page too."""
    same = _same(caller, change, Proposal.CONFIRMATION)
    if same is not None:
        Proposal.objects.filter(id=same.id).update(until=until)
        return
    _keep(caller, change, reasons, kind=Proposal.CONFIRMATION, content=content, until=until)


def waiting() -> list[str]:
    """Return the requests that can be decided now, the newest first."""
    undecided = Proposal.objects.filter(state=Proposal.WAITING)
    return list(undecided.exclude(until__lte=clock.now()).values_list("id", flat=True))


def settle(caller: Caller, operation: str) -> None:
    """Close what waited on the page for a request that its own client has had confirmed."""
    Proposal.objects.filter(state=Proposal.WAITING, kind=Proposal.CONFIRMATION, key=key(caller, operation)).update(
        state=Proposal.CONFIRMED, decided_at=clock.now()
    )


def key(caller: Caller, operation: str) -> str:
    """Return what tells one request of one client from all others: the operation, its arguments and the session."""
    parts = [operation, caller.request.arguments, caller.client, caller.session or caller.connection]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def record(action: str, actor: str, one: Proposal, **detail: str) -> None:
    """Add the row of the audit log that vouches for what is kept."""
    known = {"digest": digest(one), "operation": one.operation, "session": one.session, **detail}
    chain.append(action, actor=actor, subject=one.id, detail=known)


def digest(one: Proposal) -> str:
    """Return the digest of what a proposal would do, and of who asked for it."""
    return packing.digest(one.operation, one.arguments, one.change, one.client)


def _same(caller: Caller, change: Change, kind: str) -> Proposal | None:
    """Return the request of this client that waits already and asks for the same."""
    of_kind = Proposal.objects.filter(state=Proposal.WAITING, kind=kind, client=caller.client)
    return of_kind.filter(key=key(caller, change.operation)).first()


def _keep(
    caller: Caller,
    change: Change,
    reasons: Iterable[str],
    *,
    kind: str,
    claim: str = "",
    content: str = "",
    until: datetime | None = None,
) -> Proposal:
    _forget_old()
    one = Proposal(
        id=clock.new_id(),
        kind=kind,
        state=Proposal.WAITING,
        key=key(caller, change.operation),
        client=caller.client,
        session=caller.session or "",
        surface=str(caller.surface),
        operation=change.operation,
        arguments=caller.request.given,
        claim=claim,
        why=json.dumps(list(dict.fromkeys(reasons)), ensure_ascii=False),
        change=packing.pack(change),
        outside=checks.read_outside(caller),
        content=content,
        created_at=clock.now(),
        until=until,
    )
    record("propose" if kind == Proposal.PROPOSAL else "ask", caller.origin, one)
    one.save(force_insert=True)
    return one


def _forget_old() -> None:
    before = clock.now() - KEPT
    Proposal.objects.filter(decided_at__lt=before).delete()
    Proposal.objects.filter(state=Proposal.WAITING, until__lt=before).delete()


def path_of(one: Proposal) -> str:
    """Return the file that a request is about: the last of those that it would change."""
    return packing.unpack(one.change).edits[-1].path
