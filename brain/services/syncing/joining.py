"""Bringing what was fetched into the branch: forward where nothing stands against it, else merged, with its journal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final

from brain.contracts.syncing import Integration, SyncConflict
from brain.guard import paths
from brain.services.syncing import texts
from brain.services.syncing.told import Stopped
from brain.store import files, git, journal
from brain.store.remote import advancing, histories
from brain.store.remote.histories import Changed, Leaf, Stand
from brain.store.remote.merging import Clash, Merge, Merged
from brain.store.repository import Head, Repository

# A sync that would take away this many notes, and this share of them, asks first.
MASS_COUNT: Final = 20
MASS_SHARE: Final = 0.5


@dataclass(frozen=True)
class Joined:
    """The branch's commit afterwards, and what came with it."""

    commit: str | None
    integration: Integration
    pulled: int = 0
    paths: list[str] = field(default_factory=list)
    conflicts: list[SyncConflict] = field(default_factory=list)


def join(
    repo: Repository, head: Head, theirs: str, *, op: str, audit: Mapping[str, Any], accept_deletions: bool
) -> Joined:
    """Bring a fetched commit into the branch, under the write lock; Stopped where a person has to look first.

    InTheWay where a file was changed since the edits were taken in. The branch is then as it was.
    """
    ours = head.commit
    stand = histories.stand(repo, ours, theirs) if ours else Stand.BEHIND
    if stand in (Stand.SAME, Stand.AHEAD):
        return Joined(ours, "up_to_date")
    if stand in (Stand.UNRELATED, Stand.SHALLOW):
        raise Stopped(stand.value, held=theirs)
    base = (histories.base(repo, ours, theirs) if ours else None) or _empty_tree(repo)
    incoming = histories.changed(repo, base, theirs)
    if not accept_deletions:
        refuse_mass_deletion(repo, ours, _deleted(incoming), here=False, held=theirs)
    merged, target = Merged(incoming.leaves), theirs
    if ours and stand is Stand.APART:
        merged = _merge(repo, (base, ours, theirs), incoming)
        target = advancing.merge_commit(repo, ours, theirs, merged.leaves, _message(merged))
    touched = [path for path, leaf in merged.leaves.items() if ours is None or _leaf(repo, ours, path) != leaf]
    _advance(repo, head, target, touched, op=op, audit=audit)
    pulled = histories.count(repo, ours, theirs) if ours else 0
    integration: Integration = "merge" if stand is Stand.APART else "fast_forward"
    return Joined(target, integration, pulled, sorted(touched), [_shown(one) for one in merged.clashes])


def refuse_mass_deletion(repo: Repository, commit: str | None, count: int, *, here: bool, **named: object) -> None:
    """Raise Stopped where a large part of the notes would go at once."""
    if count < MASS_COUNT or commit is None:
        return
    total = sum(1 for path in _tree_paths(repo, commit) if paths.is_note(path))
    if count >= total * MASS_SHARE:
        raise Stopped("mass_deletion_here" if here else "mass_deletion_there", count=count, total=total, **named)


def _merge(repo: Repository, commits: tuple[str, str, str], incoming: Changed) -> Merged:
    base, ours, _theirs = commits
    outgoing = histories.changed(repo, base, ours)
    taken = {path.lower() for path in (*outgoing.leaves, *incoming.leaves)}

    def is_taken(path: str) -> bool:
        return path.lower() in taken or files.exists(repo.root, path)

    def name_copy(path: str) -> str:
        copy = texts.copy_name(path, is_taken)
        taken.add(copy.lower())
        return copy

    return Merge(repo, commits, partial(texts.merged, repo.root), name_copy).of(outgoing, incoming)


def _advance(
    repo: Repository, head: Head, target: str, touched: list[str], *, op: str, audit: Mapping[str, Any]
) -> None:
    """Move branch and files, written down first, so that a death in the middle is put back at the next start."""
    after = {path: journal.digest(repo.checked_out(target, path)) for path in touched}
    entry = journal.Entry(op=op, parent=head.commit, branch=head.branch, after=after, audit=audit, target=target)
    journal.begin(repo.root, entry)
    try:
        advancing.advance(repo, target, touched)
    except advancing.InTheWay:
        journal.close(repo.root, op)
        raise
    except BaseException:
        if repo.head() == head:
            journal.put_back(repo, entry)
            journal.close(repo.root, op)
        raise
    journal.close(repo.root, op)


def _deleted(incoming: Changed) -> int:
    return sum(1 for path, leaf in incoming.leaves.items()
               if leaf is None and paths.is_note(path) and path not in incoming.moved)  # fmt: skip


def _leaf(repo: Repository, commit: str, path: str) -> Leaf | None:
    found = repo.entry(commit, path)
    return Leaf(found.mode, found.oid) if found else None


def _tree_paths(repo: Repository, commit: str) -> list[str]:
    return git.run(repo.root, "ls-tree", "-r", "-z", "--name-only", commit).names()


def _empty_tree(repo: Repository) -> str:
    return repo.objects.write_tree({})


def _message(merged: Merged) -> str:
    lines = [f"- kept both texts of {one.path}: {one.copy}" if one.copy else f"- kept the edited {one.path}"
             for one in merged.clashes]  # fmt: skip
    return "Sync: join both sides\n" + ("\n" + "\n".join(lines) + "\n" if lines else "")


def _shown(clash: Clash) -> SyncConflict:
    return SyncConflict(path=clash.path, copy_path=clash.copy, kind=clash.kind)
