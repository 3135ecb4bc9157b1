"""One sync, from the person's edits to the remote and back.

The write lock is held while this machine's files change and never while the network is waited for. Nothing local is
thrown away: a branch here only moves forward, and the remote's is never forced.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Literal, cast

from django.db import DatabaseError

from brain import clock, config
from brain.audit import chain
from brain.caller import Caller
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.contracts.syncing import Integration, Status, SyncConflict, SyncOutput, SyncSecret
from brain.errors import BrainError, HumanOnly, Locked, RepositoryBusy
from brain.index import refresh
from brain.language import gettext as _
from brain.language import ngettext
from brain.services import recorded, vouching, workplace
from brain.services.syncing import joining, own, record, told
from brain.services.syncing.told import Stopped
from brain.store import git, history, machine_folder, outside
from brain.store.remote import address, advancing, transport
from brain.store.remote.address import Upstream
from brain.store.remote.transport import Failed, Trouble

ATTEMPTS: Final = 5
_PAUSE: Final = 0.15
STEPS: Final = 5

Step = Literal["edits", "look", "receive", "join", "send"]


@dataclass
class _Sync:
    """What one sync has done so far."""

    caller: Caller
    accept_deletions: bool
    op: str = field(default_factory=clock.new_id)
    head: str | None = None
    branch: str | None = None
    upstream: Upstream | None = None
    attempts: int = 0
    pulled: int = 0
    pushed: int = 0
    committed: int = 0
    integration: Integration = "none"
    conflicts: list[SyncConflict] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    recovered: list[str] = field(default_factory=list)
    settings: tuple[str, str] | None = None

    def run(self) -> None:
        """Sync; Stopped, Failed or a BrainError where it ends early."""
        for attempt in range(ATTEMPTS):
            self.attempts = attempt + 1
            if attempt:
                time.sleep(_PAUSE * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311 (no secret hangs on it)
            try:
                self._once()
            except advancing.InTheWay:
                continue
            except Failed as failed:
                if failed.trouble is not Trouble.BEHIND:
                    raise
            else:
                return
        raise Stopped("contended")

    def _once(self) -> None:
        root = workplace.root()
        self._take_in_edits()
        upstream, head = self.upstream, self.head
        if upstream is None:
            raise Stopped("no_remote")
        if not upstream.is_safe:
            raise Stopped("unsafe_remote")
        if head is not None:
            own.check_outgoing(workplace.repository(), head, upstream.known)
        self._tell("look", 1)
        seen = transport.look(root, upstream, gone=self.caller.gone)
        if seen.commit is None and upstream.known is not None and not seen.is_empty:
            raise Stopped("branch_missing")
        if seen.commit is not None and seen.commit == head:
            transport.follow(root, upstream, seen.commit)
            self.integration = "up_to_date" if self.integration == "none" else self.integration
            return
        if seen.commit is not None:
            self._receive(upstream, seen.commit)
        self._send(upstream, seen.commit)

    def _take_in_edits(self) -> None:
        self._tell("edits", 0)
        with workplace.held(self.caller) as (repo, head):
            changed = outside.changed(repo)
            if changed and not self.accept_deletions:
                joining.refuse_mass_deletion(repo, head.commit, own.deletions(repo, changed), here=True)
            after = own.taken_in(repo, head, changed)
            self.committed += len(changed) if after != head else 0
            self.branch, self.head = after.branch, after.commit
            self.upstream = address.find(repo, after.branch)
            self.recovered += workplace.recoveries(repo)

    def _receive(self, upstream: Upstream, theirs: str) -> None:
        root = workplace.root()
        if theirs != upstream.known and not _has(root, theirs):
            self._tell("receive", 2)
            transport.fetch(root, upstream, gone=self.caller.gone)
            ran = git.run(root, "rev-parse", "--verify", "--quiet", transport.holding(upstream), check=False)
            theirs = ran.text.strip() or theirs
        if upstream.known is not None and not history.is_ancestor(root, upstream.known, theirs):
            raise Stopped("force_pushed", held=theirs)
        self._tell("join", 3)
        with workplace.held(self.caller) as (repo, head):
            before = head.commit
            if machine_folder.is_in(repo, theirs) and not machine_folder.is_in(repo, before):
                raise Stopped("machine_folder_there")
            joined = joining.join(repo, head, theirs, op=self.op, audit=self._audit_row(),
                                  accept_deletions=self.accept_deletions)  # fmt: skip
        self.head = joined.commit
        if config.FILE in joined.paths and before and joined.commit:
            self.settings = (self.settings[0] if self.settings else before, joined.commit)
        self.pulled += joined.pulled
        self.integration = joined.integration if self.integration == "none" else self.integration
        self.conflicts += joined.conflicts
        self.changed += joined.paths
        if joined.paths:
            _follow(joined.paths)
        transport.follow(root, upstream, theirs)

    def _send(self, upstream: Upstream, theirs: str | None) -> None:
        root, head = workplace.root(), self.head
        if head is None:
            return
        known = theirs if theirs is not None and _has(root, theirs) else None
        if head != theirs:
            self._tell("send", 4)
            transport.push(root, upstream, head, gone=self.caller.gone)
            ran = git.run(root, "rev-list", "--count", head, *([f"^{known}"] if known else []), check=False)
            self.pushed += int(ran.text.strip() or 0)
            self.integration = "published" if theirs is None else self.integration
        transport.follow(root, upstream, head)

    def _tell(self, step: Step, done: int) -> None:
        self.caller.report(done, STEPS, _STEPS[step]())

    def _audit_row(self) -> dict[str, Any]:
        return {"action": "sync", "actor": self.caller.origin, "subject": self.op, "detail": self._detail()}

    def _detail(self) -> dict[str, Any]:
        where = {"remote": self.upstream.shown, "branch": self.upstream.branch} if self.upstream else {}
        return {**where, "pulled": self.pulled, "pushed": self.pushed, "committed": self.committed}

    def note(self, status: str, reason: str | None) -> None:
        """Add the row to the audit log where something moved or was held back; a log never undoes a sync."""
        if not (self.pulled or self.pushed or self.committed or status == "blocked"):
            return
        try:
            if not chain.has(self.op):
                row = self._audit_row()
                chain.append(**{**row, "detail": {**row["detail"], "status": status, "reason": reason}})
        except (DatabaseError, BrainError, OSError):
            self.recovered.append(_("The audit log could not be written."))


def run(caller: Caller, *, accept_deletions: bool = False) -> SyncOutput:
    """Sync the brain in this process and say how it went; only what makes it no brain at all is raised."""
    if accept_deletions and not caller.is_human:
        raise HumanOnly(_("Only the person may accept that notes are deleted. Nothing was changed."))
    begun = time.monotonic()
    with record.only_one() as mine:
        state = _Sync(caller, accept_deletions)
        end = _ended(state) if mine else _End.of("sync_running")
        if mine:
            state.note(end.status, end.reason)
    output = _output(state, end, ms=round((time.monotonic() - begun) * 1000))
    if mine:
        record.keep(output, settings=state.settings)
    return output


@dataclass(frozen=True)
class _End:
    """How a sync ended."""

    status: str
    message: str
    next_step: str
    reason: str | None = None
    secrets: tuple[SyncSecret, ...] = ()
    remote_error: str | None = None

    @classmethod
    def of(cls, reason: str, upstream: Upstream | None = None, **named: object) -> _End:
        status, message, step = told.stop(reason, upstream, **named)
        return cls(status, message, step, reason)


def _ended(state: _Sync) -> _End:
    """Run a sync and tell how it ended."""
    try:
        state.run()
    except Stopped as stopped:
        return _End.of(stopped.reason, state.upstream, **stopped.named)
    except own.Blocked as blocked:
        first = blocked.secrets[0]
        named = {"file": first.file, "line": first.line, "rule": first.rule}
        end = _End.of("secret_committed" if blocked.is_committed else "secret", state.upstream, **named)
        return _End(end.status, end.message, end.next_step, "secret", tuple(blocked.secrets))
    except Failed as failed:
        end = _End.of(failed.trouble.value, state.upstream)
        return _End(end.status, end.message, end.next_step, end.reason, remote_error=failed.said or None)
    except RepositoryBusy as error:
        return _End("blocked", error.message, error.next_step, error.code)
    except Locked as error:
        return _End("busy", error.message, error.next_step, error.code)
    except BrainError as error:
        return _End("error", error.message, error.next_step, error.code)
    return _End("ok", _said(state), _next_step(state))


def _said(state: _Sync) -> str:
    if not (state.pulled or state.pushed or state.committed):
        return _("Both sides are the same.")
    parts = [
        ngettext("%d commit received", "%d commits received", state.pulled) % state.pulled,
        ngettext("%d commit sent", "%d commits sent", state.pushed) % state.pushed,
    ]
    said = ", ".join(parts) + "."
    if state.conflicts:
        count = len(state.conflicts)
        said += " " + ngettext(
            "%d note changed on both sides; both texts were kept.",
            "%d notes changed on both sides; both texts were kept.",
            count,
        ) % count  # fmt: skip
    return said


def _next_step(state: _Sync) -> str:
    if state.conflicts:
        return _("Show the user the conflicts: each copy lies beside its note, and both texts are whole.")
    return _("Nothing to do.")


def _warnings(state: _Sync) -> list[Notice]:
    """Say what came that works at once, or waits for the person."""
    found = []
    if state.settings is not None:
        said = _("The brain's settings (.cabecao.json) were changed on another machine, and hold here from now on.")
        found.append(Notice(code="settings_changed", message=said))
    if _brought_residents(state.changed):
        said = _("Rules or preferences came; agents are told them once the person has vouched for them.")
        found.append(Notice(code="unattested_resident", message=said))
    return found


def _brought_residents(changed: list[str]) -> bool:
    """Tell whether a rule or preference came that the person has not vouched for on this machine."""
    try:
        return bool(changed) and not {one.path for one in vouching.waiting()}.isdisjoint(changed)
    except (BrainError, DatabaseError):
        return False


def _output(state: _Sync, end: _End, *, ms: int) -> SyncOutput:
    upstream = state.upstream
    return SyncOutput(
        status=cast("Status", end.status),
        message=end.message,
        pulled=state.pulled,
        pushed=state.pushed,
        committed=state.committed,
        conflicts=state.conflicts,
        changed_paths=sorted(set(state.changed)),
        secrets=list(end.secrets),
        attempts=state.attempts,
        ms=ms,
        branch=state.branch,
        remote=upstream.shown if upstream else None,
        integration=state.integration if end.status == "ok" or state.changed else "none",
        reason=end.reason,
        remote_error=end.remote_error,
        recovered=state.recovered,
        config_problem=end.reason if end.reason in ("no_remote", "unsafe_remote", "remote_missing") else None,
        index=None,
        warnings=_warnings(state),
        next_step=end.next_step,
        data_notice=_(DATA_NOTICE),
    )


def _has(root: Path, commit: str) -> bool:
    return git.run(root, "cat-file", "-e", f"{commit}^{{commit}}", check=False).code == 0


def _follow(paths: list[str]) -> None:
    """Bring the indexes up to what came; they catch up by themselves where that fails."""
    try:
        refresh.apply(paths)
        recorded.catch_up()
    except (BrainError, DatabaseError):
        return


_STEPS: Final[dict[Step, Callable[[], str]]] = {
    "edits": lambda: _("Your edits"),
    "look": lambda: _("Asking the remote"),
    "receive": lambda: _("Receiving"),
    "join": lambda: _("Bringing both together"),
    "send": lambda: _("Sending"),
}
