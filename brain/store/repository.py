"""One brain's Git repository: where it is, in which state, and how a commit gets into it.

A commit is built beside Git's index: blobs, the trees along the touched paths and the commit are written and flushed,
then the branch moves with its old value as the condition. Git's own index is brought up to date for the touched paths
only, so that what the person has staged stays. Where the repository has commit hooks, `git commit` runs them.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from brain.config import MACHINE_FOLDER
from brain.errors import Conflict, GitFailed, NotARepository, RepositoryBusy
from brain.language import gettext as _
from brain.store import git, git_locks
from brain.store.objects import FILE_MODE, TREE_MODE, Entry, Objects
from brain.store.settings import Identity, Settings

HOOK_SECONDS: Final = 60.0
_FLUSH: Final = ("-c", "core.fsync=objects,reference", "-c", "core.fsyncMethod=fsync")
_COMMIT: Final = ("commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--file=-")
_BUSY: Final[Mapping[str, str]] = {
    "MERGE_HEAD": "merge",
    "rebase-merge": "rebase",
    "rebase-apply": "rebase",
    "CHERRY_PICK_HEAD": "cherry-pick",
    "REVERT_HEAD": "revert",
    "BISECT_LOG": "bisect",
}


@dataclass(frozen=True)
class Head:
    """The branch that HEAD names, and its commit; None before the first one."""

    branch: str
    commit: str | None


@dataclass(frozen=True)
class CommitPlan:
    """What a commit will hold: contents by path (None deletes), its message and who is named."""

    contents: Mapping[str, bytes | None]
    message: str
    author: Identity
    parent: str | None


@dataclass
class Repository:
    """An open repository; used by one thread at a time, under the brain's write lock when it writes."""

    root: Path
    git_folder: Path
    common_folder: Path
    settings: Settings
    objects: Objects
    recovered: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, root: Path) -> Repository:
        """Open the repository of a folder; NotARepository where it has none of its own or Git refuses it."""
        ran = git.run(root, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel", check=False)
        if ran.code != 0:
            raise _not_a_repository(root, ran.err)
        folder, common, top = ran.text.splitlines()[:3]
        if not Path(top).samefile(root):
            raise NotARepository(
                _("%(root)s lies inside the repository %(top)s and has none of its own.") % {"root": root, "top": top}
            )
        git_folder, common_folder = Path(folder), (root / common).resolve()
        settings = Settings(root, git_folder, common_folder)
        algorithm = settings.get("extensions.objectformat") or "sha1"
        return cls(root, git_folder, common_folder, settings, Objects(root, common_folder / "objects", algorithm))

    def close(self) -> None:
        """End what was started to read objects."""
        self.objects.close()

    # state

    def head(self) -> Head:
        """Return the current branch and its commit; RepositoryBusy on a detached HEAD."""
        text = (self.git_folder / "HEAD").read_text(encoding="utf-8").strip()
        if not text.startswith("ref: "):
            raise RepositoryBusy(
                _("The repository is on no branch (detached HEAD). Nothing was changed."),
                next_step=_("Run `git switch BRANCH` in the brain's folder, then try again."),
            )
        name = text.removeprefix("ref: ")
        branch = name.removeprefix("refs/heads/")
        if branch == ".invalid":  # reftable keeps its refs elsewhere
            name = git.run(self.root, "symbolic-ref", "HEAD").text.strip()
            branch = name.removeprefix("refs/heads/")
        return Head(branch, self._resolve(name))

    def _resolve(self, name: str) -> str | None:
        loose = self.common_folder / name
        try:
            text = loose.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
        if len(text) in (40, 64):
            return text
        ran = git.run(self.root, "rev-parse", "--verify", "--quiet", name, check=False)
        return ran.text.strip() or None if ran.code == 0 else None

    def require_ready(self) -> Head:
        """Return the head; RepositoryBusy in the middle of a merge or the like."""
        for name, what in _BUSY.items():
            if (self.git_folder / name).exists():
                raise RepositoryBusy(
                    _("A Git %(what)s is under way in this brain. Nothing was changed.") % {"what": what},
                    next_step=_("Finish it, or abort it with `git %(what)s --abort`, then try again.") % {"what": what},
                )
        return self.head()

    # reading trees

    def entry(self, commit: str | None, path: str) -> Entry | None:
        """Return a path's entry in a commit, None where it is not there."""
        tree = self.tree_of(commit)
        parts = path.encode().split(b"/")
        for part in parts[:-1]:
            inner = self.objects.tree(tree).get(part) if tree else None
            tree = inner.oid if inner and inner.mode == TREE_MODE else None
        return self.objects.tree(tree).get(parts[-1]) if tree else None

    def tree_of(self, commit: str | None) -> str | None:
        """Return a commit's tree."""
        found = self.objects.read(commit) if commit else None
        return found[1][5:].split(b"\n", 1)[0].decode() if found and found[0] == "commit" else None

    def content(self, commit: str | None, path: str) -> bytes | None:
        """Return a file's bytes in a commit, None where it is not there."""
        found = self.entry(commit, path)
        return self.objects.blob(found.oid) if found else None

    def checked_out(self, commit: str | None, path: str) -> bytes | None:
        """Return a file's bytes as Git would put them into the working tree, None where it is not in the commit."""
        if commit is None or not self.settings.filters(path) or self.entry(commit, path) is None:
            return self.content(commit, path)
        return git.run(self.root, "cat-file", "--filters", f"{commit}:{path}").out

    def blob_of(self, path: str, content: bytes) -> str:
        """Return the object name that a working file would have, after Git's filters; nothing is stored."""
        if self.settings.filters(path):
            return git.run(self.root, "hash-object", "--stdin", f"--path={path}", stdin=content).text.strip()
        return self.objects.oid_of("blob", content)

    # committing

    def commit(self, plan: CommitPlan, *, gone: threading.Event | None = None) -> str:
        """Make a commit on the current branch and return it; on any error the branch is as it was.

        The working tree must hold the contents already. `refresh_index` has to follow.
        """
        return self.finish(plan, self.prepare(plan), gone=gone)

    def prepare(self, plan: CommitPlan) -> str | None:
        """Store all that the commit needs, flushed, and move nothing; None where hooks will have to make it."""
        if self.settings.hooks():
            return None
        tree = self._write_trees(self.tree_of(plan.parent), self._write_blobs(plan.contents))
        oid = self.objects.write("commit", self._commit_object(tree, plan))
        self.objects.flush()
        return oid

    def finish(self, plan: CommitPlan, prepared: str | None, *, gone: threading.Event | None = None) -> str:
        """Move the branch to what was prepared, if it still stands where the plan found it."""
        if prepared is None:
            return self._commit_with_hooks(plan, gone)
        try:
            self._move_branch(prepared, plan.parent)
        except GitFailed:
            if self.head().commit != prepared:  # a command cut short may have moved it all the same
                raise
        return prepared

    def _write_blobs(self, contents: Mapping[str, bytes | None]) -> dict[str, str | None]:
        stored: dict[str, str | None] = {}
        for path, content in contents.items():
            if content is None:
                stored[path] = None
            elif self.settings.filters(path):
                arguments = (*_FLUSH, "hash-object", "-w", "--stdin", f"--path={path}")
                stored[path] = git.run(self.root, *arguments, stdin=content).text.strip()
            else:
                stored[path] = self.objects.write("blob", content)
        return stored

    def _write_trees(self, tree: str | None, blobs: Mapping[str, str | None]) -> str:
        """Write the trees along the touched paths and return the new root; folders left empty vanish."""
        entries = dict(self.objects.tree(tree)) if tree else {}
        inner: dict[bytes, dict[str, str | None]] = {}
        for path, blob in blobs.items():
            first, slash, rest = path.partition("/")
            name = first.encode()
            if slash:
                inner.setdefault(name, {})[rest] = blob
            elif blob is None:
                entries.pop(name, None)
            else:
                old = entries.get(name)
                entries[name] = Entry(old.mode if old and old.mode.startswith("1006") else FILE_MODE, name, blob)
        for name, below in inner.items():
            old = entries.get(name)
            written = self._write_trees(old.oid if old and old.mode == TREE_MODE else None, below)
            if self.objects.tree(written):
                entries[name] = Entry(TREE_MODE, name, written)
            else:
                entries.pop(name, None)
        return self.objects.write_tree(entries)

    def _commit_object(self, tree: str, plan: CommitPlan) -> bytes:
        moment, zone = int(time.time()), time.strftime("%z")
        lines = [f"tree {tree}", *([f"parent {plan.parent}"] if plan.parent else [])]
        lines.append(f"author {plan.author.line(moment, zone)}")
        lines.append(f"committer {self.settings.person().line(moment, zone)}")
        return ("\n".join(lines) + "\n\n" + plan.message).encode()

    def _move_branch(self, oid: str, parent: str | None) -> None:
        name = f"refs/heads/{self.head().branch}"
        old = parent or "0" * len(oid)
        arguments = (*_FLUSH, "update-ref", "--create-reflog", "-m", "cabecao", name, oid, old)
        ran = git_locks.retrying(self, lambda: git.run(self.root, *arguments, check=False))
        if ran.code != 0:
            if "is at" in ran.err and "expected" in ran.err:
                raise Conflict(_("The branch moved meanwhile. Nothing was changed."), next_step=_("Try again."))
            raise git.failure(arguments, ran)

    def _commit_with_hooks(self, plan: CommitPlan, gone: threading.Event | None) -> str:
        """Let `git commit` run the person's hooks on an index of our own, with a deadline."""
        with tempfile.TemporaryDirectory(prefix="index-", dir=self.root / MACHINE_FOLDER) as folder:
            people = {**_named("AUTHOR", plan.author), **_named("COMMITTER", self.settings.person())}
            env = {"GIT_INDEX_FILE": str(Path(folder) / "index"), **people}
            if plan.parent:
                git.run(self.root, "read-tree", plan.parent, env=env)
            listing = b"".join(_index_line(path, blob) for path, blob in self._write_blobs(plan.contents).items())
            git.run(self.root, "update-index", "-z", "--index-info", stdin=listing, env=env)
            self.objects.flush()
            arguments = (*_FLUSH, "-c", "commit.gpgsign=false", *_COMMIT)
            ran = git.run(
                self.root,
                *arguments,
                stdin=plan.message.encode(),
                check=False,
                env=env,
                seconds=HOOK_SECONDS,
                gone=gone or threading.Event(),
            )
        after = self.head().commit
        if ran.code != 0 and after == plan.parent:
            raise _refused_by_hook(ran)
        if after is None or after == plan.parent:
            raise GitFailed(_("Git made no commit. Nothing was changed."))
        return after

    def refresh_index(self, paths: list[str]) -> bool:
        """Bring Git's own index up to date for these paths; False where another process keeps it locked."""
        names = b"".join(path.encode() + b"\0" for path in paths)
        arguments = ("update-index", "--add", "--remove", "-z", "--stdin")
        ran = git_locks.retrying(self, lambda: git.run(self.root, *arguments, stdin=names, check=False))
        if ran.code != 0 and not git_locks.named_in(ran.err):
            raise git.failure(arguments, ran)
        return ran.code == 0


def _index_line(path: str, blob: str | None) -> bytes:
    mode, oid = ("0", "0" * 40) if blob is None else ("100644", blob)
    return f"{mode} {oid}\t{path}\0".encode()


def _named(role: str, identity: Identity) -> dict[str, str]:
    return {f"GIT_{role}_NAME": identity.name, f"GIT_{role}_EMAIL": identity.email}


def _refused_by_hook(ran: git.Ran) -> GitFailed:
    said = " ".join(f"{ran.err} {ran.text}".split())[:400] or _("it said nothing")
    return GitFailed(
        _("A Git hook of this repository refused the commit: %(said)s. Nothing was changed.") % {"said": said},
        next_step=_("Read the hook's words, mend what it asks for, or take the hook out, then try again."),
    )


def _not_a_repository(root: Path, said: str) -> NotARepository:
    if "dubious ownership" in said:
        return NotARepository(
            _("Git does not trust %(root)s, because another user owns it.") % {"root": root},
            next_step=_("If it is yours, run: git config --global --add safe.directory %(root)s") % {"root": root},
        )
    return NotARepository(_("%(root)s is not a Git repository.") % {"root": root})
