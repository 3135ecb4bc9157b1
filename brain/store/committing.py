"""How a commit gets into the repository.

It is built beside Git's index: blobs, the trees along the touched paths and the commit are written and flushed, then
the branch moves with its old value as the condition, and Git's own index follows for the touched paths only, so that
what the person has staged stays. The commands of Git that this needs are started ahead and wait for their input while
the objects are written. Where the repository has commit hooks, `git commit` runs them on an index of its own.
"""

from __future__ import annotations

import contextlib
import shutil
import subprocess
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

from brain.config import MACHINE_FOLDER
from brain.errors import BrainError, Conflict, GitFailed, Locked
from brain.language import gettext as _
from brain.store import git, messages
from brain.store.plumbing import git_locks
from brain.store.plumbing.refs import MARK
from brain.store.plumbing.settings import Identity
from brain.store.repository import FLUSH, UPDATE_INDEX, Head, Repository

HOOK_SECONDS: Final = 60.0
_MOST_BY_HOOKS: Final = 16
_COMMIT: Final = (*FLUSH, "-c", "commit.gpgsign=false", "-c", "i18n.commitEncoding=utf-8",
                  "commit", "--quiet", "--allow-empty", "--cleanup=verbatim", "--file=-")  # fmt: skip


@dataclass(frozen=True)
class CommitPlan:
    """What a commit will hold: contents by path (None deletes), its message, who is named, and where it goes.

    With `onto` it stands there and takes the place of every commit since, with all that they hold; no hook runs again.
    """

    contents: Mapping[str, bytes | None]
    message: str
    author: Identity
    head: Head
    onto: str | None = None

    @property
    def parent(self) -> str | None:
        """The branch's commit, whose files it changes."""
        return self.head.commit

    @property
    def stands_on(self) -> str | None:
        """The commit below it: the branch's own, or an older one whose followers it takes the place of."""
        return self.onto or self.head.commit


def commit(repository: Repository, plan: CommitPlan) -> str:
    """Make a commit of what the working tree holds already, and return it; on any error the branch is as it was.

    The one exception is Locked where another program took Git's index meanwhile: then the index alone is behind.
    """
    with committing(repository, plan) as on_its_way:
        on_its_way.prepare()
        oid = on_its_way.finish()
        on_its_way.start_index()
        if not on_its_way.index_follows():
            raise Locked(_("Git's own index is locked by another program."))
    return oid


@contextmanager
def committing(repository: Repository, plan: CommitPlan, *, gone: threading.Event | None = None) -> Iterator[Commit]:
    """Begin a commit: Locked where Git's index is not free. Whatever it has started has ended afterwards."""
    git_locks.wait_for_index(repository, gone=gone)
    kind = HookedCommit if repository.settings.hooks() and plan.onto is None else Commit
    begun = kind(repository, plan, gone or threading.Event())
    try:
        begun.begin()
        yield begun
    finally:
        begun.close()


