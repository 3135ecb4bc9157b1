"""handoff_save: from one session to the next, with the session's episode."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from brain import clock
from brain.caller import Caller
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.contracts.writes import HandoffSaveInput, HandoffSaveOutput, Placed
from brain.errors import InvalidNote
from brain.index import in_force, names, refresh
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.note import document, naming, schema
from brain.note.fields import without_markup
from brain.services import drafts, folders, judging, workplace, writing
from brain.services.drafts import Draft
from brain.services.writes.write_page import trace_notice
from brain.services.writing import Change, FileEdit
from brain.store import files

DAYS: Final = 30
_LONGEST_TITLE: Final = 120
# What at the start of a list item would open something else than text.
_OPENS: Final = re.compile(r"(?=[#>+*|<~`=-])|(\d{1,9})(?=[.)])")


@dataclass(frozen=True)
class _Plan:
    """What is written: the new notes, and the handoffs that stop being valid."""

    handoff: Placed
    episode: Placed | None
    before: Placed | None


def run(caller: Caller, given: HandoffSaveInput) -> HandoffSaveOutput:
    """Save the handoff and the episode in one commit; the scope's handoff before it stops being valid."""
    judging.refuse_secrets(caller, given.title or "", _("a name"))
    refresh.catch_up()
    built: list[_Plan] = []
    last_day = clock.today() + timedelta(days=DAYS)
    done = writing.commit(caller, lambda: _change(caller, given, last_day, built))
    plan = built[-1]
    traces = [notice for edit in done.change.edits if edit.before is not None for notice in trace_notice(edit)]
    said = _(
        "Saved; the next recall of the scope %(scope)s shows it until %(day)s. To do it anew, "
        "undo({ op: “%(op)s” }) and save again."
    )
    return HandoffSaveOutput(
        data_notice=_(DATA_NOTICE),
        op=done.op,
        commit=done.commit,
        handoff=plan.handoff,
        episode=plan.episode,
        supersedes=plan.before,
        expires_at=last_day.isoformat(),
        warnings=[*done.warnings, *traces],
        next_step=said % {"scope": given.scope, "day": last_day.isoformat(), "op": done.op},
    )


def _change(caller: Caller, given: HandoffSaveInput, last_day: date, built: list[_Plan]) -> Change:
    """Describe the change, and add what it writes to `built`."""
    today = clock.today()
    current = list(in_force.newest("handoff", on=today, scopes=(given.scope,)))
    path, handoff = _handoff(caller, given, last_day, [_link(row) for row in current])
    edits = [FileEdit(path, None, handoff.content)]
    lines = [f"add handoff: {handoff.fields.title}"]
    episode = None
    if given.done:
        place, draft = _episode(caller, given)
        episode = Placed(id=draft.fields.id, path=place)
        edits.append(FileEdit(place, None, draft.content))
        lines.append(f"add episode: {draft.fields.title}")
    warnings: list[Notice] = []
    for row in current:
        try:
            edits += _ended(caller, row, by=path, today=today)
        except InvalidNote as error:
            warnings.append(_still_current(row, error))
        else:
            lines.append(f"update handoff: {row.title}")
    before = Placed(id=current[0].id, path=current[0].path) if current else None
    built.append(_Plan(Placed(id=handoff.fields.id, path=path), episode, before))
    return Change("handoff_save", tuple(edits), tuple(lines), warnings=tuple(warnings))


def _handoff(caller: Caller, given: HandoffSaveInput, last_day: date, before: list[str]) -> tuple[str, Draft]:
    what = _first(given.next or given.done or ())
    fields = {
        "type": "handoff",
        "title": given.title or _short(_("Handoff: %(what)s") % {"what": what}),
        "scope": given.scope,
        "expires_at": last_day.isoformat(),
        "supersedes": before,
    }
    parts = (
        (_("Done"), given.done),
        (_("Left to do"), given.next),
        (_("Decisions"), given.decisions),
        (_("Gotchas"), given.gotchas),
    )
    path = _path(schema.TYPES["handoff"].folder, str(fields["title"]))
    return path, drafts.created(caller, path, fields, _body(parts))


def _episode(caller: Caller, given: HandoffSaveInput) -> tuple[str, Draft]:
    title = _short(_("Session: %(what)s") % {"what": _first(given.done or ())})
    fields = {"type": "episode", "title": title, "scope": given.scope}
    parts = ((_("Done"), given.done), (_("Decisions"), given.decisions), (_("Gotchas"), given.gotchas))
    path = _path(f"{schema.TYPES['episode'].folder}/{clock.today():%Y/%m}", title)
    return path, drafts.created(caller, path, fields, _body(parts))


def _ended(caller: Caller, row: NoteRow, *, by: str, today: date) -> list[FileEdit]:
    """Return the edit by which a handoff stops being valid and points to the one that takes its place."""
    raw = files.read(workplace.root(), row.path)
    if raw is None:
        return []
    ending = {"valid_until": today.isoformat(), "superseded_by": [f"[[{by.removesuffix('.md')}]]"]}
    draft = drafts.changed(caller, row.path, document.parse(raw), given=ending)
    return [FileEdit(row.path, raw, draft.content)]


def _still_current(row: NoteRow, error: InvalidNote) -> Notice:
    said = _("%(path)s cannot be changed and still counts as current: %(reason)s")
    return Notice(code="not_superseded", message=said % {"path": row.path, "reason": error.message})


def _link(row: NoteRow) -> str:
    return names.link(row.path) or f"[[{row.path.removesuffix('.md')}]]"


def _path(folder: str, title: str) -> str:
    folder, taken = folders.with_room(workplace.root(), folder)
    return f"{folder}/{naming.file_name(f'{clock.today().isoformat()} {title}', taken)}"


def _body(parts: Sequence[tuple[str, Sequence[str] | None]]) -> str:
    sections = [f"## {title}\n\n" + "".join(map(item_line, items)) for title, items in parts if items]
    return "\n".join(sections)


def item_line(text: str) -> str:
    """Return an item as one line of a list that opens nothing: no section, quotation, block of code or list."""
    return f"- {_OPENS.sub(_escaped, _plain(text), count=1) if _OPENS.match(_plain(text)) else _plain(text)}\n"


def _escaped(found: re.Match[str]) -> str:
    return f"{found[1] or ''}\\"


def _plain(text: str) -> str:
    """Return a text on one line, without signs that nobody sees."""
    visible = "".join(" " if unicodedata.category(sign) in {"Cc", "Zl", "Zp"} else sign for sign in text)
    return " ".join(visible.split())


def _first(items: Sequence[str]) -> str:
    return without_markup(_plain(items[0]))


def _short(title: str) -> str:
    return title if len(title) <= _LONGEST_TITLE else title[: _LONGEST_TITLE - 1].rsplit(" ", 1)[0] + "…"
