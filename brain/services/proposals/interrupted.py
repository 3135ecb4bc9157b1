"""An acceptance that did not come to its end: its process was killed, or could not write down what it had done.

A request that is being written names its operation and the process, and no commit yet. What was written is accepted,
with its row in the audit log, once; what was not waits again.
"""

from __future__ import annotations

import logging
from typing import Final

from django.db import DatabaseError

from brain.approval.models import Proposal
from brain.audit import chain
from brain.errors import BrainError
from brain.index import operations
from brain.jobs import process
from brain.services import recorded, vouching, workplace
from brain.services.proposals import keeping, packing
from brain.store import files, history, messages

logger = logging.getLogger(__name__)

_WAITS: Final = 0.2  # seconds: whoever reads the queue waits for no write
_PERSON: Final = "human"


def settle() -> None:
    """Settle what nobody is writing any more; where the brain cannot be written to now, another reader does."""
    try:
        halfway = Proposal.objects.filter(state=Proposal.ACCEPTED, commit="").exclude(op="")
        left = [one.id for one in halfway if _is_left(one)]
        if left:
            with workplace.held(seconds=_WAITS):  # what it left half done in the notes is settled by then
                for one in halfway.filter(id__in=left):  # as it is now: another process may have been first
                    _settle(one)
    except (BrainError, DatabaseError, OSError) as error:
        logger.warning("an interrupted approval waits to be settled (%s)", type(error).__name__)


def written(one: Proposal, actor: str, *, op: str, commit: str, is_edited: bool) -> None:
    """Write down that a request is accepted and written: the row of the audit log first, which is there once."""
    try:
        known = chain.latest(one.id, "accept")
        if known is None or known.detail.get("op") != op:
            keeping.record("accept", actor, one, op=op, edited="yes" if is_edited else "no")
        Proposal.objects.filter(id=one.id).update(commit=commit, answer="")
    except DatabaseError:
        Proposal.objects.filter(id=one.id).update(
            answer=""
        )  # nobody is at it: whoever reads the queue next finishes it
        raise


def wait_again(one: Proposal) -> None:
    """Let a request of which nothing was written wait as before."""
    Proposal.objects.filter(id=one.id).update(state=Proposal.WAITING, decided_at=None, answer="", op="")


def _is_left(one: Proposal) -> bool:
    return not one.answer or process.known_dead(one.answer)


def _settle(one: Proposal) -> None:
    """Finish or reopen one; Git is asked, since the index may not have followed the commit."""
    recorded.catch_up()
    row = operations.by_op(one.op)
    commit = row.commit if row is not None else history.commit_with(workplace.root(), f"{messages.OP}: {one.op}")
    if commit is None:
        wait_again(one)
        return
    _vouch(one, commit)
    written(one, _PERSON, op=one.op, commit=commit, is_edited=row is not None and not row.is_agents)


def _vouch(one: Proposal, commit: str) -> None:
    """Make the accepted texts the person's word, as far as the files still hold them."""
    repo = workplace.repository()
    paths = [edit.path for edit in packing.unpack(one.change).edits if not edit.restores]
    vouching.vouch_for(path for path in paths if files.read(repo.root, path) == repo.checked_out(commit, path))
