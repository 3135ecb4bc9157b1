"""One request, with everything that it would write and all that helps to decide."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from brain.contracts.approvals import Check, FileChange, Waiting
from brain.errors import BrainError
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.web import difference
from brain.web.difference import Difference
from brain.web.viewmodels.approvals import queue
from brain.web.viewmodels.approvals.queue import QueueItem

_NEVER_EDITED: Final = frozenset({"archive", "undo"})
_QUOTES: Final = "“”\"'«» "
# What a request is about -> what its client wants, of what is new and of what is there.
_WANTS: Final[Mapping[str, tuple[str, str]]] = {
    "rule": (N_("wants a new rule."), N_("wants to change a rule.")),
    "preference": (N_("wants to note a preference of yours."), N_("wants to change a preference of yours.")),
    "control": (N_("wants to add a control file."), N_("wants to change a control file.")),
    "outside": (N_("wants to add outside material."), N_("wants to change outside material.")),
    "trust": (N_("wants to write a note with high trust."), N_("wants to raise the trust of a note.")),
    "archive": (N_("wants to archive a note."), N_("wants to archive a note.")),
    "undo": (N_("wants to undo an operation."), N_("wants to undo an operation.")),
    "note": (N_("wants to write a note."), N_("wants to change a note.")),
}


@dataclass(frozen=True)
class Callout:
    """What approving does, in one box: its tint, its icon and two sentences."""

    tint: str
    icon: str
    title: str
    text: str


_CALLOUTS: Final[Mapping[str, Callout]] = {
    "rule": Callout(
        "rule",
        "scale",
        N_("A rule becomes an instruction."),
        N_("If you approve it, every agent of this brain is given this text at the start of each task."),
    ),
    "preference": Callout(
        "rule",
        "heart",
        N_("A preference is given to agents as your word."),
        N_("If you approve it, every agent of this brain is told it at the start of each task."),
    ),
    "control": Callout(
        "warn",
        "file-text",
        N_("A control file is read as an instruction."),
        N_("AI clients, or Cabeção itself, act by this file from their next session on."),
    ),
    "outside": Callout(
        "warn",
        "book-open",
        N_("Outside material is kept as it came."),
        N_("If you approve this, what your notes cite no longer says what its source said."),
    ),
    "trust": Callout(
        "info",
        "shield-check",
        N_("High trust says that you checked it."),
        N_("If you approve it, agents take this note for certain."),
    ),
    "archive": Callout(
        "info",
        "archive",
        N_("The note leaves search and recall."),
        N_("Nothing is deleted: it stays in the archive and in Git, and undo brings it back."),
    ),
    "undo": Callout(
        "info", "undo-2", N_("What was done is taken back."), N_("The files return to what they held before it.")
    ),
    "note": Callout(
        "info",
        "file-text",
        N_("A note like any other."),
        N_("It waits because its client leaves it to you, or because this brain does not trust the client."),
    ),
}


@dataclass(frozen=True)
class ChangeShown:
    """One file: its difference, or its whole new text where nothing less would do."""

    path: str
    moved_to: str
    diff: Difference
    name: str
    is_whole: bool
    was_there: bool


@dataclass(frozen=True)
class RequestShown:
    """A request with everything that it would write."""

    item: QueueItem
    wants: str
    claim: str
    session: str
    reasons: tuple[str, ...]
    callout: Callout
    checks: tuple[Check, ...]
    expired: bool
    is_confirmation: bool
    approve: str
    digest: str
    changes: tuple[ChangeShown, ...]
    text: str | None

    @property
    def can_accept(self) -> bool:
        """Tell whether what is shown is what would be written."""
        return not self.item.moved and not self.expired

    @property
    def can_edit(self) -> bool:
        """Tell whether the person may write it in their own words."""
        return self.can_accept and self.text is not None


def of(one: Waiting) -> RequestShown:
    """Return a request to decide."""
    written = [change for change in one.changes if change.after is not None]
    return RequestShown(
        item=queue.item(one),
        wants=_(_WANTS[one.about][any(change.before is not None for change in one.changes)]),
        claim=one.claim.strip(_QUOTES),
        session=one.session or "",
        reasons=tuple(one.reasons),
        callout=_callout(one),
        checks=tuple(one.checks),
        expired=one.expired,
        is_confirmation=one.kind == "confirmation",
        approve=_("Approve rule") if one.about == "rule" else _("Approve"),
        digest=one.digest,
        changes=tuple(_change(change, number) for number, change in enumerate(one.changes, start=1)),
        text=written[0].after if len(written) == len(one.changes) == 1 and one.about not in _NEVER_EDITED else None,
    )


@dataclass(frozen=True)
class Standing:
    """What became of a request: what to say, whether it is still open, and a mark of what a page shows of it."""

    message: str
    next_step: str
    is_open: bool
    mark: str


_DECIDED: Final[Mapping[str, str]] = {
    "accepted": N_("This request was approved meanwhile, on another page or in a terminal."),
    "rejected": N_("This request was refused meanwhile, on another page or in a terminal."),
    "withdrawn": N_("Its client took this request back."),
    "confirmed": N_("You said yes to this in its client."),
    "decided": N_("This request was decided meanwhile, on another page or in a terminal."),
}


def standing(found: Waiting | BrainError) -> Standing:
    """Return how a request stands now."""
    if isinstance(found, BrainError):
        state = str(found.details.get("state", ""))
        if state in _DECIDED:
            return Standing(_(_DECIDED[state]), _("Nothing was changed by this page."), is_open=False, mark=state)
        return Standing(found.message, found.next_step, is_open=True, mark=found.code)
    mark = "-".join((found.digest[:16], "moved" if found.moved else "", "expired" if found.expired else ""))
    return Standing(
        _("This request is no longer as this page shows it."),
        _("Load it again and look at it once more before you decide."),
        is_open=True,
        mark=mark,
    )


def _callout(one: Waiting) -> Callout:
    about = "rule" if one.instructs and one.about in _NEVER_EDITED else one.about
    found = _CALLOUTS[about]
    title, text = _(found.title), _(found.text)
    if one.about == "archive" and any(change.type in ("rule", "preference") for change in one.changes):
        text = _("Agents are no longer given it. It stays in the archive and in Git, and undo brings it back.")
    return Callout(found.tint, found.icon, title, text)


def _change(change: FileChange, number: int) -> ChangeShown:
    before = "" if change.whole else change.before or ""
    compared = difference.compare(before, change.after or "")
    was_there = change.before is not None
    return ChangeShown(change.path, change.moved_to or "", compared, f"diff-{number}", change.whole, was_there)
