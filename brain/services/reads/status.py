"""status: how the brain is."""

from __future__ import annotations

import platform
from dataclasses import dataclass, field

from brain import config
from brain.caller import Caller
from brain.contracts.reads import IndexState, NoteCounts, StatusInput, StatusOutput, SyncState
from brain.errors import BrainError
from brain.guard import paths
from brain.index import links, notes, refresh, schema
from brain.language import gettext as _
from brain.note.schema import TYPES
from brain.services import workplace
from brain.services.editing import conflicts
from brain.services.health import answers, whole
from brain.services.health.trouble import Trouble
from brain.services.syncing import record, standing
from brain.store import git


@dataclass(frozen=True)
class _Indexed:
    """What the index tells; nothing where it cannot be opened, which is a trouble of its own."""

    notes: NoteCounts = field(
        default_factory=lambda: NoteCounts(total=0, by_type={}, untyped=0, archived=0, unmanaged=0)
    )
    blocks: int = 0
    links: int = 0
    broken: int = 0
    last_scan: str | None = None
    conflicts: list[str] = field(default_factory=list)


def run(caller: Caller, _given: StatusInput) -> StatusOutput:
    """Count and check; a part that cannot be told is a problem that is named, not an error."""
    freshness = refresh.catch_up()
    brain = config.here()
    indexed, unread = _indexed()
    troubles = [*unread, *whole.troubles(), *whole.conflicts(indexed.conflicts)]
    told = [*([freshness.warning] if freshness.warning else []), *(one.sentence for one in troubles)]
    problems = list(dict.fromkeys(told))
    return StatusOutput(
        healthy=not problems,
        problems=problems,
        root=str(brain.root),
        client=caller.client,
        machine=platform.node() or "unknown",
        brain_schema_version=config.SCHEMA_VERSION,
        note_dirs=[kind.folder for kind in TYPES.values()],
        notes=indexed.notes,
        index=_index(indexed, pending=freshness.pending),
        broken_links=indexed.broken,
        sync=_sync(),
        conflicts=indexed.conflicts,
        embeddings=None,
        answers=answers.standing(answers.state(caller)),
        next_step=_next_step(problems, indexed.broken),
    )


def _index(indexed: _Indexed, *, pending: int) -> IndexState:
    return IndexState(
        schema_version=int(schema.VERSION),
        chunks=indexed.blocks,
        edges=indexed.links,
        facts=indexed.notes.by_type.get("fact", 0),
        last_scan=indexed.last_scan,
        pending=pending,
    )


def _indexed() -> tuple[_Indexed, list[Trouble]]:
    try:
        counts = notes.counts()
        found = _Indexed(
            notes=NoteCounts(
                total=counts.total,
                by_type=dict(counts.by_type),
                untyped=counts.untyped,
                archived=counts.archived,
                unmanaged=counts.unmanaged,
            ),
            blocks=notes.blocks_count(),
            links=links.count(),
            broken=links.broken_count(),
            last_scan=notes.about("last_scan"),
            conflicts=conflicts.pending(),
        )
    except BrainError as error:
        return _Indexed(), [Trouble(error.code, error.message, error.next_step)]
    return found, []


def _sync() -> SyncState:
    root = workplace.root()
    listed = git.run(root, "status", "--porcelain", "-z", "--untracked-files=all", check=False).lines()
    changed = [line[3:] for line in listed if len(line) > 3]
    remote = standing.now()
    return SyncState(
        branch=remote.branch,
        remote_configured=remote.url is not None,
        remote=remote.url,
        last_sync=record.last().get("ok_at"),
        unpushed=remote.ahead,
        unpulled=remote.behind,
        pending_changes=sum(1 for path in changed if paths.is_note(path)),
        running=record.is_running(),
    )


def _next_step(problems: list[str], broken: int) -> str:
    if problems:
        return _("Run `cabecao doctor` in a terminal: it names what mends each problem.")
    if broken:
        return _("All is well; some links lead to notes that do not exist yet.")
    return _("All is well.")