class Commit:
    """A commit on its way; `begin`, `prepare`, `finish` and `start_index` come in this order."""

    def __init__(self, repository: Repository, plan: CommitPlan, gone: threading.Event) -> None:
        self._repository = repository
        self._plan = plan
        self._gone = gone
        self._oid: str | None = None
        self._index_knows = False
        self._indexer: subprocess.Popen[bytes] | None = None

    def begin(self) -> None:
        """Start what Git needs time to get ready for."""
        self._indexer = git.start(self._repository.root, *UPDATE_INDEX)
        self._repository.branches.get_ready(self._repository.settings.version)

    def prepare(self) -> None:
        """Store all that the commit needs, flushed, and ask Git to have the branch ready; nothing moves yet."""
        repository, plan = self._repository, self._plan
        blobs = repository.store_blobs(plan.contents)
        below = repository.tree_of(plan.parent)
        if plan.parent and below is None:
            raise GitFailed(_("The branch's newest commit is missing or damaged. Nothing was changed."))
        tree = repository.store_trees(below, blobs)
        oid = repository.objects.write("commit", _commit_object(repository, tree, plan))
        repository.objects.flush()
        self._oid = oid
        repository.branches.prepare(plan.head.branch, to=oid, old=plan.parent)

    def finish(self) -> str:
        """Move the branch to what was prepared, if it still stands where the plan found it, and return the commit."""
        repository, plan, oid = self._repository, self._plan, self._oid
        if oid is None:
            raise GitFailed(_("The commit was not prepared. Nothing was changed."))
        if repository.head().branch != plan.head.branch:
            raise _moved()
        if not repository.branches.commit() and repository.head().commit != oid:
            move = partial(repository.branches.move, plan.head.branch, to=oid, old=plan.parent)
            ran = git_locks.retrying(repository, move)
            if ran.code != 0 and repository.head().commit != oid:  # one cut short may have moved it all the same
                raise _not_moved(repository.root, ran)
        return oid

    def start_index(self) -> None:
        """Let Git's own index follow for the commit's paths, while others go on with theirs."""
        names = b"".join(path.encode() + b"\0" for path in self._plan.contents)
        self._index_knows = self._indexer is not None and _give(self._indexer, names)

    def index_follows(self) -> bool:
        """Return once Git's index knows the commit; False where another process keeps it locked."""
        knows = self._index_knows and self._indexer is not None and git.finish(self._indexer).code == 0
        return knows or self._repository.refresh_index(self._plan.contents)

    def close(self) -> None:
        """End what still waits for input: without it, Git takes its locks away and changes nothing."""
        self._repository.objects.forget()
        self._repository.branches.give_up()
        if self._indexer is not None:
            _close(self._indexer)
            with contextlib.suppress(OSError, ValueError):
                git.finish(self._indexer)


class HookedCommit(Commit):
    """A commit that `git commit` makes, so that the person's hooks run, on an index of its own and with a deadline."""

    def begin(self) -> None:
        """Start nothing ahead: a hook may want the locks."""

    def prepare(self) -> None:
        """Do nothing: Git will store the objects."""

    def finish(self) -> str:
        """Let Git commit; where the person's own commit came between, ours is taken back."""
        plan, repository = self._plan, self._repository
        ran = self._commit()
        after = repository.head().commit
        if after is None or after == plan.parent:
            raise _refused_by_hook(ran) if ran.code != 0 else GitFailed(_("Git made no commit. Nothing was changed."))
        lowest = self._lowest_above_parent(after)
        if lowest is not None and self._is_ours(lowest):
            if lowest == after and not self._says_what_it_is(after):
                self._take_back(after)
                raise _emptied_by_hook()
            return lowest
        if self._is_ours(after):
            self._take_back(after)
        raise _moved()

    def _lowest_above_parent(self, oid: str) -> str | None:
        """Return the commit that stands right on the plan's parent; above it there may be what a hook committed."""
        for _step in range(_MOST_BY_HOOKS):
            above, oid = oid, self._repository.parent_of(oid) or ""
            if oid == (self._plan.parent or ""):
                return above
        return None

    def _is_ours(self, oid: str) -> bool:
        """Tell by the operation, else by author and contents: a hook may write the message anew."""
        (subject, op), (our_subject, our_op) = self._said_by(oid), self._message()
        if (our_op is not None and op == our_op) or (op is None and subject == our_subject):
            return True
        author = f"\nauthor {self._plan.author.line(0, '').rsplit(maxsplit=1)[0]} ".encode()
        return author in self._repository.commit_of(oid).partition(b"\n\n")[0] and self._holds_contents(oid)

    def _holds_contents(self, oid: str) -> bool:
        held = (self._repository.content(oid, path) for path in self._plan.contents)
        return all(now == wanted for now, wanted in zip(held, self._plan.contents.values(), strict=True))

    def _says_what_it_is(self, oid: str) -> bool:
        return self._said_by(oid)[1] == self._message()[1]

    def _message(self) -> tuple[str, str | None]:
        return _subject_and_op(self._plan.message)

    def _said_by(self, oid: str) -> tuple[str, str | None]:
        return _subject_and_op(self._repository.commit_of(oid).partition(b"\n\n")[2].decode(errors="replace"))

    def start_index(self) -> None:
        """Do nothing ahead."""

    def index_follows(self) -> bool:
        """Bring Git's index up to date for the commit's paths."""
        return self._repository.refresh_index(self._plan.contents)

    def _commit(self) -> git.Ran:
        plan, repository, root = self._plan, self._repository, self._repository.root
        folder = tempfile.mkdtemp(prefix="write-index-", dir=_scratch(root))
        try:
            people = {**_named("AUTHOR", plan.author), **_named("COMMITTER", repository.settings.person())}
            env = {"GIT_INDEX_FILE": str(Path(folder) / "index"), "GIT_REFLOG_ACTION": MARK, **people}
            if plan.parent:
                git.run(root, "read-tree", plan.parent, env=env)
            blobs = repository.store_blobs(plan.contents)
            repository.objects.flush()
            git.run(root, "update-index", "-z", "--index-info", stdin=_listing(blobs), env=env)
            message = plan.message.encode()
            return git.run(root, *_COMMIT, stdin=message, check=False, env=env, seconds=HOOK_SECONDS, gone=self._gone)
        finally:
            shutil.rmtree(folder, ignore_errors=True)

    def _take_back(self, ours: str) -> None:
        repository, theirs = self._repository, self._repository.parent_of(ours) or "0" * len(ours)
        git_locks.retrying(repository, partial(repository.branches.move, self._plan.head.branch, to=theirs, old=ours))


