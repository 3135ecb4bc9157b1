"""The notes that link to a note, each with the sentence that does."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from brain.index import links as link_rows
from brain.index import listing
from brain.note import links
from brain.note.fields import Fields
from brain.services import workplace
from brain.store import files
from brain.web.viewmodels import addresses, marking
from brain.web.viewmodels.marking import Stretch
from brain.web.viewmodels.note import relations

_MOST: Final = 20


@dataclass(frozen=True)
class BacklinkItem:
    """A note that links here: its sentence, or the relation where only its frontmatter does."""

    title: str
    href: str
    sentence: tuple[Stretch, ...]
    relation: str


@dataclass(frozen=True)
class Backlinks:
    """The first of them, and how many notes link in all."""

    items: tuple[BacklinkItem, ...]
    count: int

    @property
    def more(self) -> int:
        """Return how many are not shown."""
        return self.count - len(self.items)


def of_note(path: str, note: Fields) -> Backlinks:
    """Return the notes that link to a note."""
    found = [(one.path, one.line if one.origin == "body" else None, one.type) for one in link_rows.backlinks(path)]
    keys = frozenset(key for key, _kind in links.names(path, note)) | ({links.fold(note.id)} if note.id else set())
    return _shown(found, keys)


def of_missing(title: str) -> Backlinks:
    """Return the notes that link to a note which does not exist."""
    key = links.target_key(title)
    return _shown([(path, line, "") for path, line in listing.links_to_key(key)], frozenset({key}))


def _shown(found: Iterable[tuple[str, int | None, str]], keys: frozenset[str]) -> Backlinks:
    """Show each note once; a link in its text comes before one in its frontmatter."""
    chosen: dict[str, tuple[int | None, str]] = {}
    for path, line, kind in found:
        if path not in chosen or (chosen[path][0] is None and line is not None):
            chosen[path] = (line, kind)
    paths = list(chosen)[:_MOST]
    plates = listing.nameplates(paths)
    items = tuple(
        BacklinkItem(
            title=plates[path].title,
            href=addresses.of_note(plates[path].id, path),
            sentence=_sentence(path, chosen[path][0], keys),
            relation="" if chosen[path][0] else relations.label(chosen[path][1]),
        )
        for path in paths
        if path in plates
    )
    return Backlinks(items, len(chosen))


def _sentence(path: str, line: int | None, keys: frozenset[str]) -> tuple[Stretch, ...]:
    raw = files.read(workplace.root(), path) if line else None
    if raw is None or line is None:
        return ()
    lines = raw.decode("utf-8", errors="replace").splitlines()
    return marking.sentence(lines[line - 1], keys) if line <= len(lines) else ()
