"""The links that follow a note: to its new place, its new names and its new headings, in the same commit.

Every link that meant the note before means it afterwards; one that meant another note, and would now be caught by the
note's new name or place, goes on meaning that one. Outside material in raw/ stays as it came.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from brain import config
from brain.contracts.shared import Notice
from brain.errors import InvalidNote
from brain.guard import paths
from brain.index import links as link_rows
from brain.index import names
from brain.index.intake.extract import names_of
from brain.index.names import Candidate
from brain.language import gettext as _
from brain.note import document, fields, links, structure
from brain.note.document import Document
from brain.note.fields import Fields
from brain.note.links import Link
from brain.services.editing import attachments, renaming, written_names
from brain.services.writing import FileEdit
from brain.store import files


@dataclass(frozen=True)
class Naming:
    """A note at a moment: where it lies, and its fields."""

    path: str
    known: Fields


@dataclass
class Readdressing:
    """What becomes of links when a note that was `before` is `after`; `headings` are those renamed, by old anchor."""

    before: Naming
    after: Naming
    headings: Mapping[str, str] = field(default_factory=dict)
    _bearers: dict[str, list[Candidate]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._names = self._candidates(self.after)
        self._gone = {key for key, _kind in names_of(self.before.path, self.before.known)}

    @property
    def keys(self) -> set[str]:
        """Return the keys of the links that may have to follow."""
        if self.headings or self.before.path != self.after.path:
            return self._gone | set(self._names)
        return self._gone ^ set(self._names)

    def load(self, keys: Iterable[str]) -> None:
        """Look up who bears these names, all at once."""
        missing = sorted({key for key in keys if key} - self._bearers.keys())
        self._bearers |= {**{key: [] for key in missing}, **names.bearers(missing)}

    def meant(self, key: str, target: str, near: str) -> Candidate | None:
        """Return the note that a name meant before."""
        self.load([key])
        return names.best(self._bearers[key], target=target, near=near) if key else None

    def means(self, key: str, target: str, near: str) -> tuple[str | None, bool]:
        """Return the path that a name means afterwards, and whether no other note bears it."""
        self.load([key])
        found = [one for one in self._bearers.get(key, ()) if one.path != self.before.path] + self._names.get(key, [])
        best = names.best(found, target=target, near=near)
        return best.path if best else None, len({one.path for one in found}) == 1

    def new_target(self, key: str, target: str, near: tuple[str, str]) -> str | None:
        """Return what a link is to name instead; None where it goes on meaning what it meant.

        `near` is the path of the note that it stands in, before and after.
        """
        before = self.meant(key, target, near[0])
        if before is None:
            return None
        wanted = self.after.path if before.path == self.before.path else before.path
        if self.means(key, target, near[1])[0] == wanted:
            return None
        return self._name(wanted, before.kind, target, near[1])

    def new_heading(self, link: Link, key: str, near: str) -> str | None:
        """Return the heading that a link is to name instead, None where it stays."""
        if not link.heading or not self.headings:
            return None
        before = self.meant(key, link.target, near) if key else None
        path = before.path if before else near if not key else None
        return renaming.followed(link.heading, self.headings) if path == self.before.path else None

    def _candidates(self, one: Naming) -> dict[str, list[Candidate]]:
        found: dict[str, list[Candidate]] = {}
        for key, kind in names_of(one.path, one.known):
            bearer = Candidate(one.path, kind, paths.is_archived(one.path), one.known.title, one.known.type)
            found.setdefault(key, []).append(bearer)
        return found

    def _name(self, wanted: str, kind: str, target: str, near: str) -> str | None:
        """Return the name closest in kind to the one that was written, by which a link means the note at `wanted`."""
        whole = wanted.removesuffix(".md")
        stem = whole.rpartition("/")[2]
        titles = [self.after.known.title] if kind in ("title", "alias") and wanted == self.after.path else []
        tried = [whole] if kind in ("path", "end") else [*titles, stem, whole]
        for text in [*tried, self.after.known.id if wanted == self.after.path else None]:
            if not text or not written_names.fits(text):
                continue
            path, alone = self.means(links.target_key(text), text, near)
            if path == wanted and (alone or text == whole):
                return text + ".md" if text == whole and target.lower().endswith(".md") else text
        return None


def edits(change: Readdressing, root_edits: Iterable[str], left: list[Notice]) -> Iterator[FileEdit]:
    """Yield the edits of the notes that link here; those in `root_edits` are the caller's own business.

    What cannot follow is added to `left`.
    """
    own, root = set(root_edits), config.here().root
    keys = change.keys
    change.load(keys)
    for path in link_rows.sources(keys) if keys else ():
        raw = None if path in own or paths.is_raw(path) or paths.is_conflict_copy(path) else files.read(root, path)
        if raw is None:
            continue
        after = rewritten(change, document.parse(raw), (path, path), left)
        if after != raw:
            yield FileEdit(path, raw, after, follows=True)


def rewritten(change: Readdressing, note: Document, near: tuple[str, str], left: list[Notice]) -> bytes:
    """Return a note's file with its links as they are to be; `near` is its path before and after."""
    if note.lossy:
        left.append(_left_behind(near[0]))
        return note.raw
    body = _body(change, note.body, near)
    try:
        changed = document.with_fields(note, _fields(change, note, near)) if note.error is None else note
    except InvalidNote:
        left.append(_left_behind(near[0]))
        changed = note
    return document.with_body(changed, body) if body != note.body else changed.raw


