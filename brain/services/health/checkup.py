"""What the doctor looks at: one function per matter, none of which changes anything."""

from __future__ import annotations

import platform
import re
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final, Literal

from brain.caller import Caller
from brain.config import Brain
from brain.errors import BrainError, InvalidConfig, foreign
from brain.language import gettext as _
from brain.language import gettext_noop as N_

if TYPE_CHECKING:
    from brain.services.health.anchors import Loss
    from brain.services.health.trouble import Trouble

Severity = Literal["ok", "warning", "error"]
LEAST_GIT: Final = (2, 36)  # core.fsync
LEAST_SPACE: Final = 200 << 20


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at; `command` mends it."""

    id: str
    severity: Severity
    message: str
    command: str = ""


@dataclass(frozen=True)
class Patient:
    """The brain that is looked at, who asks, and how thoroughly."""

    brain: Brain
    caller: Caller
    deep: bool


def run_all(brain: Brain | None, *, caller: Caller, deep: bool) -> list[Finding]:
    """Return what every check found; one that fails is a finding itself and stops no other."""
    found = [one for check in MACHINE for one in _run(check, check.__name__)]
    if brain is not None:
        patient = Patient(brain, caller, deep)
        for look in OF_BRAIN:
            found += _run(partial(look, patient), look.__name__)
    return found


def _run(check: Callable[[], Iterator[Finding]], name: str) -> list[Finding]:
    found: list[Finding] = []
    try:
        found.extend(check())
    except BrainError as error:
        found.append(Finding(error.code, "error", error.message, error.next_step))
    except Exception as error:  # noqa: BLE001 (a doctor tells what it could not look at)
        if (told := foreign(error)) is not None:
            return [*found, Finding(told.code, "error", told.message, told.next_step)]
        message = _("This could not be checked: %(check)s (%(kind)s).")
        found.append(Finding("check_failed", "error", message % {"check": name, "kind": type(error).__name__}))
    return found


# --- the machine ------------------------------------------------------------------------------------------------------


def python_version() -> Iterator[Finding]:
    """Name the Python that runs this; the package installs on no unfit one."""
    yield Finding("python", "ok", f"Python {platform.python_version()}")


def sqlite_with_fts5() -> Iterator[Finding]:
    """Check that SQLite has full-text search."""
    try:
        with closing(sqlite3.connect(":memory:")) as database:
            database.execute("CREATE VIRTUAL TABLE words USING fts5(text)")
    except sqlite3.Error:
        yield Finding("sqlite", "error", _("This Python's SQLite has no full-text search (FTS5)."))
    else:
        yield Finding("sqlite", "ok", f"SQLite {sqlite3.sqlite_version}, FTS5")


def git_version() -> Iterator[Finding]:
    """Check that Git is there and new enough."""
    from brain.store import git

    told = git.run(Path.cwd(), "--version").text.strip()
    numbers = re.search(r"(\d+)\.(\d+)", told)
    if numbers and (int(numbers[1]), int(numbers[2])) < LEAST_GIT:
        wanted = ".".join(map(str, LEAST_GIT))
        yield Finding("git", "error", _("%(git)s is too old: %(wanted)s is needed.") % {"git": told, "wanted": wanted})
    else:
        yield Finding("git", "ok", told)


# --- the brain --------------------------------------------------------------------------------------------------------


def settings(patient: Patient) -> Iterator[Finding]:
    """Check .cabecao.json."""
    patient.brain.config()
    yield Finding("config", "ok", _("%(file)s is valid") % {"file": patient.brain.config_file.name})


def repository(patient: Patient) -> Iterator[Finding]:
    """Check that the repository can take a commit now; with --deep every object of it."""
    from brain.store import git
    from brain.store.repository import Repository

    opened = Repository.open(patient.brain.root)
    try:
        head = opened.require_ready()
        opened.require_whole_index()
    finally:
        opened.close()
    yield Finding("repository", "ok", _("Git repository on branch %(branch)s") % {"branch": head.branch})
    if patient.deep:
        ran = git.run(patient.brain.root, "fsck", "--no-dangling", "--no-progress", check=False, seconds=600)
        if ran.code == 0:
            yield Finding("objects", "ok", _("Every object of the repository is sound"))
        else:
            told = " ".join(f"{ran.err} {ran.text}".split())[:300]
            yield Finding("objects", "error", _("Git finds damage: %(told)s") % {"told": told}, "git fsck")


def databases(patient: Patient) -> Iterator[Finding]:
    """Check that each database can be read to its last page."""
    from brain.services.health import records

    for name in ("index", *records.ALIASES):
        file = patient.brain.machine / f"{name}.db"
        if not file.exists():
            continue
        told = records.soundness(file, deep=patient.deep)
        if told == "ok":
            yield Finding(f"database_{name}", "ok", _("%(file)s is sound") % {"file": file.name})
        else:
            closed = records.is_closed(file)
            said = _("%(file)s cannot be written: %(told)s") if closed else _("%(file)s is damaged: %(told)s")
            message = said % {"file": file.name, "told": told}
            mending = "cabecao reindex" if name == "index" and not closed else records.way_out(file.stem)
            yield Finding(f"database_{name}", "error", message, mending)


def index(patient: Patient) -> Iterator[Finding]:
    """Check that the index is there, of this version, and up to date, and count broken links."""
    from brain.services.health import records

    if records.is_closed(records.file_of("index")):
        return  # what is wrong with it was told; how new it is can't be
    from brain.contracts.reads import StatusInput
    from brain.services.reads import status as asking

    status = asking.run(patient.caller, StatusInput())
    pending = status.index.pending
    if pending:
        message = _("%(count)d files wait to be taken into the index") % {"count": pending}
        yield Finding("index", "warning", message, "cabecao reindex")
    else:
        told = _("The index is up to date: %(count)d notes") % {"count": status.notes.total}
        yield Finding("index", "ok", told)
    if status.broken_links:
        message = _("%(count)d links lead to no note") % {"count": status.broken_links}
        yield Finding("broken_links", "warning", message, "cabecao lint")
    for name in status.conflicts:
        message = _("A copy of a conflict waits for you: %(path)s") % {"path": name}
        yield Finding("conflict_copy", "warning", message, "cabecao open")


def notes(_patient: Patient) -> Iterator[Finding]:
    """Tell of notes, folders and names that cannot be read."""
    from brain.services.health import notes as looking
    from brain.services.health import whole

    found = [one for check in (looking.unreadable_files, looking.unreadable_notes) for one in whole.told_by(check)]
    yield from map(_of_trouble, found)
    if not found:
        yield Finding("notes", "ok", _("Every note, folder and name can be read"))


def _of_trouble(one: Trouble) -> Finding:
    return Finding(one.id, one.severity, one.message, one.next_step)


def audit_chain(_patient: Patient) -> Iterator[Finding]:
    """Check each row of the audit log, and that none is missing which the commits made here name."""
    from brain.audit import chain
    from brain.services.health import anchors, records

    if records.soundness(records.file_of(records.AUDIT)) != "ok":
        return
    verdict = chain.verify() if anchors.is_there() else chain.Verdict(ok=True, rows=0)
    loss, missing = anchors.found(), anchors.mismatched()
    if not verdict.ok:
        yield _of_trouble(anchors.broken(verdict))
    if loss is not None:
        yield _of_trouble(anchors.lost(loss))
    elif missing:
        yield _of_trouble(anchors.lost(anchors.Loss(missing[0].commit, missing[0].anchor, anchors.end())))
    if verdict.ok and loss is None and not missing:
        yield Finding("audit_chain", "ok", _("The audit log is whole: %(rows)d rows") % {"rows": verdict.rows})
        yield from _of_past(anchors.noted_loss())


def _of_past(loss: Loss | None) -> Iterator[Finding]:
    if loss is not None:
        said = _("Rows up to number %(number)d were lost; the log says so since %(day)s")
        day = (loss.noted_on or "")[:10]
        yield Finding("audit_rows_lost", "warning", said % {"number": loss.number, "day": day})


def lock(patient: Patient) -> Iterator[Finding]:
    """Tell whether some process writes just now."""
    from brain.store import lock as store_lock

    if store_lock.is_held(patient.brain.root):
        yield Finding("lock", "warning", _("Another process is writing just now; its lock frees itself when it ends"))
    else:
        yield Finding("lock", "ok", _("No process holds the write lock"))


def unfinished_writes(patient: Patient) -> Iterator[Finding]:
    """Tell of writes that a process which died left behind; the next write settles them."""
    from brain.store import journal

    left = journal.count(patient.brain.root)
    if left:
        message = _("%(count)d writes did not come to their end; the next write finishes them or puts them back")
        yield Finding("journal", "warning", message % {"count": left})
    else:
        yield Finding("journal", "ok", _("Every write came to its end"))


def worker(_patient: Patient) -> Iterator[Finding]:
    """Tell whether a worker is there to carry jobs."""
    from brain.services.health import records

    state = records.file_of(records.STATE)
    if not state.exists() or records.soundness(state) != "ok":
        return
    from brain.jobs import workers

    if workers.alive():
        yield Finding("worker", "ok", _("A worker is there"))
    else:
        yield Finding("worker", "ok", _("No worker runs now; `cabecao start` brings one"))


def disk_space(patient: Patient) -> Iterator[Finding]:
    """Check that there is room to write."""
    free = shutil.disk_usage(patient.brain.root).free
    message = _("%(megabytes)d MB are free") % {"megabytes": free >> 20}
    yield Finding("disk_space", "ok" if free >= LEAST_SPACE else "warning", message)


def synced_folder(patient: Patient) -> Iterator[Finding]:
    """Warn where another program copies the brain's files one by one, or another machine keeps them."""
    from brain.store import places

    place = places.of(patient.brain.root)
    advice = _("move the brain out of that folder and use a Git remote instead")
    if place.synced:
        message = _("“%(part)s” copies files one by one, which can damage a Git repository and the databases.")
        yield Finding("synced_folder", "warning", message % {"part": place.synced}, advice)
    if place.remote:
        message = _("The folder lies on another machine's file system (%(kind)s), where SQLite's locks may not hold.")
        yield Finding("network_folder", "warning", message % {"kind": place.remote}, advice)


