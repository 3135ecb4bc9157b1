"""read: one note from its file, whole or one section of it, with its links both ways."""

from __future__ import annotations

from brain import clock
from brain.caller import Caller
from brain.contracts.reads import Backlink, HeadingItem, OutgoingLink, ReadInput, ReadOutput
from brain.contracts.shared import DATA_NOTICE
from brain.errors import NotFound
from brain.guard import paths
from brain.index import links, notes, refresh
from brain.language import gettext as _
from brain.note import document, fields, structure
from brain.note.document import Document
from brain.note.structure import Section
from brain.services import shown, views, workplace
from brain.store import files


def run(caller: Caller, given: ReadInput) -> ReadOutput:
    """Read the note as its file is now; NotFound for a note or section that does not exist."""
    freshness = refresh.catch_up()
    path = located(given)
    raw = files.read(workplace.root(), path)
    if raw is None:
        raise NotFound(_("There is no note at %(path)s.") % {"path": path})
    note = document.parse(raw)
    section = _section(note, given.section)
    shown.remember(caller, path, raw)
    content = note.body[section.start : section.end] if section else note.body.removeprefix("\n")
    kind = "section" if section else "full"
    known = fields.read(note, path)
    return ReadOutput(
        data_notice=_(DATA_NOTICE),
        note=views.of_fields(known, path, content, kind=kind, on=clock.today()),  # type: ignore[arg-type]
        frontmatter=note.frontmatter,
        frontmatter_error=note.error,
        section=" › ".join(section.path) if section else None,
        headings=_headings(note),
        archived=paths.is_archived(path),
        outgoing_links=_outgoing(path),
        backlinks=_backlinks(path),
        truncated=False,
        warnings=views.notices(freshness),
    )


def located(given: ReadInput) -> str:
    """Return the path of the note that is meant, by path or by id; a citation counts as an id."""
    if given.path:
        path = paths.inside_path(given.path)
        found = files.actual(workplace.root(), path)
        if found is None or not found.lower().endswith(".md"):
            raise NotFound(_("There is no note at %(path)s.") % {"path": given.path})
        return found
    wanted = (given.id or "").strip()
    row = notes.by_id(wanted)
    cited = notes.by_citation(wanted) if row is None else None
    row = cited[0] if cited else row
    if row is None:
        raise NotFound(_("There is no note with the id “%(id)s”.") % {"id": wanted[:60]})
    return row.path


def _section(note: Document, wanted: str | None) -> Section | None:
    if wanted is None:
        return None
    found = structure.section(note.body, wanted)
    if found is None:
        raise NotFound(
            _("The note has no section “%(section)s”.") % {"section": wanted[:80]},
            next_step=_("Read it without a section: `headings` lists those that it has."),
        )
    return found


def _headings(note: Document) -> list[HeadingItem]:
    found = structure.scan(note.body).headings
    above: list[structure.Heading] = []
    items = []
    for heading in found:
        above = [one for one in above if one.level < heading.level]
        items.append(
            HeadingItem(level=heading.level, text=heading.text, path=[*(one.text for one in above), heading.text])
        )
        above.append(heading)
    return items


def _outgoing(path: str) -> list[OutgoingLink]:
    return [
        OutgoingLink(
            origin=one.origin,
            type=one.type,
            target=one.target,
            path=one.path,
            title=one.title,
            note_type=one.note_type,
            broken=one.broken,
        )
        for one in links.outgoing(path)
    ]


def _backlinks(path: str) -> list[Backlink]:
    return [
        Backlink(
            origin=one.origin,
            type=one.type,
            path=one.path,
            title=one.title,
            note_type=one.note_type,
            archived=one.archived,
            line=one.line,
        )
        for one in links.backlinks(path)
    ]
