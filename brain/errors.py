"""One tree of errors: each says what happened, and what to do next.

A surface maps a `BrainError` once, by its `code`: an MCP result, an HTTP status, an exit code, a message box.
Codes are those of the error table in the product's documentation (docs/errors.md); they never change.
"""

from __future__ import annotations

import errno
from typing import Any, ClassVar, Final

from brain.language import gettext as _
from brain.language import gettext_noop as N_

_NO_ROOM: Final = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
_REFUSALS: Final = {
    errno.EACCES: N_("permission denied"),
    errno.EPERM: N_("not permitted"),
    errno.ENOENT: N_("there is no such file or folder"),
    errno.EEXIST: N_("it is there already"),
    errno.EIO: N_("the disk could not be read or written"),
    errno.EROFS: N_("the disk is read-only"),
    errno.ENOSPC: N_("no room left on the disk"),
    errno.EDQUOT: N_("no room left on the disk"),
    errno.EMFILE: N_("too many files are open"),
    errno.ENFILE: N_("too many files are open"),
    errno.EAGAIN: N_("the system is too busy"),
    errno.ENOMEM: N_("not enough memory"),
    errno.EBUSY: N_("another program uses it"),
    errno.EADDRINUSE: N_("the port is in use"),
    errno.ENOTDIR: N_("it is not a folder"),
    errno.EISDIR: N_("it is a folder"),
    errno.ENAMETOOLONG: N_("the name is too long"),
}
_HELD_SQLITE: Final = ("SQLITE_BUSY", "SQLITE_LOCKED")
_DAMAGED_SQLITE: Final = ("SQLITE_CORRUPT", "SQLITE_NOTADB", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_READONLY",
                          "SQLITE_IOERR", "SQLITE_FORMAT", "SQLITE_PROTOCOL")  # fmt: skip
_NO_TABLE: Final = "no such table"  # of a file that was emptied, or that took another one's place
_NO_ROOM_SQLITE: Final = frozenset({"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"})


class BrainError(Exception):
    """Something was asked that could not be done; nothing was changed unless the message says otherwise."""

    code: ClassVar[str] = "internal_error"
    default_next_step: ClassVar[str] = N_("Check with status or read whether the operation happened, then try again.")

    def __init__(self, message: str, *, next_step: str | None = None, **details: Any) -> None:
        super().__init__(message)
        self.message = message
        self.next_step = next_step or _(self.default_next_step)
        self.details = details

    def as_dict(self) -> dict[str, Any]:
        """Return `{code, message, next_step}` and the details, as every surface shows it."""
        return {"code": self.code, "message": self.message, "next_step": self.next_step, **self.details}


# What is found before a write begins.
_BEFORE: Final = frozenset(
    {
        "not_found", "unsafe_path", "invalid_path", "invalid_argument", "invalid_note", "already_exists",
        "secret_detected", "rule_requires_human", "patch_not_found", "ambiguous_patch", "conflict",
        "nothing_to_undo", "already_undone", "human_only", "resident_cap_exceeded",
    }
)  # fmt: skip


def say_unchanged(error: BrainError) -> None:
    """Let what refused a write say that nothing was changed, where it does not say so."""
    told = _("Nothing was changed.")
    if error.code in _BEFORE and told not in error.message:
        error.message = f"{error.message} {told}"
        error.args = (error.message,)


class NotABrain(BrainError):
    """The folder has no .cabecao.json."""

    code = "not_a_brain"
    default_next_step = N_("Run `cabecao init FOLDER` to make it a brain, or name another one with --brain.")


class InvalidConfig(BrainError):
    """The .cabecao.json is broken, or of a newer schema."""

    code = "invalid_config"
    default_next_step = N_("Correct .cabecao.json by hand; `git log -p .cabecao.json` shows how it was before.")


class NotARepository(BrainError):
    """The brain's folder is not a Git repository of its own, or Git refuses to open it."""

    code = "not_a_repository"
    default_next_step = N_("Run `cabecao init FOLDER`: it makes the repository and keeps every file as it is.")


class NotFound(BrainError):
    """A note, section, operation or session that does not exist."""

    code = "not_found"
    default_next_step = N_("Look for it with search, or check how the name is written.")


class UnsafePath(BrainError):
    """A path that leaves the brain, or enters a folder that belongs to Git or to the machine."""

    code = "unsafe_path"
    default_next_step = N_("Use a path inside the brain, such as wiki/concepts/Name.md.")


class InvalidPath(BrainError):
    """A path inside the brain that cannot hold a note."""

    code = "invalid_path"
    default_next_step = N_("Use a path that ends in .md, such as wiki/concepts/Name.md.")


class InvalidArgument(BrainError):
    """An argument that is missing, or of the wrong form."""

    code = "invalid_argument"
    default_next_step = N_("Correct the argument and call again.")


class InvalidNote(BrainError):
    """The note would not pass the schema."""

    code = "invalid_note"
    default_next_step = N_("Correct the named field and call again.")


class AlreadyExists(BrainError):
    """A note is there already."""

    code = "already_exists"
    default_next_step = N_("Read it first; then append to it or overwrite it, or choose another path.")


