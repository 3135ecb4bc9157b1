"""What the person changed with other tools: taken in as the person's own commit before anything is written on it."""

from __future__ import annotations

import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from brain.errors import Conflict
from brain.language import gettext as _
from brain.store import committing, files, git, machine_folder
from brain.store.committing import CommitPlan
from brain.store.plumbing import staged as index
from brain.store.repository import Head, Repository

EDIT: Final = "Edit"
STAGE: Final = "Stage"
_STATUS_SECONDS: Final = 300.0


def changed(repository: Repository) -> list[str]:
    """Return the paths that Git finds changed, new or gone; what it ignores, links and other repositories are not.

    Nor is what belongs to this machine, keys among it: a fresh clone has nothing yet that tells Git to ignore it.
    """
    arguments = ("-c", "core.safecrlf=false", "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
    listed = git.run(repository.root, *arguments, seconds=_STATUS_SECONDS).names()
    found = (line[3:] for line in listed if len(line) > 3)
    shared = (path for path in found if not machine_folder.holds(path) and not path.endswith("/"))
    return [path for path in shared if _is_file_or_gone(repository.root / path)]


def _is_file_or_gone(file: Path) -> bool:
    try:
        return stat.S_ISREG(file.lstat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True
    except OSError:
        return False


def edited(repository: Repository, commit: str | None, paths: Iterable[str]) -> dict[str, bytes | None]:
    """Return those of the paths whose working file is not what a commit has, with what they hold now."""
    found: dict[str, bytes | None] = {}
    for path in paths:
        entry, now = repository.entry(commit, path), files.read(repository.root, path)
        if entry is None and now is None:
            continue
        if now is None or entry is None or repository.blob_of(path, now) != entry.oid:
            found[path] = now
    return found


def staged(repository: Repository, commit: str | None, paths: list[str]) -> dict[str, bytes | None]:
    """Return what the person staged of the paths where it is neither in history nor what the working file holds.

    A commit makes Git's index follow for its paths, so that such a text would be nowhere any more. Conflict where a
    merge of one of the paths is still to be decided.
    """
    root, found = repository.root, dict[str, bytes | None]()
    for path, entry in index.entries(root, repository.git_folder, paths, size=repository.objects.size).items():
        if entry.is_unmerged:
            raise Conflict(
                _("%(path)s has two versions in Git that wait for a decision. Nothing was changed.") % {"path": path},
                next_step=_("Ask the user to settle it and to run `git add` on the note, then try again."),
            )
        if not _is_kept(repository, commit, path, entry.oid):
            found[path] = repository.objects.blob(entry.oid)
    return {path: content for path, content in found.items() if content}


def _is_kept(repository: Repository, commit: str | None, path: str, oid: str) -> bool:
    """Tell whether a staged text is kept elsewhere: by the commit, by the working file, or by an older commit."""
    known = repository.entry(commit, path)
    if known is not None and known.oid == oid:
        return True
    now = files.read(repository.root, path)
    if now is not None and repository.blob_of(path, now) == oid:
        return True
    if commit is None:
        return False
    arguments = ("log", "--max-count=1", "--format=%H", f"--find-object={oid}", commit, "--", path)
    ran = git.run(repository.root, *arguments, check=False, env={"GIT_LITERAL_PATHSPECS": "1"})
    return ran.code == 0 and bool(ran.out.strip())


def commit_as_person(
    repository: Repository, contents: Mapping[str, bytes | None], head: Head, *, verb: str = EDIT
) -> Head:
    """Commit what the person changed as theirs: their identity, no operation and no line in the log."""
    names = sorted(contents)
    subject = f"{verb} {names[0]}" if len(names) == 1 else f"{verb} {len(names)} files"
    body = "" if len(names) == 1 else "\n\n" + "\n".join(f"- {name}" for name in names)
    plan = CommitPlan(contents, f"{subject}{body}\n", repository.settings.person(), head)
    return Head(head.branch, committing.commit(repository, plan))
