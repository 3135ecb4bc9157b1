"""The queue: each request with its kind, who asks, since when, and until when."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from brain import clock
from brain.contracts.approvals import Waiting
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import moments, people

ON_HOME: Final = 3
_STEP: Final = 15  # seconds in which a deadline is told
_KINDS: Final[Mapping[str, tuple[str, str, str]]] = {
    "control": (N_("Control file"), "file-text", "warn"),
    "outside": (N_("Outside material"), "book-open", "warn"),
    "trust": (N_("Trust"), "shield-check", "accent"),
    "archive": (N_("Archive"), "archive", "accent"),
    "undo": (N_("Undo"), "undo-2", "accent"),
    "note": (N_("Note"), "file-text", "accent"),
}
_TITLES: Final[Mapping[str, str]] = {
    "trust": N_("Mark “%(title)s” as high trust"),
    "archive": N_("Archive “%(title)s”"),
    "undo": N_("Undo what was done to “%(title)s”"),
}


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
    deadline_moves: bool
    moved: bool
    is_current: bool


@dataclass(frozen=True)
class Queue:
    """What waits, the newest first, and what nobody waits for any more."""

    open: tuple[QueueItem, ...]
    expired: tuple[QueueItem, ...]

    @property
    def first(self) -> tuple[QueueItem, ...]:
        """The few that home shows."""
        return self.open[:ON_HOME]


def of(found: Iterable[Waiting], *, current: str = "") -> Queue:
    """Return the queue; `current` is the request that is open beside it."""
    every = list(found)
    return Queue(
        tuple(item(one, current=current) for one in every if not one.expired),
        tuple(item(one, current=current) for one in every if one.expired),
    )


def following(shown: Queue, identity: str) -> str:
    """Return the address of the request to look at after one, that of the queue where there is none."""
    others = [one for one in shown.open if one.id != identity]
    older = [one for one in others if one.id < identity]
    return next((one.href for one in (*older, *others)), "/approvals")


def item(one: Waiting, *, current: str = "") -> QueueItem:
    """Return one request."""
    return QueueItem(
        id=one.id,
        href=f"/approvals/{one.id}",
        title=title(one),
        kind=kind(one),
        who=people.client_name(one.client),
        at=moments.moment(one.created_at),
        deadline=deadline(one),
        deadline_moves=one.until is not None and not one.expired,
        moved=one.moved,
        is_current=one.id == current,
    )


def title(one: Waiting) -> str:
    """Return what is asked for in a few words."""
    if one.about == "control":
        return _("Change %(path)s") % {"path": one.paths[-1]}
    return _(_TITLES[one.about]) % {"title": one.title} if one.about in _TITLES else one.title


def kind(one: Waiting) -> Badge:
    """Return the badge of what a request is about."""
    if one.about not in _KINDS:
        return badges.of_type(one.about)
    label, icon, tint = _KINDS[one.about]
    return Badge(_(label), icon, tint)


def deadline(one: Waiting, *, now: Callable[[], datetime] = clock.now) -> str:
    """Return how long a request waits yet, in steps of a quarter of a minute."""
    if one.until is None:
        return _("no deadline")
    until = moments.moment(one.until)
    left = int((until - now()).total_seconds()) if until is not None else 0
    if one.expired or left <= 0:
        return _("expired")
    left = -(-left // _STEP) * _STEP
    return _("expires in %(minutes)d:%(seconds)02d") % {"minutes": left // 60, "seconds": left % 60}
