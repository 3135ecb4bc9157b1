"""The texts that wait for the person's word."""

from __future__ import annotations

from dataclasses import dataclass

from brain.contracts.approvals import AttestOutput, Resident
from brain.language import gettext as _
from brain.web import badges
from brain.web.badges import Badge
from brain.web.viewmodels import addresses, people


@dataclass(frozen=True)
class WaitingText:
    """A rule or preference with its whole text; `mark` ties the yes to this very text."""

    title: str
    href: str
    path: str
    kind: Badge
    scope: str
    whose: str
    text: str
    mark: str


@dataclass(frozen=True)
class AttestPage:
    """Everything that waits."""

    texts: tuple[WaitingText, ...]
    warnings: tuple[str, ...]


def page(found: AttestOutput) -> AttestPage:
    """Return the page of what waits."""
    return AttestPage(tuple(map(_waiting, found.residents)), tuple(one.message for one in found.warnings))


def _waiting(one: Resident) -> WaitingText:
    return WaitingText(
        title=one.title,
        href=addresses.of_note(one.id, one.path),
        path=one.path,
        kind=badges.of_type(one.type),
        scope="" if one.scope == "global" else one.scope,
        whose=_whose(one),
        text=one.content,
        mark=f"{one.digest}:{one.path}",
    )


def _whose(one: Resident) -> str:
    """Say who is on record for the text; the record alone proves nothing."""
    editor, author = people.of_origin(one.edited_by), people.of_origin(one.origin)
    if editor is not None and editor.is_agent:
        return _("changed by %(client)s") % {"client": editor.name}
    if author is not None and author.is_agent:
        return _("written by %(client)s") % {"client": author.name}
    return _("says that you wrote it")
