"""Everything that is wrong, in the order in which a person wants to hear it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from brain.errors import BrainError, foreign
from brain.language import gettext as _
from brain.language import ngettext
from brain.services import workplace
from brain.services.health import anchors, notes, records
from brain.services.health.trouble import Trouble, unchecked
from brain.store import machine_folder
from brain.store.repository import Head, Repository

Check = Callable[[], Iterator[Trouble]]


def repository() -> Iterator[Trouble]:
    """Tell why the repository cannot take a commit now."""
    try:
        repo = workplace.repository()
        head = repo.require_ready()
        yield from _branch(repo, head)
        yield from _machine_folder(repo, head)
        repo.require_whole_index()
    except BrainError as error:
        yield Trouble(error.code, error.message, error.next_step)


def _branch(repo: Repository, head: Head) -> Iterator[Trouble]:
    """Tell of a branch that names nothing, or a commit that is not there."""
    if head.commit is None and repo.has_branches():
        yield Trouble(
            "branch_empty",
            _("The branch “%(branch)s” has no commit while others have: a write would begin a new history.")
            % {"branch": head.branch},
            _("See them with `git branch`, then run `git switch BRANCH` in the brain's folder."),
        )
    elif head.commit is not None and not repo.commit_of(head.commit):
        yield Trouble(
            "branch_broken",
            _("The branch “%(branch)s” names a commit that is missing or damaged.") % {"branch": head.branch},
            _("Find one that is there with `git reflog`, then set the branch to it with `git update-ref`."),
        )


def _machine_folder(repo: Repository, head: Head) -> Iterator[Trouble]:
    """Tell that Git holds what is one machine's alone."""
    if machine_folder.is_in(repo, head.commit):
        yield Trouble(
            "machine_folder",
            _("Git holds `.cabecao/`, a machine's own keys and records: whoever can read the repository has them."),
            _("Run `git rm -r --cached .cabecao`, commit, and delete the `.key` files in it: new ones are made."),
        )


def conflicts(paths: list[str]) -> Iterator[Trouble]:
    """Tell of copies that sync left of texts which changed on two machines."""
    if paths:
        text = ngettext("There is %d conflict copy.", "There are %d conflict copies.", len(paths)) % len(paths)
        yield Trouble("conflict_copy", text, _("Settle them on the Conflicts page."), "warning")


CHECKS: Final[tuple[Check, ...]] = (
    repository,
    records.damaged,
    anchors.troubles,
    notes.unreadable_files,
    notes.unreadable_notes,
)


def troubles() -> list[Trouble]:
    """Return what every check tells; one that fails is told of and stops no other."""
    return [one for check in CHECKS for one in told_by(check)]


def told_by(check: Check) -> list[Trouble]:
    """Return what a check tells, or that it could not be made."""
    found: list[Trouble] = []
    try:
        found.extend(check())
    except Exception as error:  # noqa: BLE001 (what could not be looked at is never taken for being well)
        told = error if isinstance(error, BrainError) else foreign(error)
        if told is None:
            return [*found, unchecked(check.__name__, type(error).__name__)]
        found.append(Trouble(told.code, told.message, told.next_step))
    return found
