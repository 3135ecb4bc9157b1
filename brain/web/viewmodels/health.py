"""How the brain is, in one line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from brain import operations as catalogue
from brain.caller import Caller
from brain.contracts.reads import StatusOutput
from brain.jobs import workers
from brain.language import gettext as _
from brain.language import ngettext


@dataclass(frozen=True)
class Health:
    """The state of the brain in one line."""

    is_well: bool
    sentence: str
    problems: tuple[str, ...]
    next_step: str
    has_worker: bool
    facts: tuple[str, ...]
    has_conflicts: bool


def of_brain(caller: Caller) -> Health:
    """Ask how the brain is, and whether a worker lives."""
    status = cast("StatusOutput", catalogue.dispatch("status", caller, {}))
    has_worker = workers.alive()
    return Health(
        is_well=status.healthy and has_worker,
        sentence=_sentence(status, has_worker=has_worker),
        problems=tuple(status.problems),
        next_step="" if status.healthy else status.next_step,
        has_worker=has_worker,
        facts=_facts(status),
        has_conflicts=bool(status.conflicts),
    )


def _sentence(status: StatusOutput, *, has_worker: bool) -> str:
    if status.problems:
        return status.problems[0]
    return _("All is well.") if has_worker else _("No worker is running: jobs wait until one starts.")


def _facts(status: StatusOutput) -> tuple[str, ...]:
    total, broken = status.notes.total, status.broken_links
    found = [
        ngettext("%(count)d note", "%(count)d notes", total) % {"count": total},
        ngettext("%(count)d broken link", "%(count)d broken links", broken) % {"count": broken} if broken else "",
        _("no remote") if not status.sync.remote_configured else "",
        ngettext("%(count)d conflict copy", "%(count)d conflict copies", len(status.conflicts))
        % {"count": len(status.conflicts)}
        if status.conflicts
        else "",
    ]
    return tuple(one for one in found if one)
