"""Who wrote a note, who approved it, who changed it, as one sentence or two."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.utils.html import conditional_escape, escape, format_html
from django.utils.safestring import SafeString, mark_safe

from brain.language import gettext as _
from brain.note.fields import Fields
from brain.web.viewmodels import moments, people
from brain.web.viewmodels.people import Who

_OUTSIDE: Final = "ingest:"


@dataclass(frozen=True)
class Provenance:
    """The line above a note's text."""

    is_agent: bool
    text: SafeString


def of_note(note: Fields) -> Provenance:
    """Return what a note's own fields say of where it comes from."""
    author = people.of_origin(note.origin)
    sentences = [_written(note, author), _approved(note), _edited(note, author)]
    text = mark_safe(" ".join(one for one in sentences if one))  # noqa: S308 (each part is escaped below)
    return Provenance(bool(author and author.is_agent), text)


def is_outside(note: Fields) -> bool:
    """Tell whether a note is material from outside."""
    return (note.origin or "").startswith(_OUTSIDE)


def _written(note: Fields, author: Who | None) -> str:
    created = moments.moment(note.created)
    if is_outside(note):
        source = (note.origin or "").removeprefix(_OUTSIDE)
        return _said(_("It came from %(source)s%(when)s."), source=_strong(source), when=_on(created))
    if author is None:
        return _said(_("The file does not say who wrote it; it counts as yours."))
    if author.is_agent:
        return _said(_("%(who)s wrote it%(when)s."), who=_strong(author.name), when=_on(created))
    return _said(_("%(who)s wrote this%(when)s."), who=_strong(author.name), when=_on(created))


def _approved(note: Fields) -> str:
    if not note.approved_by:
        return ""
    approved, created = moments.moment(note.approved_at), moments.moment(note.created)
    who = _strong(_("You") if note.approved_by in ("user", "human") else note.approved_by)
    if approved and created and approved.astimezone().date() == created.astimezone().date():
        return _said(_("%(who)s approved it on the same day."), who=who)
    return _said(_("%(who)s approved it%(when)s."), who=who, when=_on(approved))


def _edited(note: Fields, author: Who | None) -> str:
    editor = people.of_origin(note.edited_by)
    if editor is None or editor == author:
        return ""
    return _said(
        _("%(who)s changed it, the last time%(when)s."),
        who=_strong(editor.name),
        when=_on(moments.moment(note.updated)),
    )


def _on(moment: datetime | None) -> str:
    if moment is None:
        return ""
    return _(" on %(day)s") % {"day": moments.long_day(moment.astimezone().date())}


def _strong(name: str) -> SafeString:
    return format_html("<strong>{}</strong>", name)


def _said(template: str, **values: str) -> str:
    return escape(template) % {name: conditional_escape(value) for name, value in values.items()}
