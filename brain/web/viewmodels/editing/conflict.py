"""Two texts of one note, the person's and the one that was saved meanwhile, and each place where they differ."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Final

from brain.errors import InvalidNote
from brain.language import gettext as _
from brain.note import document, fields, schema
from brain.note.document import Document
from brain.services import shown, workplace
from brain.services.editing import merging
from brain.services.editing.merging import Stretch
from brain.store import history
from brain.web.viewmodels import addresses, versions

_MOST_VERSIONS: Final = 200
_CONTEXT: Final = 2


@dataclass(frozen=True)
class Place:
    """A stretch of the two texts; `folded` counts equal lines that are not shown."""

    number: int | None
    mine: str
    theirs: str
    pick: str
    folded: int = 0
    missing: bool = False


@dataclass(frozen=True)
class Conflict:
    """Everything that the person needs to decide."""

    title: str
    path: str
    href: str
    action: str
    edit: str
    mine: str
    theirs: str
    base_text: str | None
    base: str
    who: str
    places: tuple[Place, ...]
    count: int


def of_texts(
    raw: bytes, path: str, identity: str | None, *, mine: str, opened: str, picks: Mapping[int, str] | None = None
) -> Conflict:
    """Return the two texts side by side; `opened` is the digest of the version that the person began with."""
    note = document.parse(raw)
    theirs = _plain(note.text)
    base = _base(path, opened)
    began = None if base is None else _settled(base, note)
    found = merging.stretches(_settled(_plain(mine), note), theirs, began)
    return Conflict(
        title=fields.read(note, path).title,
        path=path,
        href=addresses.of_note(identity, path),
        action=addresses.of_note(identity, path) + "/resolve",
        edit=addresses.of_edit(identity, path),
        mine=_plain(mine),
        theirs=theirs,
        base_text=base,
        base=shown.digest(raw),
        who=_who(path),
        places=tuple(places_of(found, picks)),
        count=sum(one.number is not None for one in found),
    )


def picked(raw: bytes, mine: str, picks: Mapping[int, str]) -> str | None:
    """Return the text that the choices make, None while one is missing."""
    note = document.parse(raw)
    found = merging.stretches(_settled(_plain(mine), note), _plain(note.text))
    if any(one.number is not None and picks.get(one.number) not in merging.CHOICES for one in found):
        return None
    return merging.chosen(found, picks)


def _settled(mine: str, theirs: Document) -> str:
    """Return the person's text with Cabeção's own fields as they are in the other: nobody has to choose those."""
    note = document.parse(mine.encode())
    if note.error or theirs.error or not note.frontmatter:
        return mine
    owned = (key.name for key in schema.KEYS.values() if key.owner == "cabecao")
    changes = {
        name: theirs.frontmatter.get(name)
        for name in owned
        if note.frontmatter.get(name) != theirs.frontmatter.get(name)
    }
    try:
        return _plain(document.with_fields(note, changes).text) if changes else mine
    except InvalidNote:
        return mine


def places_of(found: list[Stretch], picks: Mapping[int, str] | None) -> list[Place]:
    """Return the stretches of two texts as the page shows them, long equal ones folded."""
    places = []
    for one in found:
        if one.number is not None:
            pick = one.suggested if picks is None else picks.get(one.number, "")
            missing = picks is not None and pick not in merging.CHOICES
            places.append(Place(one.number, "".join(one.mine), "".join(one.theirs), pick, missing=missing))
            continue
        is_first, is_last = one is found[0], one is found[-1]
        head, tail = (0 if is_first else _CONTEXT), (0 if is_last else _CONTEXT)
        hidden = len(one.mine) - head - tail
        if hidden <= 1:
            places.append(Place(None, "".join(one.mine), "", ""))
            continue
        before, after = "".join(one.mine[:head]), "".join(one.mine[len(one.mine) - tail :])
        places += [Place(None, before, "", "")] if before else []
        places.append(Place(None, "", "", "", folded=hidden))
        places += [Place(None, after, "", "")] if after else []
    return places


def _base(path: str, opened: str) -> str | None:
    """Return the text that the person began with, where Git has it."""
    repository = workplace.repository()
    for one in islice(history.commits(workplace.root(), path=path, limit=_MOST_VERSIONS), _MOST_VERSIONS):
        content = history.version(repository, one.commit, one.paths[0] if one.paths else path)
        if content is not None and shown.digest(content) == opened:
            return _plain(document.parse(content).text)
    return None


def _who(path: str) -> str:
    """Return who saved the other text, as far as it is recorded."""
    known = versions.of_note(path, limit=1)
    if known.is_edited or not known.items:
        return _("Another program")
    return known.items[0].who.name


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
