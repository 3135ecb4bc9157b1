"""Going on where a record is lost: the damaged file is kept aside, a new one begins, and the audit log says so.

Only the person decides that: until then a damaged record is refused, and rows that are missing are told of.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

from django.db import connections

from brain import clock, config
from brain.audit import chain
from brain.caller import Caller
from brain.errors import IndexFailed
from brain.language import gettext as _
from brain.services import workplace
from brain.services.health import anchors, records
from brain.store.lock import write_lock
from brain.store.plumbing import made_here

KEPT: Final = "damaged"
_SIDE_FILES: Final = ("", "-wal", "-shm", "-journal")


def renew(name: str, caller: Caller, make: Callable[[], None]) -> list[str]:
    """Begin a record anew where it is damaged, take note of rows that are missing, and say what was done.

    `make` makes the databases that are not there.
    """
    with write_lock(config.here().root, gone=caller.gone):
        done = []
        if records.is_closed(records.file_of(name)):
            raise IndexFailed(
                _("%(file)s cannot be written. Nothing was changed.") % {"file": f"{name}.db"},
                next_step=records.permitting(),
            )
        if records.soundness(records.file_of(name), deep=True) != "ok" or _is_broken_chain(name):
            kept = set_aside(records.file_of(name))
            message = _("%(file)s was kept as %(kept)s, and a new one was begun.")
            done.append(message % {"file": f"{name}.db", "kept": kept.relative_to(config.here().root)})
        make()
        if name == records.AUDIT:
            done += _take_note(caller, is_new=bool(done))
        return done


def _is_broken_chain(name: str) -> bool:
    return name == records.AUDIT and anchors.is_there() and not chain.verify().ok


def set_aside(file: Path) -> Path:
    """Move a database and what lies beside it into a folder of its own, and return where it lies now."""
    connections[records.ALIASES[file.stem]].close()
    folder = file.parent / KEPT / f"{clock.new_id()}"
    folder.mkdir(parents=True)
    for suffix in _SIDE_FILES:
        beside = Path(f"{file}{suffix}")
        if beside.exists():
            beside.rename(folder / beside.name)
    return folder / file.name


def _take_note(caller: Caller, *, is_new: bool) -> list[str]:
    missing = anchors.unrecorded()
    if missing is None and is_new:
        last = made_here.newest(workplace.repository())
        missing = anchors.Loss(last.commit if last else "", last.anchor if last else chain.BEGINNING, chain.BEGINNING)
    if missing is not None:
        anchors.tell(missing)
    loss = anchors.found()
    if loss is None:
        return []
    chain.append(anchors.NOTED, actor=caller.origin, subject=anchors.SUBJECT, detail={"commit": loss.commit})
    return [_("The audit log says now what it lacks: the rows up to number %(number)d.") % {"number": loss.number}]
