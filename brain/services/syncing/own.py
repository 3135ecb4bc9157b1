"""What this machine has to give: the person's edits, committed as theirs, and no secret among what goes out."""

from __future__ import annotations

from brain.contracts.syncing import SyncSecret
from brain.guard import paths, secrets
from brain.services import writing
from brain.services.syncing.told import Stopped
from brain.store import files, git, machine_folder, messages, outside
from brain.store.remote import histories
from brain.store.repository import Head, Repository


class Blocked(Exception):
    """Something that must not go into history, or out of this machine, was found: `secrets` says where."""

    def __init__(self, found: list[SyncSecret], *, is_committed: bool) -> None:
        super().__init__()
        self.secrets = found
        self.is_committed = is_committed


def taken_in(repo: Repository, head: Head, changed: list[str]) -> Head:
    """Commit what the person changed, as theirs, under the write lock; Blocked where it may hold a secret."""
    found = [one for path in changed for one in _secrets(path, files.read(repo.root, path))]
    for path, content in outside.staged(repo, head.commit, changed).items():
        found += _secrets(path, content)
    if found:
        raise Blocked(found, is_committed=False)
    return writing.take_in(repo, head, changed)


def deletions(repo: Repository, changed: list[str]) -> int:
    """Return how many notes among the changed files are gone."""
    return sum(1 for path in changed if paths.is_note(path) and not files.exists(repo.root, path))


def check_outgoing(repo: Repository, head: str, known: str | None) -> None:
    """Raise Blocked where a commit that the remote has not seen, and that no operation made, may hold a secret.

    Stopped where one holds the machine's own folder: its keys and records.
    """
    if head == known:
        return
    arguments = ["-c", "core.quotePath=false", "log", "--format=", "--raw", "--no-abbrev", "-z", "--no-renames",
                 "--root", "-m", "--invert-grep", f"--grep=^{messages.OP}: ", head]  # fmt: skip
    arguments += [f"^{known}"] if known else []
    seen: dict[str, str] = {}
    for path, leaf in histories.raw(git.run(repo.root, *arguments, "--", seconds=120.0).names()):
        if leaf is not None and machine_folder.holds(path):
            raise Stopped("machine_folder_here")
        if leaf is not None:
            seen.setdefault(leaf.oid, path)
    found = [one for oid, path in seen.items() for one in _secrets(path, repo.objects.blob(oid))]
    if found:
        raise Blocked(found, is_committed=True)


def _secrets(path: str, content: bytes | None) -> list[SyncSecret]:
    if not content or b"\0" in content[:8000]:
        return []
    text = content.decode("utf-8", errors="replace")
    found = secrets.scan(text, human=True)
    return [SyncSecret(file=path, line=one.line, column=one.column, rule=one.rule) for one in found]
