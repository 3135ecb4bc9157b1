"""init: make a folder a brain, new, from the example, or around the notes that are there already.

None of the person's files is changed. What is theirs is committed as theirs, after a yes; what Cabeção adds comes in a
commit of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.resources import files as resources
from pathlib import Path
from typing import Final

from brain import config
from brain.errors import InvalidArgument, NotARepository
from brain.guard import paths, secrets
from brain.language import current
from brain.language import gettext as _
from brain.note import schema
from brain.services import control_texts
from brain.store import committing, git, setup
from brain.store.committing import CommitPlan
from brain.store.lock import write_lock
from brain.store.repository import Repository

_MOST_SCANNED: Final = 2_000_000


@dataclass(frozen=True)
class Plan:
    """What init is about to do, for the person to say yes to."""

    root: Path
    makes_repository: bool
    commits: tuple[str, ...]
    left_out: tuple[str, ...]
    adds: tuple[str, ...]


@dataclass
class Report:
    """What init did, as sentences."""

    root: Path
    created: bool
    notes: int = 0
    lines: list[str] = field(default_factory=list)


def init(root: Path, *, example: bool = False, yes: Callable[[Plan], bool] = lambda _plan: True) -> Report:
    """Make a folder a brain and say what was done; on a brain, only what is missing is added."""
    root = root.expanduser().resolve()
    _refuse_unfit(root, example=example)
    was_there = root.is_dir() and any(root.iterdir())
    adopts = was_there and not (root / config.FILE).exists()
    root.mkdir(parents=True, exist_ok=True)
    plan = _plan(root, adopts=adopts, example=example)
    report = Report(root, created=not was_there)
    if adopts and not yes(plan):
        report.lines.append(_("Nothing was changed."))
        return report
    _carry_out(plan, report, adopts=adopts)
    return report


def _refuse_unfit(root: Path, *, example: bool) -> None:
    if root.exists() and not root.is_dir():
        raise InvalidArgument(_("%(root)s is a file, not a folder.") % {"root": root})
    if example and root.is_dir() and any(root.iterdir()):
        raise InvalidArgument(
            _("%(root)s is not empty: the example needs a folder of its own. Nothing was changed.") % {"root": root},
            next_step=_("Name a new folder, such as ~/cabecao-exemplo."),
        )


def _plan(root: Path, *, adopts: bool, example: bool) -> Plan:
    own = setup.has_own_repository(root)
    persons, left_out = _sorted_out(root) if adopts and not own else ((), ())
    adds = tuple(sorted(path for path in _additions(example=example, adopts=adopts) if not (root / path).exists()))
    return Plan(root, not own, persons, left_out, adds)


def _sorted_out(root: Path) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the person's files to commit, and those that stay out because they may hold a secret."""
    names = setup.all_files(root)
    unsafe = tuple(name for name in names if _may_hold_secret(root / name))
    return tuple(name for name in names if name not in set(unsafe)), unsafe


def _may_hold_secret(file: Path) -> bool:
    try:
        if file.is_symlink() or file.stat().st_size > _MOST_SCANNED:
            return False
        text = file.read_bytes()
    except OSError:
        return True
    return b"\0" not in text[:8000] and bool(secrets.scan(text.decode("utf-8", errors="replace"), human=True))


def _additions(*, example: bool, adopts: bool) -> dict[str, bytes]:
    """Return the files that a brain needs, by path; those that exist are never replaced."""
    found = {name: text.encode() for name, text in control_texts.texts().items()}
    found[config.FILE] = (
        json.dumps({"schema_version": config.SCHEMA_VERSION, "language": current()}, indent=2) + "\n"
    ).encode()
    found["log.md"] = b"# Log\n\n"
    if adopts:
        found.pop(".gitignore")
    if example:
        found.update(_example_notes())
    return found


def _example_notes() -> dict[str, bytes]:
    return dict(_walk(_example_folder(), ""))


def example_paths() -> list[str]:
    """Return the paths of the notes that the example ships."""
    return list(_example_notes())


def _example_folder() -> Path:
    return Path(str(resources("brain") / "example" / "notes"))


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, bytes]]:
    for entry in sorted(folder.iterdir()):
        if entry.is_dir():
            yield from _walk(entry, f"{prefix}{entry.name}/")
        else:
            yield prefix + entry.name, entry.read_bytes()


def _carry_out(plan: Plan, report: Report, *, adopts: bool) -> None:
    if plan.makes_repository:
        setup.make_repository(plan.root)
        report.lines.append(_("A Git repository was made in %(root)s.") % {"root": plan.root})
    setup.make_machine_folder(plan.root)
    with write_lock(plan.root):
        repo = Repository.open(plan.root)
        try:
            repo.require_ready()
            _commit_persons(repo, plan, report)
            _commit_additions(repo, plan, report, adopts=adopts)
        finally:
            repo.close()
    if not adopts:
        _make_folders(plan.root)
    report.notes = sum(1 for path in setup.all_files(plan.root) if paths.is_note(path))


def _commit_persons(repo: Repository, plan: Plan, report: Report) -> None:
    for name in plan.left_out:
        report.lines.append(_("%(name)s may hold a secret and was left out of Git.") % {"name": name})
    if plan.commits:
        setup.commit_as_person(repo, plan.commits)
        report.lines.append(_("%(count)d files were committed as yours.") % {"count": len(plan.commits)})


def _commit_additions(repo: Repository, plan: Plan, report: Report, *, adopts: bool) -> None:
    wanted = _additions(example=any(one.startswith("memory/") for one in plan.adds), adopts=adopts)
    contents = {path: wanted[path] for path in plan.adds}
    if not contents:
        report.lines.append(_("Nothing was missing."))
        return
    setup.put(plan.root, contents)
    head = repo.head()
    people = repo.settings.person()
    committing.commit(repo, CommitPlan(dict(contents), "Set the brain up\n", people, head))
    names = ", ".join(sorted(path for path in contents if "/" not in path))
    report.lines.append(_("Added, in a commit of their own: %(names)s.") % {"names": names})


def _make_folders(root: Path) -> None:
    """Make the folders of the note types where the brain is new; Git keeps no empty folder, and needs none."""
    for kind in schema.TYPES.values():
        (root / kind.folder).mkdir(parents=True, exist_ok=True)


def check_git() -> None:
    """Raise where Git is missing."""
    if git.run(Path.cwd(), "--version", check=False).code != 0:
        raise NotARepository(_("Git is not installed, or not on the PATH."), next_step=_("Install Git."))
