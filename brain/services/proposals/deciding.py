"""What the person does with a request: accept exactly it, accept it edited, refuse it; and what its client may."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Final

from brain import clock
from brain.approval import confirmation
from brain.approval.models import Proposal
from brain.audit import chain
from brain.caller import Caller, Kind, Request, Surface, Voice
from brain.errors import Conflict, HumanOnly, InvalidArgument, NotFound
from brain.guard import proof
from brain.jobs import process
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.note import document
from brain.services import confirming, workplace, writing
from brain.services.proposals import interrupted, keeping, packing, rehearsing
from brain.services.writing import Change, Done, FileEdit
from brain.store import files

_VOUCHING: Final = ("propose", "ask", "rebase")
_STATES: Final = {
    Proposal.ACCEPTED: N_("it was approved"),
    Proposal.REJECTED: N_("it was refused"),
    Proposal.WITHDRAWN: N_("its client took it back"),
    Proposal.CONFIRMED: N_("it was confirmed in its client"),
}


def find(identity: str) -> Proposal:
    """Return a request that nobody has decided; NotFound where there is none."""
    one = Proposal.objects.filter(id=identity).first()
    if one is None:
        raise NotFound(_("There is no request “%(id)s”. Nothing was changed.") % {"id": identity})
    if one.state != Proposal.WAITING:
        raise Conflict(
            _("This request is no longer open: %(state)s. Nothing was changed.") % {"state": _(_STATES[one.state])},
            next_step=_("Look at what waits now: `cabecao review`, or the Approvals page."),
            state=one.state,
        )
    return one


def is_expired(one: Proposal) -> bool:
    """Tell whether the moment has passed until which a client waits."""
    return one.until is not None and one.until <= clock.now()


def has_moved(change: Change) -> bool:
    """Tell whether a file is no longer as it was when the change was made up."""
    root = workplace.root()
    return any(files.read(root, edit.path) != edit.before for edit in change.edits)


def accept(person: Caller, one: Proposal, *, shown: str | None, text: str | None) -> Done:
    """Write a request, with the person's text where they gave one, and return the operation.

    A yes is tied to exactly what was shown: `shown` is its digest.
    """
    proof.require(person)
    _refuse_forged(one)
    if shown is not None and shown != keeping.digest(one):
        raise Conflict(_("The request changed after it was shown. Nothing was changed."))
    if is_expired(one):
        raise Conflict(
            _("The client no longer waits for this. Nothing was changed."),
            next_step=_("Work it out again (rebase), look at it once more, then accept it."),
        )
    change = packing.unpack(one.change)
    caller = _proposer(one, person) if text is None else person
    op = clock.new_id()
    caller = replace(caller, request=replace(caller.request, op=op))
    _decide(one, Proposal.ACCEPTED, answer=process.identity(), op=op)
    try:
        done = writing.commit(caller, lambda: _as_it_is(change) if text is None else _edited(change, text))
    except BaseException:
        interrupted.wait_again(one)
        raise
    interrupted.written(one, person.origin, op=done.op, commit=done.commit, is_edited=text is not None)
    return done


def reject(person: Caller, one: Proposal, reason: str) -> None:
    """Refuse a request; its client is told, and gets no token for the same while a yes would have been good."""
    if not person.is_human:
        raise HumanOnly(_("Only the person rejects. Nothing was changed."), next_step=_("You can withdraw your own."))
    _decide(one, Proposal.REJECTED, answer=reason)
    if one.content:
        confirmation.decline(one.content)
    keeping.record("reject", person.origin, one, reason=reason)


def withdraw(caller: Caller, one: Proposal) -> None:
    """Take back a request; an agent only its own."""
    if not caller.is_human and caller.client != one.client:
        raise HumanOnly(_("This request is another client's. Nothing was changed."))
    _decide(one, Proposal.WITHDRAWN)
    keeping.record("withdraw", caller.origin, one)


def rebase(person: Caller, one: Proposal) -> Proposal:
    """Work a request out again on the notes as they are now; from then on it waits without a deadline."""
    if not person.is_human:
        raise HumanOnly(_("Only the person asks for this. Nothing was changed."))
    _refuse_forged(one)
    found = rehearsing.again(_proposer(one, person), one.operation, one.arguments)
    if found is None:
        raise Conflict(
            _("On the notes as they are now this changes nothing. Nothing was changed."),
            next_step=_("Reject it: what it asks for is there already."),
        )
    one.change = packing.pack(found.change)
    one.why = json.dumps(list(dict.fromkeys(found.reasons)), ensure_ascii=False)
    one.until, one.kind = None, Proposal.PROPOSAL
    keeping.record("rebase", person.origin, one)
    one.save()
    return one


def _decide(one: Proposal, state: str, *, answer: str = "", op: str = "") -> None:
    """Close a request; of two who decide at once, one does."""
    waiting = Proposal.objects.filter(id=one.id, state=Proposal.WAITING)
    if not waiting.update(state=state, decided_at=clock.now(), answer=answer, op=op):
        raise Conflict(_("This request was decided meanwhile. Nothing was changed."), state="decided")


def _refuse_forged(one: Proposal) -> None:
    """Refuse what is not, to the letter, what the audit log says was asked for."""
    row = chain.latest(one.id, *_VOUCHING)
    if row is None or row.detail.get("digest") != keeping.digest(one):
        raise Conflict(
            _("The text of this request is not the one that the audit log vouches for. Nothing was changed."),
            next_step=_("Reject it, and find out who changed .cabecao/state.db."),
        )


def _proposer(one: Proposal, person: Caller) -> Caller:
    """Return the client that asked, with the person's yes to exactly what is kept."""
    granted = packing.digest(one.change)
    request = Request(one.key, confirmable=True, given=one.arguments, granted=granted)
    return Caller(
        Kind.AGENT,
        one.client,
        Surface(one.surface),
        session=one.session or None,
        connection=f"proposal {one.id}",
        request=request,
        voice=Voice.PERSON,
        gone=person.gone,
    )


def _as_it_is(change: Change) -> Change:
    if has_moved(change):
        raise Conflict(
            _("What this request would change has changed since. Nothing was changed."),
            next_step=_("Work it out again (rebase), look at it once more, then accept it."),
        )
    return change


def _edited(change: Change, text: str) -> Change:
    """Return the change with the person's own text in its one file: it is recorded as theirs."""
    written = [edit for edit in change.edits if edit.after is not None]
    if len(written) != 1 or written[0].restores:
        raise InvalidArgument(_("Only a request that writes one file can be edited. Nothing was changed."))
    edit = written[0]
    kept = _as_it_is(change)
    after = confirming.approved(_with_line_ends(text, edit))
    edits = tuple(replace(one, after=after) if one is edit else one for one in kept.edits)
    return replace(kept, edits=edits)


def _with_line_ends(text: str, edit: FileEdit) -> bytes:
    """Return a text from a form with the file's own line ends."""
    plain = text.replace("\r\n", "\n")
    old = document.parse(edit.before).raw if edit.before is not None else b""
    return (plain.replace("\n", "\r\n") if b"\r\n" in old else plain).encode()
