"""What a sync says to a person: one sentence on how it went, and the next step where there is one to take."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.store.remote.address import Upstream


class Stopped(Exception):
    """A sync ends here: the reason, and what its sentences name."""

    def __init__(self, reason: str, **named: object) -> None:
        super().__init__(reason)
        self.reason = reason
        self.named = named


# Reason -> status, sentence, next step. {…} is filled in by `stopped`.
STOPS: Final[Mapping[str, tuple[str, str, str]]] = {
    "sync_running": (
        "busy",
        N_("Another sync of this brain is under way. Nothing was changed by this one."),
        N_("Wait until it has ended, then sync again."),
    ),
    "no_remote": (
        "error",
        N_("This brain has no remote: its notes are on this machine alone."),
        N_("Make an empty private repository, run `git remote add origin ADDRESS` in the brain's folder, sync again."),
    ),
    "unsafe_remote": (
        "error",
        N_("The address of the remote “%(remote)s” would run a program. It was not used."),
        N_("Set an https, ssh or file address with `git remote set-url`, then sync again."),
    ),
    "offline": (
        "offline",
        N_("The remote “%(remote)s” cannot be reached. What is written here is safe and goes out with the next sync."),
        N_("Go on working; sync again when the network is back."),
    ),
    "auth": (
        "error",
        N_("The remote “%(remote)s” does not let this machine in. Nothing was lost."),
        N_("Run `git fetch %(remote)s` in a terminal, sign in as it asks, then sync again."),
    ),
    "remote_missing": (
        "error",
        N_("At the address of the remote “%(remote)s” there is no repository. Nothing was lost."),
        N_("Compare the address with `git remote -v`, mend it with `git remote set-url`, then sync again."),
    ),
    "rejected": (
        "error",
        N_("The remote “%(remote)s” did not take what was sent. What was received is in the brain; nothing was lost."),
        N_("Read remote_error: it holds the remote's own words. Then sync again."),
    ),
    "git": (
        "error",
        N_("Git could not talk to the remote “%(remote)s”. Nothing was lost."),
        N_("Run `git fetch %(remote)s` in a terminal and read what it says."),
    ),
    "contended": (
        "busy",
        N_("Others kept sending to the remote, or a file kept changing, while this sync ran. Nothing was lost."),
        N_("Sync again in a moment."),
    ),
    "branch_missing": (
        "blocked",
        N_("The remote “%(remote)s” had the branch “%(branch)s” and has it no more. Nothing was changed."),
        N_("If it was deleted by mistake, run `git push %(remote)s HEAD:refs/heads/%(branch)s`, then sync again."),
    ),
    "force_pushed": (
        "blocked",
        N_(
            "The remote “%(remote)s” was rewritten: commits that were on its branch “%(branch)s” are gone from it. "
            "Nothing was changed here, and nothing was sent."
        ),
        N_(
            "To keep both, run `git fetch %(remote)s` and sync again: what was taken out there comes back. To look "
            "first: `git log HEAD..%(held)s`."
        ),
    ),
    "machine_folder_there": (
        "blocked",
        N_("The remote “%(remote)s” holds `.cabecao/`: the keys and records of another machine. Nothing was taken in."),
        N_(
            "In the clone that sent it run `git rm -r --cached .cabecao`, commit and push, then sync again. Whoever "
            "can read the remote may have seen those keys: delete `.cabecao/django.key` and `confirm.key` there."
        ),
    ),
    "machine_folder_here": (
        "blocked",
        N_("A commit that has not been sent holds `.cabecao/`: this machine's keys and records. Nothing was sent."),
        N_("Take it out of that commit (`git rebase -i`, then `git rm -r --cached .cabecao`), and sync again."),
    ),
    "unrelated": (
        "blocked",
        N_("The remote “%(remote)s” holds another history that never was this brain's. Nothing was changed."),
        N_(
            "Use an empty repository; or, to join the two, run `git merge --allow-unrelated-histories %(held)s`, then "
            "sync again."
        ),
    ),
    "shallow": (
        "blocked",
        N_("This copy lacks old history (a shallow clone), so the two sides cannot be compared. Nothing was changed."),
        N_("Run `git fetch --unshallow %(remote)s`, then sync again."),
    ),
    "mass_deletion_there": (
        "blocked",
        N_("The remote's newest commits delete %(count)d of %(total)d notes. Nothing was deleted here."),
        N_("If that is meant, run `cabecao sync --accept-deletions` in a terminal. To look first: `git log %(held)s`."),
    ),
    "mass_deletion_here": (
        "blocked",
        N_("%(count)d of %(total)d notes are gone from this folder. Nothing was committed or sent."),
        N_(
            "If that is meant, run `cabecao sync --accept-deletions` in a terminal; else bring them back with "
            "`git restore .`."
        ),
    ),
    "secret": (
        "blocked",
        N_("%(file)s, line %(line)d, may hold a secret (%(rule)s). Nothing was committed or sent."),
        N_(
            "Take it out of the file, or put cabecao:allow-secret on its line if it is none, then sync again. A real "
            "secret should be changed where it came from."
        ),
    ),
    "secret_committed": (
        "blocked",
        N_(
            "%(file)s, line %(line)d, may hold a secret (%(rule)s), in a commit that has not been sent. Nothing was "
            "sent."
        ),
        N_(
            "Take it out of the commit (`git rebase -i`), or put cabecao:allow-secret on its line in that commit if it "
            "is none, then sync again. A real secret should be changed where it came from."
        ),
    ),
}  # fmt: skip


def stop(reason: str, upstream: Upstream | None = None, **told: object) -> tuple[str, str, str]:
    """Return status, message and next step for a reason."""
    status, message, step = STOPS[reason]
    known: dict[str, object] = dict(told)
    if upstream is not None:
        known |= {"remote": upstream.remote, "branch": upstream.branch}
    return status, _(message) % known, _(step) % known
