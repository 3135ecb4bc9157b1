"""What waits for the person, as the pages show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from brain.contracts.approvals import FileChange, Waiting
from brain.guard.spelling import visible
from brain.language import gettext as _
from brain.web import badges, difference
from brain.web.badges import Badge
from brain.web.difference import Difference
from brain.web.viewmodels import moments, people


@dataclass(frozen=True)
class QueueItem:
    """A request in the queue."""

    id: str
    href: str
    title: str
    kind: Badge
    who: str
    at: datetime | None
    deadline: str
    moved: bool


@dataclass(frozen=True)
class ChangeShown:
    """One file: its difference, or its whole new text where nothing less would do."""

    path: str
    diff: Difference
    name: str
    is_whole: bool


@dataclass(frozen=True)
class RequestShown:
    """A request with everything that it would write."""

    item: QueueItem
    claim: str
    session: str
    reasons: tuple[str, ...]
    is_rule: bool
    expired: bool
    digest: str
    changes: tuple[ChangeShown, ...]
    text: str | None

    @property
    def can_accept(self) -> bool:
        """Tell whether what is shown is what would be written."""
        return not self.item.moved and not self.expired


def queue(found: Iterable[Waiting]) -> tuple[QueueItem, ...]:
    """Return what waits, the newest first."""
    return tuple(map(_item, found))


def whole(one: Waiting) -> RequestShown:
    """Return a request to decide."""
    written = [change for change in one.changes if change.after is not None]
    return RequestShown(
        item=_item(one),
        claim=one.claim,
        session=one.session or "",
        reasons=tuple(one.reasons),
        is_rule=any(change.type == "rule" for change in one.changes),
        expired=one.expired,
        digest=one.digest,
        changes=tuple(_change(change, number) for number, change in enumerate(one.changes, start=1)),
        text=written[0].after if len(written) == 1 and one.operation != "undo" else None,
    )


def _item(one: Waiting) -> QueueItem:
    return QueueItem(
        id=one.id,
        href=f"/approvals/{one.id}",
        title=one.title,
        kind=_kind(one),
        who=people.client_name(one.client),
        at=moments.moment(one.created_at),
        deadline=_deadline(one),
        moved=one.moved,
    )


def _kind(one: Waiting) -> Badge:
    path = one.paths[-1]
    if any(found.startswith("memory/rules/") for found in one.paths):
        return badges.of_type("rule")
    if one.operation == "forget":
        return Badge(_("Archive"), "archive")
    if one.operation == "undo":
        return Badge(_("Undo"), "undo-2")
    return Badge(_("Note"), "file-text") if path.count("/") else Badge(_("Control file"), "file-text", "warn")


def _deadline(one: Waiting) -> str:
    if one.until is None:
        return _("no deadline")
    until = moments.moment(one.until)
    if one.expired or until is None:
        return _("expired")
    return _("until %(time)s") % {"time": until.astimezone().strftime("%H:%M:%S")}


def _change(change: FileChange, number: int) -> ChangeShown:
    before = "" if change.whole else visible(change.before or "")
    return ChangeShown(
        change.path, difference.compare(before, visible(change.after or "")), f"diff-{number}", change.whole
    )
