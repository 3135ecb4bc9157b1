"""The final text of a note: what the caller gave, and what only Cabeção fills in."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from brain import clock
from brain.caller import Caller
from brain.contracts.shared import Notice
from brain.errors import InvalidArgument, InvalidNote
from brain.guard import control_files
from brain.language import gettext as _
from brain.note import document, fields, schema
from brain.note.document import Document

_OPENING_SIGNS: Final = "\ufeff\u200b\u200c\u200d\u2060 \t\r\n"


@dataclass(frozen=True)
class Draft:
    """A note as it would be written, and what was left out of what was asked for."""

    content: bytes
    fields: fields.Fields
    changed: bool
    warnings: tuple[Notice, ...] = ()


def refuse_forged(content: str) -> None:
    """Refuse a text that starts with a byte order mark or with something that could be taken for frontmatter."""
    start = content.lstrip(_OPENING_SIGNS)
    if content.startswith("\ufeff") or start.split("\n", 1)[0].rstrip() == "---":
        raise InvalidArgument(
            _("The content starts with a byte order mark or a frontmatter block. Nothing was changed."),
            next_step=_("Give the body alone; fields go into the argument for them."),
        )


def created(caller: Caller, path: str, given: Mapping[str, Any], body: str) -> Draft:
    """Return a new note: the caller's fields, and Cabeção's own."""
    refuse_forged(body)
    if control_files.is_control(path):
        return _plain(path, given, body.encode(), body)
    kept, warnings = _without_owned(given)
    moment = clock.timestamp()
    own = {"id": clock.new_id(), "created": moment, "updated": moment, "origin": caller.origin}
    kept.setdefault("scope", "global")
    kept.setdefault("trust", "high" if caller.is_human else "medium")
    text = body if body.endswith("\n") or not body else body + "\n"
    whole = {key: value for key, value in {**kept, **own}.items() if value not in (None, "", [], {})}
    return _checked(path, document.new_note(whole, text), text, warnings, changed=True)


def outside(path: str, given: Mapping[str, Any], body: str, *, origin: str) -> Draft:
    """Return the note of outside material: trusted little, whoever brings it, and its text as it came."""
    moment = clock.timestamp()
    own = {"id": clock.new_id(), "created": moment, "updated": moment, "trust": "low", "origin": origin}
    whole = {key: value for key, value in {**given, **own}.items() if value not in (None, "", [], {}, False)}
    return _checked(path, document.new_note(whole, body), body, (), changed=True)


def changed(
    caller: Caller,
    path: str,
    before: Document,
    *,
    given: Mapping[str, Any] | None = None,
    body: str | None = None,
    exact: bool = False,
) -> Draft:
    """Return an existing note with other fields or another body; its block keeps its bytes but for what changes.

    `exact` makes the blank lines at the end of the body count too.
    """
    if before.error is not None:
        raise InvalidNote(
            _("The frontmatter of %(path)s cannot be read (%(reason)s). Nothing was changed.")
            % {"path": path, "reason": before.error},
            next_step=_("Ask the user to correct it, or look at it in the browser; lint shows the line."),
        )
    if control_files.is_control(path):
        text = before.body if body is None else body
        return _plain(path, given or {}, document.with_body(before, text), text, before=before)
    kept, warnings = _without_owned(given or {})
    differing = {key: value for key, value in kept.items() if before.frontmatter.get(key) != value}
    same_body = body is None or _is_same(_unix(body), _unix(before.body), exact=exact)
    if same_body and not differing:
        return Draft(before.raw, fields.read(before, path), changed=False, warnings=warnings)
    marked = document.with_fields(before, {**_marks(caller, before), **differing})
    text = before.body if same_body or body is None else body
    content = marked.raw if same_body else document.with_body(marked, text)
    return _checked(path, content, text, warnings, changed=True)


def _plain(path: str, given: Mapping[str, Any], content: bytes, body: str, *, before: Document | None = None) -> Draft:
    """Return a control file: plain text, to which Cabeção adds nothing."""
    if given:
        raise InvalidArgument(_("%(path)s is plain text and has no fields. Nothing was changed.") % {"path": path})
    return _checked(path, content, body, (), changed=before is None or content != before.raw)


def _marks(caller: Caller, before: Document) -> dict[str, Any]:
    """Return what Cabeção notes on a note it changes: an id where there is none, the moment, and an agent's trace."""
    known = before.frontmatter
    marks: dict[str, Any] = {} if known.get("id") else {"id": clock.new_id()}
    marks["updated"] = clock.timestamp()
    is_agents = str(known.get("origin") or "human").startswith("agent:")
    if not caller.is_human and not is_agents:
        marks["edited_by"] = caller.origin
    if not caller.is_human and (not is_agents or known.get("approved_by")):
        marks["trust"] = "low" if known.get("trust") == "low" else "medium"
        marks |= {"approved_by": None, "approved_at": None}
    return marks


def _without_owned(given: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    """Return the fields a caller may choose, and a notice for each it may not."""
    owned = [key for key in given if key in schema.KEYS and schema.KEYS[key].owner == "cabecao"]
    notices = tuple(
        Notice(
            code="field_ignored",
            field=key,
            message=_("“%(field)s” belongs to Cabeção and was ignored.") % {"field": key},
        )
        for key in owned
    )
    return {key: value for key, value in given.items() if key not in owned}, notices


def _checked(path: str, content: bytes, body: str, warnings: tuple[Notice, ...], *, changed: bool) -> Draft:
    """Read the final text again: it must say what was meant, no more."""
    again = document.parse(content)
    if again.error is not None or _unix(again.body).strip("\n") != _unix(body).strip("\n"):
        raise InvalidArgument(_("The text would be read as something else than a body. Nothing was changed."))
    return Draft(content, fields.read(again, path), changed, warnings)


def _is_same(body: str, before: str, *, exact: bool) -> bool:
    return body == before if exact else body.rstrip("\n") == before.rstrip("\n")


def _unix(text: str) -> str:
    return text.replace("\r\n", "\n")
