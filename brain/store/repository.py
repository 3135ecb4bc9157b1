"""One brain's Git repository: where it is, in which state, what its commits hold, and Git's own index."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from brain.errors import BrainError, GitFailed, NotARepository, RepositoryBusy
from brain.language import gettext as _
from brain.store import git
from brain.store.plumbing import git_locks, staged
from brain.store.plumbing.objects import FILE_MODE, TREE_MODE, Entry, Objects
from brain.store.plumbing.refs import Branches
from brain.store.plumbing.settings import Settings

FLUSH: Final = ("-c", "core.fsync=objects,reference", "-c", "core.fsyncMethod=fsync")
_ANY_ENDS: Final = ("-c", "core.safecrlf=false")  # a check of line ends is for the person's own commands
UPDATE_INDEX: Final = (*_ANY_ENDS, "update-index", "--add", "--remove", "-z", "--stdin")
_BUSY: Final[Mapping[str, tuple[str, str]]] = {
    "MERGE_HEAD": ("merge", "--abort"),
    "rebase-merge": ("rebase", "--abort"),
    "rebase-apply": ("rebase", "--abort"),
    "CHERRY_PICK_HEAD": ("cherry-pick", "--abort"),
    "REVERT_HEAD": ("revert", "--abort"),
    "sequencer": ("cherry-pick", "--abort"),
    "BISECT_LOG": ("bisect", "reset"),
}


@dataclass(frozen=True)
class Head:
    """The branch that HEAD names, and its commit; None before the first one."""

    branch: str
    commit: str | None


@dataclass
class Repository:
    """An open repository; used by one thread at a time, under the brain's write lock when it writes."""

    root: Path
    git_folder: Path
    common_folder: Path
    settings: Settings
    objects: Objects
    branches: Branches
    identity: tuple[int, int] | None = None
    recovered: list[str] = field(default_factory=list)

    @classmethod
    def open(cls, root: Path) -> Repository:
        """Open the repository of a folder; NotARepository where it has none of its own or Git refuses it."""
        ran = git.run(root, "rev-parse", "--absolute-git-dir", "--git-common-dir", "--show-toplevel", check=False)
        if ran.code != 0:
            raise _not_opened(root, ran)
        folder, common, top = ran.text.splitlines()[:3]
        if not Path(top).samefile(root):
            raise NotARepository(
                _("%(root)s lies inside the repository %(top)s and has none of its own.") % {"root": root, "top": top}
            )
        git_folder, common_folder = Path(folder), (root / common).resolve()
        settings = Settings(root, git_folder, common_folder)
        algorithm = settings.get("extensions.objectformat") or "sha1"
        objects = Objects(root, common_folder / "objects", algorithm)
        return cls(root, git_folder, common_folder, settings, objects, Branches(root), identity(git_folder))

    def close(self) -> None:
        """End what was started to read objects and to move branches."""
        self.objects.close()
        self.branches.close()

    # state

    def head(self) -> Head:
        """Return the current branch and its commit; RepositoryBusy on a detached HEAD."""
        try:
            text = (self.git_folder / "HEAD").read_text(encoding="utf-8").strip()
        except (OSError, UnicodeDecodeError) as error:
            raise GitFailed(_("The branch cannot be read: HEAD is missing or damaged.")) from error
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
        return Head(branch, self.resolve(name))

    def resolve(self, name: str) -> str | None:
        """Return the commit of a ref by its full name, None where there is none."""
        loose = self.common_folder / name
        try:
            text = loose.read_text(encoding="ascii").strip()
        except (OSError, UnicodeDecodeError):
            text = ""
        if len(text) in (40, 64):
            return text
        ran = git.run(self.root, "rev-parse", "--verify", "--quiet", name, check=False)
        return ran.text.strip() or None if ran.code == 0 else None

    def has_branches(self) -> bool:
        """Tell whether any branch has a commit."""
        return bool(git.run(self.root, "for-each-ref", "--count=1", "refs/heads/", check=False).text.strip())

    def require_ready(self) -> Head:
        """Return the head; RepositoryBusy in the middle of a merge or the like."""
        for name, (what, end) in _BUSY.items():
            if (self.git_folder / name).exists():
                raise RepositoryBusy(
                    _("A Git %(what)s is under way in this brain. Nothing was changed.") % {"what": what},
                    next_step=_("Finish it, or abort it with `git %(command)s`, then try again.")
                    % {"command": f"{what} {end}"},
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
        return self.commit_of(commit)[5:].split(b"\n", 1)[0].decode() or None

    def commit_of(self, commit: str | None) -> bytes:
        """Return a commit as Git stores it, nothing where there is none."""
        found = self.objects.read(commit) if commit else None
        return found[1] if found and found[0] == "commit" else b""

    def parent_of(self, commit: str | None) -> str | None:
        """Return a commit's first parent."""
        lines = self.commit_of(commit).split(b"\n\n", 1)[0].split(b"\n")
        return next((line[7:].decode() for line in lines if line.startswith(b"parent ")), None)

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
            return git.run(
                self.root, *_ANY_ENDS, "hash-object", "--stdin", f"--path={path}", stdin=content
            ).text.strip()
        return self.objects.oid_of("blob", content)

    # what a commit is made of

    def store_blobs(self, contents: Mapping[str, bytes | None]) -> dict[str, str | None]:
        """Take contents in, as Git's filters leave them, and return their names by path."""
        stored: dict[str, str | None] = {}
        for path, content in contents.items():
            if content is None:
                stored[path] = None
            elif self.settings.filters(path):
                arguments = (*FLUSH, *_ANY_ENDS, "hash-object", "-w", "--stdin", f"--path={path}")
                stored[path] = git.run(self.root, *arguments, stdin=content).text.strip()
            else:
                stored[path] = self.objects.write("blob", content)
        return stored

    def store_trees(self, tree: str | None, blobs: Mapping[str, str | None]) -> str:
        """Take in the trees along the touched paths and return the new root; folders left empty vanish."""
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
            written = self.store_trees(old.oid if old and old.mode == TREE_MODE else None, below)
            if self.objects.tree(written):
                entries[name] = Entry(TREE_MODE, name, written)
            else:
                entries.pop(name, None)
        return self.objects.write_tree(entries)

    # Git's index

    def require_whole_index(self) -> None:
        """Raise GitFailed where Git's own index is damaged."""
        staged.require_whole(self.git_folder, size=self.objects.size)

    def refresh_index(self, paths: Iterable[str]) -> bool:
        """Bring Git's own index up to date for these paths; False where another process keeps it locked."""
        names = b"".join(path.encode() + b"\0" for path in paths)
        return self._change_index(UPDATE_INDEX, names)

    def mend_index(self, paths: Sequence[str], *, since: str | None) -> bool:
        """Let the index entries that still stand at an older commit follow the head; what a person staged stays."""
        head = self.head().commit
        known = self._staged(paths)
        lines = [
            _index_line(path, now)
            for path in paths
            if known.get(path) == _oid(self.entry(since, path)) != _oid(now := self.entry(head, path))
        ]
        return not lines or self._change_index(("update-index", "-z", "--index-info"), b"".join(lines))

    def _staged(self, paths: Iterable[str]) -> dict[str, str]:
        arguments = ("ls-files", "--stage", "-z", "--", *paths)
        listed = git.run(self.root, *arguments, env={"GIT_LITERAL_PATHSPECS": "1"}).lines()
        return {path: about.split()[1] for about, _tab, path in (line.partition("\t") for line in listed)}

    def _change_index(self, arguments: Sequence[str], given: bytes) -> bool:
        ran = git_locks.retrying(self, lambda: git.run(self.root, *arguments, stdin=given, check=False))
        if ran.code != 0 and not git_locks.named_in(ran.err):
            raise git.failure(self.root, arguments, ran)
        return ran.code == 0


def identity(git_folder: Path) -> tuple[int, int] | None:
    """Return what tells a repository from another one that was made in its place; None where there is none now."""
    try:
        found = git_folder.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _oid(entry: Entry | None) -> str | None:
    return entry.oid if entry else None


def _index_line(path: str, entry: Entry | None) -> bytes:
    """Return the line that puts an entry into an index; mode 0 takes it out."""
    mode, oid = (entry.mode, entry.oid) if entry else ("0", "0" * 40)
    return f"{mode} {oid}\t{path}\0".encode()


def _not_opened(root: Path, ran: git.Ran) -> BrainError:
    if "dubious ownership" in ran.err:
        return NotARepository(
            _("Git does not trust %(root)s, because another user owns it.") % {"root": root},
            next_step=_("If it is yours, run: git config --global --add safe.directory %(root)s") % {"root": root},
        )
    if "not a git repository" in ran.err and (root / ".git").exists():
        return NotARepository(
            _("The repository in %(root)s is damaged: Git cannot read .git (HEAD or config). Nothing was changed.")
            % {"root": root},
            next_step=_(
                "Where .git/HEAD is damaged, write `ref: refs/heads/main` into it (or the name of your branch); else "
                "restore .git from a backup."
            ),
        )
    if "not a git repository" in ran.err:
        return NotARepository(_("%(root)s is not a Git repository.") % {"root": root})
    return git.failure(root, ("rev-parse",), ran)
