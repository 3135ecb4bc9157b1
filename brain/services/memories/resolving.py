"""The caller's answer to a question: which note is meant by `update:<id>` or `supersede:<id>`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from brain.contracts.writes import RememberInput
from brain.errors import InvalidArgument, NotFound
from brain.index import notes
from brain.index.notes import NoteRow
from brain.language import gettext as _

_PLAIN: Final = ("create", "skip")
_OF_A_NOTE: Final = ("update", "supersede")


@dataclass(frozen=True)
class Resolution:
    """What the caller decided, and the id or path of the note that it is about."""

    verb: str
    wanted: str = ""


def parse(text: str | None) -> Resolution | None:
    """Return what a resolution says, None where there is none; InvalidArgument for another form."""
    if text is None:
        return None
    verb, colon, wanted = text.partition(":")
    if (not colon and verb in _PLAIN) or (verb in _OF_A_NOTE and wanted.strip()):
        return Resolution(verb, wanted.strip())
    raise InvalidArgument(
        _("“resolution” must be one of: %(known)s. Nothing was changed.")
        % {"known": "create, skip, update:<id>, supersede:<id>"}
    )


def note(resolution: Resolution, given: RememberInput) -> NoteRow:
    """Return the note that is meant, by its id or path; it must be of the memory's type and scope."""
    row = notes.by_id(resolution.wanted) or notes.by_path(resolution.wanted)
    if row is None or row.archived:
        raise NotFound(
            _("There is no note “%(id)s”. Nothing was changed.") % {"id": resolution.wanted[:200]},
            next_step=_("Give the id or path of one of the candidates; call remember without resolution to see them."),
        )
    if (row.type, row.scope) != (given.type, given.scope):
        told = {"path": row.path, "type": row.type or _("note"), "scope": row.scope}
        raise InvalidArgument(
            _("%(path)s is of type %(type)s and scope %(scope)s, not of those given. Nothing was changed.") % told
        )
    return row
