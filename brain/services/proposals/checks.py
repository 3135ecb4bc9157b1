"""What Cabeção looks at by itself before the person decides, so that they need not."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from django.db import DatabaseError
from pydantic import ValidationError

from brain.approval.models import Proposal
from brain.caller import Caller
from brain.contracts.approvals import Check
from brain.contracts.writes import RememberInput
from brain.errors import BrainError
from brain.guard import paths, secrets
from brain.index import notes
from brain.language import gettext as _
from brain.language import ngettext
from brain.note import document, fields, rings
from brain.services import shown
from brain.services.memories import comparing, finding, rivals

if TYPE_CHECKING:
    from brain.services.writing import Change, FileEdit

_LOOKED_AT: Final = 200
_NAMED: Final = 5
_AGAINST: Final = frozenset({comparing.NEGATION, comparing.OPPOSITE, comparing.NUMBER, comparing.SIGN})
_OF_A_FACT: Final = ("subject", "predicate", "object")


def read_outside(caller: Caller) -> str:
    """Return what came from outside among the notes that a caller was shown, as JSON; nothing where nobody can tell."""
    if not caller.connection:
        return ""
    try:
        found = [path for path in shown.latest(caller, _LOOKED_AT) if _is_from_outside(path)]
    except DatabaseError:
        return ""
    return json.dumps(found[:_NAMED], ensure_ascii=False)


def of(one: Proposal, change: Change, *, moved: bool) -> list[Check]:
    """Return the checks of a request; the last two only where they can be made."""
    checks = [_secret(change), _target(moved=moved)]
    if change.operation not in ("forget", "undo"):
        checks.append(_contradiction(change))
    if one.outside:
        checks.append(_outside(json.loads(one.outside)))
    return checks


def _is_from_outside(path: str) -> bool:
    if paths.is_raw(path):
        return True
    row = notes.by_path(path)
    return row is not None and row.ring >= rings.UNVERIFIED


def _secret(change: Change) -> Check:
    found = [edit.path for edit in change.edits if edit.after is not None and _holds_secret(edit)]
    said = _("There may be a secret in the text") if found else _("No secret in the text")
    return Check(code="secret", ok=not found, message=said, paths=found)


def _holds_secret(edit: FileEdit) -> bool:
    before = edit.before if edit.moved_from is None else edit.moved_from
    known = (before or b"").decode("utf-8", errors="replace")
    return bool(secrets.scan((edit.after or b"").decode("utf-8", errors="replace"), human=False, known=known))


def _target(*, moved: bool) -> Check:
    said = _("The target changed since it was asked") if moved else _("The target has not changed since")
    return Check(code="target", ok=not moved, message=said, paths=[])


def _contradiction(change: Change) -> Check:
    try:
        found = {row.path: row.title for edit in change.edits for row in _against(edit)}
    except (DatabaseError, BrainError):
        found = {}
    titles = ", ".join(f"“{title}”" for title in list(found.values())[:_NAMED])
    said = _("It may contradict %(notes)s") % {"notes": titles} if found else _("No contradiction found")
    return Check(code="contradiction", ok=not found, message=said, paths=list(found))


def _against(edit: FileEdit) -> Iterator[notes.NoteRow]:
    """Yield the notes of the same type and scope that say otherwise than the new text."""
    given = _as_memory(edit)
    if given is None:
        return
    bearing = finding.found(given)
    fact = rivals.of(given)
    for one in bearing:
        if one.row.path != edit.path and one.compared.reason in _AGAINST:
            yield one.row
    yield from (one.row for one in (*fact.replaced, *fact.crossing) if one.row.path != edit.path)


def _as_memory(edit: FileEdit) -> RememberInput | None:
    """Return a note as if it were remembered anew, None where it is none that can be."""
    new = document.parse(edit.after) if edit.after is not None else None
    if new is None or new.error is not None or not new.body.strip():
        return None
    told = fields.read(new, edit.path)
    fact = {name: new.frontmatter.get(name) for name in _OF_A_FACT} if told.type == "fact" else {}
    given: dict[str, Any] = {"content": new.body.strip(), "type": told.type, "scope": told.scope, "title": told.title}
    try:
        return RememberInput.model_validate({**given, **fact})
    except ValidationError:
        return None


def _outside(found: list[str]) -> Check:
    said = (
        ngettext(
            "The session had read outside material before it asked: %(notes)s",
            "The session had read outside material before it asked: %(notes)s",
            len(found),
        )
        % {"notes": ", ".join(found)}
        if found
        else _("The session had read nothing from outside")
    )
    return Check(code="outside", ok=not found, message=said, paths=found)
