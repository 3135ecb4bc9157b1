"""read: one note from its file, whole or one section of it, with its links both ways."""

from __future__ import annotations

from typing import Final, TypeVar

from brain import clock, config
from brain.caller import Caller
from brain.contracts.reads import Backlink, HeadingItem, OutgoingLink, ReadInput, ReadOutput
from brain.contracts.shared import DATA_NOTICE, Notice
from brain.errors import NotFound
from brain.guard import limits, paths
from brain.index import links, notes, refresh
from brain.language import gettext as _
from brain.note import document, fields, structure
from brain.note.document import Document
from brain.note.structure import Section
from brain.services import shown, views
from brain.store import files, tree

MOST_BYTES: Final = 20_000_000  # of a larger file the first part alone is read
KEPT_BYTES: Final = 2_000_000
MOST_ITEMS: Final = 1_000  # headings, or links one way

_Item = TypeVar("_Item", HeadingItem, OutgoingLink, Backlink)


def run(caller: Caller, given: ReadInput) -> ReadOutput:
    """Read the note as its file is now; NotFound for a note or section that does not exist."""
    freshness = refresh.catch_up()
    path = located(given)
    raw, version, cut = _content(path, given)
    note = document.parse(raw)
    section = _section(note, given.section)
    shown.remember_version(caller, path, version)
    content, shortened = _within(note.body[section.start : section.end] if section else _whole(note))
    headings, outgoing, backlinks = (_first(found) for found in (_headings(note), _outgoing(path), _backlinks(path)))
    truncated = cut or shortened or any(more for _items, more in (headings, outgoing, backlinks))
    return ReadOutput(
        data_notice=_(DATA_NOTICE),
        note=views.of_fields(
            fields.read(note, path), path, content, kind="section" if section else "full", on=clock.today()
        ),
        frontmatter=note.frontmatter,
        frontmatter_error=note.error,
        section=" › ".join(section.path) if section else None,
        headings=headings[0],
        archived=paths.is_archived(path),
        outgoing_links=outgoing[0],
        backlinks=backlinks[0],
        truncated=truncated,
        warnings=views.notices(freshness, _cut_notice(truncated), _lossy_notice(note)),
    )


def located(given: ReadInput) -> str:
    """Return the path of the note that is meant, by path or by id; a citation counts as an id."""
    if given.path:
        path = paths.inside_path(given.path)
        found = files.actual(config.here().root, path)
        if found is None or not found.lower().endswith(".md"):
            raise _no_note(given)
        return found
    wanted = (given.id or "").strip()
    row = notes.by_id(wanted)
    cited = notes.by_citation(wanted) if row is None else None
    row = cited[0] if cited else row
    if row is None:
        raise _no_note(given)
    return row.path


def _no_note(given: ReadInput) -> NotFound:
    if given.path:
        return NotFound(_("There is no note at %(path)s.") % {"path": given.path[:200]})
    return NotFound(_("There is no note with the id “%(id)s”.") % {"id": (given.id or "")[:60]})


def _content(path: str, given: ReadInput) -> tuple[bytes, str, bool]:
    """Return a file's bytes, the digest of all of it, and whether these are the first alone."""
    root = config.here().root
    entry = tree.entry(root, path)
    if entry is not None and entry.size > MOST_BYTES:
        found = tree.read(root, path, most=MOST_BYTES, keep=KEPT_BYTES)
        if found is not None:
            return found.raw[: found.raw.rfind(b"\n") + 1] or found.raw, found.digest, True
    raw = files.read(root, path)
    if raw is None:
        raise _no_note(given)
    return raw, shown.digest(raw), False


def _whole(note: Document) -> str:
    """Return a body without the blank line after the block."""
    return note.body.removeprefix("\r\n").removeprefix("\n") if note.head else note.body


def _within(content: str) -> tuple[str, bool]:
    """Return a text as long as a tool may write one, cut after a line where there is one, and whether it was cut."""
    most = limits.CONTENT_CHARACTERS
    if len(content) <= most:
        return content, False
    return content[: content.rfind("\n", 0, most) + 1] or content[:most], True


def _first(found: list[_Item]) -> tuple[list[_Item], bool]:
    return found[:MOST_ITEMS], len(found) > MOST_ITEMS


def _cut_notice(truncated: bool) -> Notice | None:  # noqa: FBT001
    if not truncated:
        return None
    said = _("The note is too large to be shown whole. Read it by sections, or search it for what is further down.")
    return Notice(code="cut", message=said, field="content")


def _lossy_notice(note: Document) -> Notice | None:
    if not note.lossy:
        return None
    said = _("The file is not UTF-8 text: what could not be read is shown as �, and Cabeção does not write to it.")
    return Notice(code="not_utf8", message=said, field="content")


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