class SecretDetected(BrainError):
    """The text looks as if it held a secret; the value is never repeated."""

    code = "secret_detected"
    default_next_step = N_(
        "Take the secret out and write where it is kept instead. If it is not one, a person can allow it."
    )


class RuleRequiresHuman(BrainError):
    """A rule from an agent, outside the confirmation flow."""

    code = "rule_requires_human"
    default_next_step = N_("Ask the user to write the rule in the browser or in an editor.")


class PatchNotFound(BrainError):
    """The passage to replace does not appear in the note."""

    code = "patch_not_found"
    default_next_step = N_("Read the note again and copy the passage exactly as it stands.")


class AmbiguousPatch(BrainError):
    """The passage to replace appears more than once."""

    code = "ambiguous_patch"
    default_next_step = N_("Give a longer passage, one that appears only once.")


class Conflict(BrainError):
    """The note changed meanwhile, or an undo does not apply cleanly."""

    code = "conflict"
    default_next_step = N_("Read the note again and decide with the new text; both versions are kept.")


class Locked(BrainError):
    """Another process held a lock for too long."""

    code = "locked"
    default_next_step = N_("Try again in a few seconds.")


class NothingToUndo(BrainError):
    """There is no operation to undo."""

    code = "nothing_to_undo"
    default_next_step = N_("Give the op that a write returned.")


class AlreadyUndone(BrainError):
    """The operation was undone before."""

    code = "already_undone"
    default_next_step = N_("To have it back, undo the undo.")


class HumanOnly(BrainError):
    """Only the person may do this, at the terminal or in the browser."""

    code = "human_only"
    default_next_step = N_("Ask the user to do it.")


class GitFailed(BrainError):
    """Git failed in a way that was not foreseen, or a hook refused."""

    code = "git_failed"
    default_next_step = N_("Read what Git said, mend it, then try again.")


class IndexFailed(BrainError):
    """The local database did not open."""

    code = "index_failed"
    default_next_step = N_("Run `cabecao doctor`; the index can be rebuilt with `cabecao reindex`.")


class DiskFull(BrainError):
    """There is no room left on the disk."""

    code = "disk_full"
    default_next_step = N_("Free some space and try again.")


def reason_of(error: BaseException) -> str:
    """Return in the reader's language why the system refused something; a rare reason by its name alone."""
    number = getattr(error, "errno", None)
    known = _REFUSALS.get(number) if number else None
    if known:
        return _(known)
    return errno.errorcode.get(number, type(error).__name__) if number else type(error).__name__


def of_machine(error: BaseException | None) -> DiskFull | None:
    """Return what a foreign error says of the machine: that the disk is full; None where it says something else.

    The causes of the error are looked at too. A database that only reads needs some room as well, for its side file.
    """
    while error is not None:
        full = getattr(error, "errno", None) in _NO_ROOM or getattr(error, "sqlite_errorname", None) in _NO_ROOM_SQLITE
        if full:
            return DiskFull(_("There is no room left on the disk. Nothing was changed."))
        error = error.__cause__ or error.__context__
    return None


def foreign(error: BaseException | None) -> BrainError | None:
    """Return what a foreign error means: a full disk, a database that is held or cannot be read; None for others.

    The causes of the error are looked at too. Which database it was, `cabecao doctor` finds out.
    """
    if (full := of_machine(error)) is not None:
        return full
    while error is not None:
        kind = str(getattr(error, "sqlite_errorname", None) or "")
        if kind.startswith(_HELD_SQLITE):
            return Locked(_("Another process has been holding a local database for too long. Nothing was changed."))
        if kind.startswith(_DAMAGED_SQLITE) or (kind and str(error).startswith(_NO_TABLE)):
            said = _("A local database in .cabecao is damaged or cannot be opened (%(kind)s). Nothing was changed.")
            return IndexFailed(
                said % {"kind": kind},
                next_step=_("Run `cabecao doctor` in a terminal: it names the file and what mends it."),
            )
        error = error.__cause__ or error.__context__
    return None


class RepositoryBusy(BrainError):
    """A merge, a rebase or a detached HEAD: the repository waits for its person."""

    code = "repository_busy"
    default_next_step = N_("Finish or abort it with Git, then try again.")


class ResidentCapExceeded(BrainError):
    """Rules and preferences together would grow over their cap."""

    code = "resident_cap_exceeded"
    default_next_step = N_("Shorten the text, or archive a rule that is no longer needed.")


class ConfirmationRequired(BrainError):
    """The action needs the user's explicit request."""

    code = "confirmation_required"
    default_next_step = N_("Show the summary to the user and ask.")

    def __init__(self, message: str, *, content: str = "", next_step: str | None = None, **details: Any) -> None:
        super().__init__(message, next_step=next_step, **details)
        self.content = content  # the digest by which a no is remembered; no surface shows it


class Rehearsed(Exception):
    """What an operation would write, as `change`, and why it needs the person, as `reasons`."""

    def __init__(self, change: Any, reasons: tuple[str, ...]) -> None:
        super().__init__()
        self.change = change
        self.reasons = reasons


class InternalError(BrainError):
    """An unexpected failure of the product itself."""

    code = "internal_error"
