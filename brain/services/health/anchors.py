"""The audit log held against Git: each commit of an operation names the end of the log before it.

A log that lacks a row which a commit made here names has lost rows: it was deleted, cut, or an older copy took its
place. The next write says so in the log itself, in a row of its own, and goes on; `status` tells of it until the person
has taken note. Commits that came from another machine name rows of that machine's log, and prove nothing here.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brain.audit import chain
from brain.errors import BrainError
from brain.language import gettext as _
from brain.services import workplace
from brain.services.health import records
from brain.services.health.trouble import Trouble
from brain.store import journal
from brain.store.plumbing import made_here
from brain.store.plumbing.made_here import Made
from brain.store.repository import Repository

logger = logging.getLogger(__name__)

LOST: Final = "rows_lost"
NOTED: Final = "loss_noted"
SUBJECT: Final = "audit.db"
ACTOR: Final = "cabecao"
_MOST_ROWS_AT_ONCE: Final = 4 << 20  # bytes; of a larger log each row is checked by the doctor alone
_known: dict[object, chain.Verdict] = {}
_ended_with: dict[Path, chain.Head | None] = {}


@dataclass(frozen=True)
class Loss:
    """Rows that are missing: the commit that names them, the last row it names, and the row that the log ends with."""

    commit: str
    named: str
    found: str
    noted_on: str | None = None

    @property
    def number(self) -> int:
        """The number of the row that belongs to the commit: the one after the row that it names."""
        anchor = chain.Head.parse(self.named)
        return anchor.seq + 1 if anchor else 0


def troubles() -> Iterator[Trouble]:
    """Tell where the log was changed or lacks rows that this machine's own commits name."""
    if records.soundness(records.file_of(records.AUDIT)) != "ok":
        return  # told of already
    verdict = _verdict()
    if verdict is not None and not verdict.ok:
        yield broken(verdict)
    loss = found()
    if loss is not None:
        yield lost(loss)


def broken(verdict: chain.Verdict) -> Trouble:
    """Return what is told of a chain that is not whole."""
    return Trouble(
        "audit_chain",
        _("The audit log is broken from row %(row)d on: a row was changed, or rows are missing.")
        % {"row": verdict.first_bad or 0},
        _("Compare .cabecao/audit.db with a backup and restore it; `git log` still tells every write. ")
        + records.way_out(records.AUDIT),
    )


def lost(loss: Loss) -> Trouble:
    """Return what is told of rows that are missing."""
    said = _(
        "The audit log lacks rows: commit %(commit)s belongs to row %(number)d, and the log ended with row %(found)s."
    ) % {"commit": loss.commit[:10], "number": loss.number, "found": loss.found.partition(":")[0]}
    if loss.noted_on:
        said += " " + _("It has gone on since %(day)s, with a row that says so.") % {"day": loss.noted_on[:10]}
    return Trouble(
        "audit_rows_lost",
        said,
        _(
            "Restore .cabecao/audit.db from a backup; without one, run `cabecao doctor --renew audit` in a terminal to "
            "take note: the log says from then on what it lacks. `git log` still tells every write."
        ),
    )


def found() -> Loss | None:
    """Return rows that are missing and that the person has not taken note of; None where there are none."""
    missing = unrecorded()
    if missing is not None:
        return missing
    if not is_there():
        return None
    told, noted = chain.latest(SUBJECT, LOST), chain.latest(SUBJECT, NOTED)
    if told is None or (noted is not None and noted.seq > told.seq):
        return None
    return _of_row(told)


def noted_loss() -> Loss | None:
    """Return the last loss that the person took note of."""
    told = chain.latest(SUBJECT, LOST) if is_there() else None
    return None if told is None else _of_row(told)


def _of_row(told: chain.Event) -> Loss:
    commit, expected, found_then = (str(told.detail.get(key, "?")) for key in ("commit", "expected", "found"))
    return Loss(commit, expected, found_then, noted_on=told.ts)


def unrecorded(repo: Repository | None = None) -> Loss | None:
    """Return rows that are missing and of which the log itself does not tell yet."""
    try:
        repo = repo or workplace.repository()
        last = made_here.newest(repo)
    except BrainError:
        return None  # without a repository nothing says what there should be; that is told elsewhere
    if last is None or _is_held(repo, last):
        return None
    told = chain.latest(SUBJECT, LOST) if is_there() else None
    if told is not None and told.detail.get("commit") == last.commit:
        return None
    return Loss(last.commit, last.anchor, end())


def record(repo: Repository) -> None:
    """Say in the log, under the write lock, that it lacks rows, before anything is added that would hide it.

    A log that still has the row with which it ended when this process looked last has lost none since.
    """
    file = records.file_of(records.AUDIT)
    last = _ended_with.get(file)
    if last is None or not chain.holds(last):
        _tell_of_loss(repo)
    _ended_with[file] = chain.head()


def _tell_of_loss(repo: Repository) -> None:
    loss = unrecorded(repo)
    if loss is not None:
        tell(loss)
        logger.warning("the audit log lacks rows that commit %s names; it says so now", loss.commit[:10])


def tell(loss: Loss) -> None:
    """Add the row that says what is missing."""
    chain.append(
        LOST,
        actor=ACTOR,
        subject=SUBJECT,
        detail={"commit": loss.commit, "expected": loss.named, "found": loss.found},
    )


def mismatched() -> list[Made]:
    """Return the operations committed here since the last recorded loss whose rows the log lacks."""
    repo = workplace.repository()
    made = made_here.every(repo)
    told = chain.latest(SUBJECT, LOST) if is_there() else None
    if told is not None:
        at = next((place for place, one in enumerate(made) if one.commit == told.detail.get("commit")), -1)
        made = made[at + 1 :]
    return [one for one in made if not _is_held(repo, one)]


def is_there() -> bool:
    """Tell whether there is a log with a table for rows."""
    if not records.file_of(records.AUDIT).exists():
        return False
    with chain.connected().cursor() as cursor:
        cursor.execute("SELECT 1 FROM sqlite_master WHERE name = 'audit_row'")
        return cursor.fetchone() is not None


def _is_held(repo: Repository, made: Made) -> bool:
    """Tell whether the log has the row that a commit names, and the commit's own unless it still waits to be added."""
    anchor = chain.Head.parse(made.anchor)
    if anchor is None:
        return True
    if not is_there():
        return False
    if not chain.holds(anchor):
        return False
    return chain.has(made.op) or journal.count(repo.root) > 0


def end() -> str:
    """Return the log's last row as an anchor."""
    head = chain.head() if is_there() else None
    return str(head) if head else chain.BEGINNING


def _verdict() -> chain.Verdict | None:
    """Return whether the chain is whole, from memory where the file is as before; None for one too large to read."""
    file = records.file_of(records.AUDIT)
    if not is_there() or file.stat().st_size > _MOST_ROWS_AT_ONCE:
        return None
    stamp = (file, records.stamp(file))
    if stamp not in _known:
        _known.clear()
        _known[stamp] = chain.verify()
    return _known[stamp]
