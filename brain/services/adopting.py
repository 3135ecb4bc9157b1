"""init: make a folder a brain, new, from the example, or around the notes that are there already.

None of the person's files is changed. What is theirs is committed as theirs, after a yes; what Cabeção adds comes in a
commit of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib.resources import files as resources
from pathlib import Path
from typing import Final

from brain import config
from brain.errors import InvalidArgument, NotARepository
from brain.guard import paths, secrets
from brain.language import current, ngettext
from brain.language import gettext as _
from brain.note import schema
from brain.services import control_texts
from brain.store import committing, files, git, setup, tree, unmaking
from brain.store.committing import CommitPlan
from brain.store.lock import write_lock
from brain.store.repository import Repository

_MOST_SCANNED: Final = 2_000_000


@dataclass(frozen=True)
class Plan:
    """What init is about to do, for the person to say yes to; `inside` is another repository around the folder."""

    root: Path
    makes_repository: bool
    commits: tuple[str, ...]
    left_out: tuple[str, ...]
    adds: tuple[str, ...]
    inside: Path | None = None
    unreadable: tuple[str, ...] = ()
    odd_names: tuple[str, ...] = ()


@dataclass
class Report:
    """What init did, as sentences."""

    root: Path
    created: bool
    notes: int = 0
    lines: list[str] = field(default_factory=list)


def init(root: Path, *, example: bool = False, yes: Callable[[Plan], bool] = lambda _plan: True) -> Report:
    """Make a folder a brain and say what was done; on a brain, only what is missing is added.

    InvalidArgument where the folder is unfit, RepositoryBusy in the middle of a merge or the like; nothing is changed.
    """
    root = root.expanduser().resolve()
    try:
        return _init(root, example=example, yes=yes)
    except OSError as error:
        raise files.refusal(error, str(root)) from error


def _init(root: Path, *, example: bool, yes: Callable[[Plan], bool]) -> Report:
    _refuse_unfit(root, example=example)
    is_new = not root.is_dir() or not any(root.iterdir())
    adopts = not is_new and not (root / config.FILE).exists()
    plan = _plan(root, adopts=adopts, is_new=is_new, example=example)
    report = Report(root, created=is_new)
    if adopts and not yes(plan):
        report.lines.append(_("Nothing was changed."))
        return report
    _carry_out(plan, report, is_new=is_new, example=example)
    return report


def _refuse_unfit(root: Path, *, example: bool) -> None:
    if root.exists() and not root.is_dir():
        raise InvalidArgument(_("%(root)s is a file, not a folder.") % {"root": root})
    if root.is_dir() and setup.is_bare(root):
        raise InvalidArgument(
            _(
                "%(root)s is a bare Git repository, or lies inside of one: it has no files to keep notes in. Nothing "
                "was changed."
            )
            % {"root": root},
            next_step=_("Clone it with `git clone`, then run `cabecao init` on the clone."),
        )
    if setup.has_broken_repository(root):
        raise NotARepository(
            _("Git cannot open the repository in %(root)s, and there are commits in it. Nothing was changed.")
            % {"root": root},
            next_step=_("See what `git status` says there and mend it, or move the folder .git away and run it again."),
        )
    if example and root.is_dir() and any(root.iterdir()):
        raise InvalidArgument(
            _("%(root)s is not empty: the example needs a folder of its own. Nothing was changed.") % {"root": root},
            next_step=_("Name a new folder, such as ~/cabecao-exemplo."),
        )


def _plan(root: Path, *, adopts: bool, is_new: bool, example: bool) -> Plan:
    own = not is_new and setup.has_own_repository(root)
    if own:
        _refuse_busy(root)
    takes_in = adopts and (not own or setup.is_untouched(root))
    persons, left_out, unreadable = _sorted_out(root) if takes_in else ((), (), ())
    wanted = _additions(example=example, is_new=is_new)
    adds = tuple(sorted(wanted)) if is_new else tuple(path for path in sorted(wanted) if not _is_there(root, path))
    return Plan(
        root,
        not own,
        persons,
        left_out,
        adds,
        inside=None if own else setup.surrounding(root),
        unreadable=unreadable,
        odd_names=() if is_new else tuple(tree.survey(root).unnameable),
    )


def _refuse_busy(root: Path) -> None:
    repo = Repository.open(root)
    try:
        repo.require_ready()
    finally:
        repo.close()


def _is_there(root: Path, path: str) -> bool:
    """Tell whether a file of this name is there, also where it is the same but for case."""
    return files.exists(root, path) or files.actual(root, path) is not None


def _sorted_out(root: Path) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
    """Return the person's files to commit, those that stay out as they may hold a secret, and what can't be read."""
    names = setup.all_files(root)
    unreadable = tuple(name for name in names if not _can_be_read(root / name))
    unsafe = tuple(name for name in names if name not in set(unreadable) and _may_hold_secret(root / name))
    left_out = {*unreadable, *unsafe}
    folders = tuple(f"{folder}/" for folder in tree.survey(root).unlisted)
    return tuple(name for name in names if name not in left_out), unsafe, (*unreadable, *folders)


def _can_be_read(file: Path) -> bool:
    try:
        if not file.is_symlink():
            with file.open("rb") as stream:
                stream.read(1)
    except OSError:
        return False
    return True


def _may_hold_secret(file: Path) -> bool:
    if file.is_symlink():
        return False
    with file.open("rb") as stream:
        text = stream.read(_MOST_SCANNED)
    return b"\0" not in text[:8000] and bool(secrets.scan(text.decode("utf-8", errors="replace"), human=True))


def _additions(*, example: bool, is_new: bool) -> dict[str, bytes]:
    """Return the files that a brain needs, by path; those that exist are never replaced.

    A .gitignore is for a new brain alone: in a person's folder what Git ignores is theirs to say.
    """
    found = {name: text.encode() for name, text in control_texts.texts().items()}
    found[config.FILE] = (
        json.dumps({"schema_version": config.SCHEMA_VERSION, "language": current()}, indent=2) + "\n"
    ).encode()
    found["log.md"] = b"# Log\n\n"
    if not is_new:
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


def _carry_out(plan: Plan, report: Report, *, is_new: bool, example: bool) -> None:
    wanted = _additions(example=example, is_new=is_new)
    before = unmaking.before(plan.root, wanted)
    try:
        plan.root.mkdir(parents=True, exist_ok=True)
        if plan.makes_repository:
            _make_repository(plan, report)
        _commit_all(plan, report, wanted)
    except BaseException:  # half of an adoption would keep a later one from committing the person's files
        before.put_back(wanted)
        raise
    if is_new:
        _make_folders(plan.root)
    report.notes = sum(1 for path in setup.all_files(plan.root) if paths.is_note(path))


def _make_repository(plan: Plan, report: Report) -> None:
    setup.make_repository(plan.root)
    report.lines.append(_("A Git repository was made in %(root)s.") % {"root": plan.root})
    if plan.inside:
        report.lines.append(_("The repository around it, %(top)s, was left as it is.") % {"top": plan.inside})


def _commit_all(plan: Plan, report: Report, wanted: Mapping[str, bytes]) -> None:
    setup.make_machine_folder(plan.root, keeps_catalogue=_is_there(plan.root, "index.md"))
    with write_lock(plan.root):
        repo = Repository.open(plan.root)
        try:
            repo.require_ready()
            report.lines += unsigned(repo)
            _commit_persons(repo, plan, report)
            _commit_additions(repo, plan, report, wanted)
        finally:
            repo.close()


def unsigned(repo: Repository) -> list[str]:
    """Return what the person is to know where Git has no name or no address for them here; nothing where it has."""
    if repo.settings.is_named():
        return []
    person = repo.settings.person()
    said = _(
        "Git does not know who you are here: your commits will carry the name %(name)s <%(email)s>. To sign them "
        "yourself: git config --global user.name NAME, git config --global user.email ADDRESS"
    )
    return [said % {"name": person.name, "email": person.email}]


def _commit_persons(repo: Repository, plan: Plan, report: Report) -> None:
    for name in plan.left_out:
        line = _("%(name)s may hold a secret and was left out of Git.")
        report.lines.append(line % {"name": tree.shown(name)})
    for name in plan.unreadable:
        line = _("%(name)s cannot be read (see its permissions) and was left out of Git.")
        report.lines.append(line % {"name": tree.shown(name)})
    for name in plan.odd_names:
        line = _("%(name)s: the name is not UTF-8, so Cabeção cannot show it as a note; rename it.")
        report.lines.append(line % {"name": tree.shown(name)})
    if plan.commits:
        setup.commit_as_person(repo, plan.commits)
        count = len(plan.commits)
        report.lines.append(
            ngettext("%(count)d file was committed as yours.", "%(count)d files were committed as yours.", count)
            % {"count": count}
        )


def _commit_additions(repo: Repository, plan: Plan, report: Report, wanted: Mapping[str, bytes]) -> None:
    contents = {path: wanted[path] for path in plan.adds}
    if not contents:
        report.lines.append(_("Nothing was missing."))
        return
    setup.put(plan.root, contents)
    head = repo.head()
    committing.commit(repo, CommitPlan(dict(contents), "Set the brain up\n", repo.settings.person(), head))
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