def _subject_and_op(text: str) -> tuple[str, str | None]:
    said = messages.parse(text)
    return said.subject, said.trailers.get(messages.OP)


def _commit_object(repository: Repository, tree: str, plan: CommitPlan) -> bytes:
    moment, zone = int(time.time()), time.strftime("%z")
    lines = [f"tree {tree}", *([f"parent {plan.stands_on}"] if plan.stands_on else [])]
    lines.append(f"author {plan.author.line(moment, zone)}")
    lines.append(f"committer {repository.settings.person().line(moment, zone)}")
    return ("\n".join(lines) + "\n\n" + plan.message).encode()


def _give(child: subprocess.Popen[bytes], text: bytes) -> bool:
    """Hand a child its last input; False where it did not take it whole, as when it has ended."""
    try:
        if child.stdin is None:
            return False
        child.stdin.write(text)
        child.stdin.flush()
    except (OSError, ValueError):
        return False
    _close(child)
    return True


def _close(child: subprocess.Popen[bytes]) -> None:
    stream, child.stdin = child.stdin, None
    with contextlib.suppress(OSError, ValueError):
        if stream is not None:
            stream.close()


def _scratch(root: Path) -> Path:
    folder = root / MACHINE_FOLDER / "tmp"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _listing(blobs: Mapping[str, str | None]) -> bytes:
    none = next((len(blob) for blob in blobs.values() if blob), 40) * "0"
    return b"".join(
        (f"0 {none}\t{path}\0" if blob is None else f"100644 {blob}\t{path}\0").encode() for path, blob in blobs.items()
    )


def _named(role: str, identity: Identity) -> dict[str, str]:
    return {f"GIT_{role}_NAME": identity.name, f"GIT_{role}_EMAIL": identity.email}


def _not_moved(root: Path, ran: git.Ran) -> BrainError:
    if git_locks.named_in(ran.err):
        return Locked(_("Another program has been holding the branch in Git for too long. Nothing was changed."))
    if any(words in ran.err for words in ("but expected", "already exists", "unable to resolve reference")):
        return _moved()
    return git.failure(root, ("update-ref",), ran)


def _moved() -> Conflict:
    return Conflict(_("The branch moved meanwhile. Nothing was changed."), next_step=_("Try again."))


def _emptied_by_hook() -> BrainError:
    return GitFailed(
        _("A Git hook of this repository took the lines out of the commit that say whose it is. Nothing was changed."),
        next_step=_("Let the hook keep the last lines of the message, those that begin with Cabecao-, then try again."),
    )


def _refused_by_hook(ran: git.Ran) -> BrainError:
    if ran.cut_short:
        return GitFailed(
            _(
                "A Git hook of this repository did not end within %(seconds)d seconds and was stopped. Nothing was "
                "changed."
            )
            % {"seconds": HOOK_SECONDS},
            next_step=_("Make the hook faster, or take it out, then try again."),
        )
    said = " ".join(f"{ran.err} {ran.text}".split())[:400] or _("it said nothing")
    return GitFailed(
        _("A Git hook of this repository refused the commit: %(said)s. Nothing was changed.") % {"said": said},
        next_step=_("Read the hook's words, mend what it asks for, or take the hook out, then try again."),
    )
