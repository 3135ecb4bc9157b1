"""Sync as its page shows it: the remote, where both sides stand, how the last one went, and what waits for a person."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from brain import config
from brain.jobs import workers
from brain.jobs.models import LIVE, Job
from brain.language import gettext as _
from brain.language import gettext_noop as N_
from brain.language import ngettext
from brain.services import workplace
from brain.services.editing import conflicts
from brain.services.syncing import record, standing
from brain.web import difference
from brain.web.badges import Badge
from brain.web.difference import Difference
from brain.web.viewmodels import moments
from brain.web.viewmodels.jobs import listing
from brain.web.viewmodels.jobs.listing import JobItem

_STATUSES: Final = {
    "ok": (N_("Done"), "circle-check", "ok"),
    "busy": (N_("Busy"), "clock", "chip"),
    "offline": (N_("Offline"), "clock", "chip"),
    "blocked": (N_("Waits for you"), "triangle-alert", "warn"),
    "error": (N_("Failed"), "circle-x", "bad"),
}
_TINTS: Final = {"ok": "ok", "busy": "info", "offline": "info", "blocked": "warn", "error": "bad"}
_MOST_ROWS: Final = 200


@dataclass(frozen=True)
class Last:
    """How the last sync went."""

    at: datetime | None
    ok_at: datetime | None
    state: Badge
    tint: str
    message: str
    next_step: str
    facts: tuple[str, ...]
    said: str
    secrets: tuple[str, ...]


@dataclass(frozen=True)
class SyncPage:
    """All of it; `remote` is empty where there is none, counts are None where this machine does not know them."""

    root: str
    remote: str
    branch: str
    ahead: int | None
    behind: int | None
    last: Last | None
    job: JobItem | None
    has_worker: bool
    conflicts: int
    settings: Difference | None
    settings_at: datetime | None
    has_residents: bool


def page() -> SyncPage:
    """Return how sync stands now."""
    there, told = standing.now(), record.last()
    settings = told.get("settings") or []
    job = Job.objects.filter(kind="sync", state__in=LIVE).order_by("-id").first()
    return SyncPage(
        root=str(workplace.root()),
        remote=there.url or "",
        branch=there.branch or "",
        ahead=there.ahead,
        behind=there.behind,
        last=_last(told) if told else None,
        job=listing.item(job) if job else None,
        has_worker=workers.alive(),
        conflicts=len(conflicts.pending()),
        settings=_settings(settings),
        settings_at=moments.moment(settings[2]) if len(settings) == 3 else None,
        has_residents=bool(told.get("residents")),
    )


def _last(told: dict[str, Any]) -> Last:
    word, icon, tint = _STATUSES.get(str(told.get("status")), _STATUSES["error"])
    status = str(told.get("status"))
    return Last(
        at=moments.moment(told.get("at")),
        ok_at=moments.moment(told.get("ok_at")),
        state=Badge(_(word), icon, tint),
        tint=_TINTS.get(status, "bad"),
        message=str(told.get("message") or ""),
        next_step=str(told.get("next_step") or "") if status != "ok" else "",
        facts=_facts(told),
        said=str(told.get("remote_error") or ""),
        secrets=tuple(_secret(one) for one in told.get("secrets") or ()),
    )


def _facts(told: dict[str, Any]) -> tuple[str, ...]:
    committed, pulled, pushed = (int(told.get(name) or 0) for name in ("committed", "pulled", "pushed"))
    clashes = len(told.get("conflicts") or ())
    said = (
        ngettext("%(count)d file of yours taken in", "%(count)d files of yours taken in", committed)
        % {"count": committed} if committed else "",
        ngettext("%d commit received", "%d commits received", pulled) % pulled if pulled else "",
        ngettext("%d commit sent", "%d commits sent", pushed) % pushed if pushed else "",
        ngettext("%(count)d note changed on both sides", "%(count)d notes changed on both sides", clashes)
        % {"count": clashes} if clashes else "",
    )  # fmt: skip
    return tuple(one for one in said if one)


def _secret(found: dict[str, Any]) -> str:
    said = _("%(file)s, line %(line)d, column %(column)d: %(rule)s")
    return said % {name: found.get(name) for name in ("file", "line", "column", "rule")}


def _settings(commits: list[str]) -> Difference | None:
    """Return what a sync changed in the settings, None where none did or Git no longer has it."""
    if len(commits) != 3:
        return None
    repository = workplace.repository()
    before, after = (repository.content(commit, config.FILE) or b"" for commit in commits[:2])
    old, new = (one.decode("utf-8", errors="replace") for one in (before, after))
    return difference.compare(old, new, most=_MOST_ROWS) if old != new else None
