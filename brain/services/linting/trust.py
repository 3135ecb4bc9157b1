"""Rules about whose word a note is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from brain.guard import control_files, paths
from brain.index.graph.whole import WholeNote
from brain.language import gettext as _
from brain.note import rings
from brain.note.validity import Validity
from brain.services.linting.rule import Finding
from brain.services.linting.snapshot import Snapshot

_LOGS: Final = ("log.md", "log/")


def agent_approved(seen: Snapshot) -> Iterator[Finding]:
    """Find what an agent wrote or changed with the person's yes, for them to look at once more."""
    fix = _("Read it; undo takes it back if it is not what you meant.")
    told = set()
    for note in seen.notes:
        if note.approved_by is not None:
            told.add(note.path)
            message = _("An agent wrote or changed it with your yes (%(day)s).") % {"day": note.approved_at or "?"}
            yield Finding(note.path, message, fix)
    for one in seen.approvals:
        for path in one.paths:
            if path in told or path.startswith(_LOGS) or not _is_there(seen, path):
                continue
            told.add(path)
            message = _("%(client)s changed it with your yes on %(day)s (operation %(op)s).") % {
                "client": one.client,
                "day": one.at,
                "op": one.op,
            }
            yield Finding(path, message, fix)


def _is_there(seen: Snapshot, path: str) -> bool:
    note = seen.whole.by_path.get(path)
    if note is not None:
        return not note.archived
    return control_files.is_control(path) or control_files.is_agent_file(path)


def unattested_resident(seen: Snapshot) -> Iterator[Finding]:
    """Find rules and approved preferences that are not injected, because their text is not the person's own word."""
    for note in seen.notes:
        if _is_resident(note, seen) and seen.vouched.get(note.id or note.path) != note.digest:
            kind = _("rule") if note.type == "rule" else _("preference")
            message = _("This %(kind)s is not given to agents: its text is not what you last wrote or attested.") % {
                "kind": kind
            }
            fix = _("Read it; if it is yours, say so with `cabecao attest %(path)s --yes` in a terminal.") % {
                "path": note.path
            }
            yield Finding(note.path, message, fix)


def _is_resident(note: WholeNote, seen: Snapshot) -> bool:
    """Tell whether a note claims to be injected: any rule, and a preference that was approved."""
    if note.trust == "low" or paths.is_raw(note.path) or note.is_replaced(seen.today):
        return False
    if note.validity(seen.today) is not Validity.CURRENT:
        return False
    return note.type == "rule" or (note.type == "preference" and note.ring in rings.RESIDENT)
