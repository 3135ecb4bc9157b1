"""The end of a consolidation: one commit in the place of its own, or one that closes it where they have to stay."""

from __future__ import annotations

from dataclasses import dataclass, replace

from brain.caller import Caller, Kind
from brain.errors import Conflict, NotFound, SecretDetected
from brain.guard import secrets
from brain.language import gettext as _
from brain.services import log_book, workplace, writing
from brain.services.consolidating import changes
from brain.services.writing import Change, Done
from brain.store import history, messages, restoring
from brain.store.history import OperationCommit
from brain.store.repository import Repository
from brain.store.restoring import Point, Since


class Nothing(Exception):
    """The consolidation changed no note: there is nothing to close."""


@dataclass(frozen=True)
class Closed:
    """How it was closed: the commit, whether it took the place of the others, and one line for each note."""

    done: Done
    squashed: bool
    lines: list[str]


def point_of(identity: str) -> Point:
    """Return the restore point of a consolidation; NotFound where there is none on this machine."""
    found = restoring.find(workplace.repository(), identity)
    if found is None:
        raise NotFound(
            _("There is no consolidation “%(id)s” on this machine. Nothing was changed.") % {"id": identity},
            next_step=_("Give the consolidation_id that consolidate start returned, or start one."),
        )
    return found


def close(caller: Caller, identity: str, title: str | None) -> Closed:
    """Close a consolidation in one commit; Nothing where it changed no note, Conflict where it was closed before."""
    point = point_of(identity)
    _refuse_secret(title)
    built: list[tuple[bool, list[str]]] = []

    def build() -> Change:
        change, lines = _change(workplace.repository(), point, identity, title)
        built.append((change.onto is not None, lines))
        return change

    done = writing.commit(_as_who_worked(caller, point, identity), build)
    squashed, lines = built[-1]
    return Closed(done, squashed, lines)


def _as_who_worked(caller: Caller, point: Point, identity: str) -> Caller:
    """Return the caller in the consolidation's session; an agent's work stays an agent's, whoever closes it."""
    since = restoring.since(workplace.repository(), point)
    agents = [one for one in since.commits if one.session == identity and one.kind == Kind.AGENT]
    if agents and caller.is_human:
        caller = replace(caller, kind=Kind.AGENT, client=agents[0].client or caller.client)
    return caller.in_session(identity)


def _change(repo: Repository, point: Point, identity: str, title: str | None) -> tuple[Change, list[str]]:
    if history.commit_with(repo.root, f"{messages.CONSOLIDATES}: {identity}"):
        raise Conflict(
            _("This consolidation was closed before. Nothing was changed."),
            next_step=_("Start another one; undo with this session takes the whole of it back."),
        )
    since = restoring.since(repo, point)
    own = [one for one in since.commits if one.session == identity and one.op]
    head = repo.head().commit
    touched = sorted({path for one in own for path in one.paths})
    lines = changes.between(repo, point.commit, head or point.commit, touched)
    if not lines:
        raise Nothing
    label = f"consolidate: {messages.one_line(title, 120)}" if title else f"consolidate: {len(lines)} notes"
    alone = _may_be_one(since, own)
    change = Change(
        "consolidate",
        (),
        (label, *lines),
        approved="token" if alone and any(one.is_approved for one in own) else None,
        onto=point.commit if alone else None,
        log=_log(repo, point, touched) if alone else None,
        closes=identity,
    )
    return change, lines


def _may_be_one(since: Since, own: list[OperationCommit]) -> bool:
    """Tell whether every commit since the restore point is the consolidation's own and nobody has seen them."""
    return since.is_straight and not since.is_pushed and len(own) == len(since.commits)


def _log(repo: Repository, point: Point, touched: list[str]) -> bytes | None:
    """Return the log without the lines of the commits that vanish; None where a month began in between."""
    if any(log_book.is_log(path) and path != log_book.FILE for path in touched):
        return None
    return repo.checked_out(point.commit, log_book.FILE) or b""


def _refuse_secret(title: str | None) -> None:
    if title and secrets.scan(title):
        raise SecretDetected(_("The title may hold a secret. Nothing was changed."))