def _left_behind(path: str) -> Notice:
    said = _("The links in %(path)s could not follow: its text or its fields cannot be rewritten safely.")
    return Notice(code="links_left", message=said % {"path": path})


def _body(change: Readdressing, body: str, near: tuple[str, str]) -> str:
    found = structure.scan(body).links
    change.load({_key(link, near[0]) for link in found} | {_key(link, near[1]) for link in found})
    for link in reversed(found):
        start = link.start + link.embed
        source = body[start : link.end]
        after = _markdown(change, link, source, near) if link.markdown else _wikilink(change, link, source, near)
        if after != source:
            body = body[:start] + after + body[link.end :]
    return attachments.moved(body, *near)


def _key(link: Link, within: str) -> str:
    return links.target_key(links.written_path(link, within=within)) if link.target else ""


def _wikilink(change: Readdressing, link: Link, source: str, near: tuple[str, str]) -> str:
    key = _key(link, near[0])
    heading = change.new_heading(link, key, near[0])
    source = links.with_heading(source, heading) if heading else source
    target = change.new_target(key, link.target, near) if key else None
    return links.retargeted(source, target) if target else source


def _markdown(change: Readdressing, link: Link, source: str, near: tuple[str, str]) -> str:
    key = _key(link, near[0])
    before = change.meant(key, link.target, near[0])
    heading = change.new_heading(link, key, near[0])
    if before is None:
        return source
    wanted = change.after.path if before.path == change.before.path else before.path
    moved = change.means(_key(link, near[1]), link.target, near[1])[0] != wanted
    if not moved and heading is None:
        return source
    written = link.heading or ""
    is_anchor = links.anchor(written) == written
    fragment = links.anchor(heading) if heading and is_anchor else heading or link.heading
    return links.with_destination(source, _address(link, wanted, near[1]) if moved else link.target, fragment)


def _address(link: Link, wanted: str, near: str) -> str:
    if link.target.startswith("/"):
        return f"/{wanted}"
    relative = posixpath.relpath(wanted, posixpath.dirname(near) or ".")
    return f"./{relative}" if link.target.startswith("./") and not relative.startswith("..") else relative


def _fields(change: Readdressing, note: Document, near: tuple[str, str]) -> dict[str, object]:
    """Return the keys of a block that name notes otherwise afterwards."""
    extra = config.here().config().relation_types
    known = {key: written_names.is_plain(key, extra) for key in note.frontmatter if written_names.may_link(key, extra)}

    def follow(name: str) -> str | None:
        return change.new_target(links.target_key(name), name, near)

    def reheaded(link: Link) -> str | None:
        return change.new_heading(link, links.target_key(link.target) if link.target else "", near[0])

    found = {
        key: written_names.rewritten(note.frontmatter[key], follow, reheaded, plain=plain)
        for key, plain in known.items()
    }
    return {key: value for key, value in found.items() if value != note.frontmatter[key]}


def naming(raw: bytes, path: str) -> Naming:
    """Return a note as its file says it is."""
    extra = config.here().config().relation_types
    return Naming(path, fields.read(document.parse(raw), path, relation_types=extra))