def watching(patient: Patient) -> Iterator[Finding]:
    """Tell how changes to the files come to be known, and why that way."""
    from brain.store import watch

    manner = watch.found(patient.brain.root)
    said = _(WAYS[manner.reason]) % {"detail": manner.detail}
    if manner.reason is watch.Reason.LIMIT:
        yield Finding("watching", "warning", said, "sudo sysctl fs.inotify.max_user_watches=524288")
    else:
        yield Finding("watching", "ok", said)


def answers(patient: Patient) -> Iterator[Finding]:
    """Tell whether answers are on, and to the person what is wrong with their settings."""
    from brain.contracts.reads import ANSWERS
    from brain.services.health import answers as looking

    found = looking.state(patient.caller)
    said = _(ANSWERS[looking.standing(found)])
    fault = looking.fault(found) if patient.caller.is_human else ""
    if fault:
        yield Finding("answers", "warning", f"{said}: {fault}", "cabecao llm on")
    else:
        yield Finding("answers", "ok", said)


def llm_policy(patient: Patient) -> Iterator[Finding]:
    """Check the brain's policy on what providers of answers get."""
    from brain.guard import llm_policy as policy

    try:
        policy.parse(patient.brain.config().llm_policy)
    except policy.InvalidPolicy as error:
        said = _("In %(file)s, llm_policy cannot be taken (%(field)s): nothing goes to a provider until it is mended.")
        message = said % {"file": patient.brain.config_file.name, "field": error}
        yield Finding("llm_policy", "error", message, "cabecao llm policy --clear")
    except InvalidConfig:
        return  # told of by the settings


# Why the folder is watched as it is -> what that means.
WAYS: Final = {
    "local": N_("The kernel tells of each change to a file at once"),
    "remote": N_("The folder is looked at every second or more: on %(detail)s not every change is told of"),
    "synced": N_(
        "The kernel tells of changes, and the folder is looked at every ten seconds: %(detail)s copies into it"
    ),
    "limit": N_("The folder is looked at every second or more: the kernel has no watches left for it (%(detail)s)"),
    "system": N_("The folder is looked at every second or more: on %(detail)s nothing tells of changes"),
    "asked": N_("The folder is looked at every second or more: CABECAO_WATCH asks for it"),
}

MACHINE: Final = (python_version, sqlite_with_fts5, git_version)
OF_BRAIN: Final = (
    settings,
    repository,
    databases,
    index,
    notes,
    audit_chain,
    lock,
    unfinished_writes,
    worker,
    disk_space,
    synced_folder,
    watching,
    answers,
    llm_policy,
)
