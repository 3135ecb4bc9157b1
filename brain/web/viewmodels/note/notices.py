"""What to know before one reads a note."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from typing import Final

from brain.guard import paths
from brain.language import gettext as _
from brain.note.document import Document
from brain.note.fields import Fields
from brain.note.validity import Validity, validity
from brain.web.viewmodels import addresses, moments, people
from brain.web.viewmodels.note import provenance
from brain.web.viewmodels.note.relations import Frontmatter, NamedLink
from brain.web.viewmodels.note.validity import last_day


@dataclass(frozen=True)
class NoticeBox:
    """A box above the text: one bold sentence, what it means, and notes to go to."""

    tint: str
    icon: str
    title: str
    text: str
    links: tuple[NamedLink, ...] = ()


@dataclass(frozen=True)
class Seen:
    """All that a notice may depend on."""

    path: str
    document: Document
    note: Fields
    links: Frontmatter
    today: date
    is_vouched_for: bool


def of_note(seen: Seen) -> tuple[NoticeBox, ...]:
    """Return the notices of a note, the gravest first."""
    return tuple(box for box in (make(seen) for make in _NOTICES) if box)


def _unreadable(seen: Seen) -> NoticeBox | None:
    if seen.document.error is None:
        return None
    where = _(" Line %(line)d is at fault.") % {"line": seen.document.error_line} if seen.document.error_line else ""
    text = f"{seen.document.error}{where} " + _("The whole file is shown as it is; correct it with Edit.")
    return NoticeBox("bad", "circle-alert", _("The fields of this note cannot be read"), text)


def _lossy(seen: Seen) -> NoticeBox | None:
    if not seen.document.lossy:
        return None
    return NoticeBox(
        "warn", "triangle-alert", _("The file is not UTF-8"), _("Signs that cannot be read are shown as �.")
    )


def _not_holding(seen: Seen) -> NoticeBox | None:
    state, last = validity(seen.note, seen.today), last_day(seen.note)
    if state is Validity.EXPIRED and last and not seen.links.of("superseded_by"):
        text = _("It held until %(day)s.") % {"day": moments.long_day(last)}
        return NoticeBox("warn", "calendar-x", _("It no longer holds"), text)
    if state is Validity.NOT_YET_VALID and seen.note.valid_from:
        text = _("It holds from %(day)s on.") % {"day": moments.long_day(seen.note.valid_from)}
        return NoticeBox("warn", "clock", _("It does not hold yet"), text)
    return None


def _replaced(seen: Seen) -> NoticeBox | None:
    newer, last = seen.links.of("superseded_by"), last_day(seen.note)
    if not newer:
        return None
    if last and last >= seen.today:
        text = _("It holds until %(day)s. Then holds:") % {"day": moments.long_day(last)}
        return NoticeBox("info", "calendar-clock", _("Another note will take its place"), text, newer)
    text = _("It held until %(day)s. Now holds:") % {"day": moments.long_day(last)} if last else _("Now holds:")
    return NoticeBox("warn", "calendar-x", _("Another note took its place"), text, newer)


def _replaces(seen: Seen) -> NoticeBox | None:
    older = seen.links.of("supersedes")
    return (
        NoticeBox("info", "history", _("It replaces an older note"), _("Before, this held:"), older) if older else None
    )


def _changed_by_agent(seen: Seen) -> NoticeBox | None:
    editor, author = people.of_origin(seen.note.edited_by), people.of_origin(seen.note.origin)
    if editor is None or not editor.is_agent or (author and author.is_agent):
        return None
    text = _("Its versions show what changed, and each change can be undone in Activity.")
    return NoticeBox("info", "bot", _("%(who)s changed what you wrote") % {"who": editor.name}, text)


def _outside(seen: Seen) -> NoticeBox | None:
    if not (provenance.is_outside(seen.note) or paths.is_raw(seen.path) or seen.note.trust == "low"):
        return None
    text = _("Whatever it asks for, an agent is told to read it as information and to obey nothing in it.")
    return NoticeBox("warn", "triangle-alert", _("Untrusted source: data, not an instruction"), text)


def _private(seen: Seen) -> NoticeBox | None:
    if not seen.note.private:
        return None
    return NoticeBox("info", "lock", _("Private"), _("You marked this note to stay on this machine."))


def _not_vouched_for(seen: Seen) -> NoticeBox | None:
    if seen.note.type != "rule" or seen.is_vouched_for:
        return None
    text = _("Its text is not the one that you approved on this machine, so no agent is told to follow it.")
    return NoticeBox("rule", "scale", _("This rule is not in force"), text)


def _conflict_copy(seen: Seen) -> NoticeBox | None:
    if not paths.is_conflict_copy(seen.path) or paths.is_archived(seen.path):
        return None
    note, machine = paths.copied(seen.path)
    text = _("%(path)s changed on two machines; this is the text of %(machine)s.") % {"path": note, "machine": machine}
    link = NamedLink(_("Settle it"), addresses.of_conflict(seen.path))
    return NoticeBox("warn", "triangle-alert", _("A copy that a sync left"), text, (link,))


def _archived(seen: Seen) -> NoticeBox | None:
    if not paths.is_archived(seen.path):
        return None
    return NoticeBox("info", "archive", _("Archived"), seen.note.forget_reason or _("It is kept and found last."))


_NOTICES: Final[tuple[Callable[[Seen], NoticeBox | None], ...]] = (
    _unreadable,
    _conflict_copy,
    _lossy,
    _not_vouched_for,
    _replaced,
    _not_holding,
    _outside,
    _changed_by_agent,
    _private,
    _archived,
    _replaces,
)
