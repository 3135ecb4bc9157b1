"""Rules about links: those that lead nowhere, those that might lead elsewhere, and those that are missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from brain.guard import paths
from brain.index import names
from brain.index.graph import mentions, whole
from brain.index.graph.whole import WholeLink, WholeNote
from brain.language import gettext as _
from brain.services.linting import mending
from brain.services.linting.rule import Finding
from brain.services.linting.snapshot import Snapshot

_MOST_NEAREST: Final = 2_000  # different names, each compared with hundreds of spellings


def broken_link(seen: Snapshot) -> Iterator[Finding]:
    """Find links to notes that don't exist, outside raw/; a nearest name is looked for while they are not too many."""
    asked: set[str] = set()
    for link in dict.fromkeys(seen.written_links):
        if link.promises and link.key and link.met is None:
            if len(asked) < _MOST_NEAREST:
                asked.add(link.key)
            message = _("There is no note “%(target)s”.") % {"target": link.target}
            is_asked = link.origin == "body" and link.line and link.key in asked
            near = mending.nearest(link.key, seen.squeezed_names) if is_asked else None
            if near is None:
                fix = _("Write the note, correct the name, or take the link away.")
                yield Finding(link.source.path, message, fix, link.line)
            else:
                target = near.removesuffix(".md")
                fix = _("Write [[%(target)s]] instead: no other name is like it.") % {"target": target}
                yield Finding(link.source.path, message, fix, link.line, (near,), mending.Mend(link.key, target))


def ambiguous_link(seen: Snapshot) -> Iterator[Finding]:
    """Find links by a name that several notes bear; the one that is meant comes first."""
    known: dict[tuple[str, str], bool] = {}
    for link in seen.written_links:
        if link.met is None or not link.key or known.setdefault((link.source.path, link.key), False):
            continue
        known[link.source.path, link.key] = True
        others = _rivals(seen, link, link.met)
        if others:
            message = _("“%(target)s” is the name of several notes; this link means %(path)s.") % {
                "target": link.target,
                "path": link.met.path,
            }
            fix = _("Write the path in the link, or give one of the notes another title.")
            yield Finding(link.source.path, message, fix, link.line, (link.met.path, *others))


def _rivals(seen: Snapshot, link: WholeLink, met: WholeNote) -> list[str]:
    """Return the other notes that the name may mean; a path or an id means one note only, and a source in raw/ none."""
    bearers = seen.whole.bearers.get(link.key, ())
    if len(bearers) < 2:
        return []
    present = [one for one in bearers if not one.archived and one.path not in seen.copies]
    present = [one for one in present if paths.is_raw(met.path) or not paths.is_raw(one.path)]
    if met.archived or any(one.path == met.path and one.kind in ("id", "path") for one in present):
        return []
    ordered = names.ranked(present, target=link.target, near=link.source.path)
    return list(dict.fromkeys(one.path for one in ordered if one.path != met.path))


def orphan_note(seen: Snapshot) -> Iterator[Finding]:
    """Find notes that no link leads to or from."""
    tied = {path for pair in seen.neighbours for path in pair}
    tied |= {one.source.path for one in seen.whole.links if one.promises and one.met is None}
    for note in seen.notes:
        if note.path not in tied:
            fix = _("Link it from a note where it belongs, or link from it to what it is about.")
            yield Finding(note.path, _("No link leads to this note or from it."), fix)


def unlinked_mention(seen: Snapshot) -> Iterator[Finding]:
    """Find names of other notes in the text of a note that does not link to them, outside raw/."""
    names_of = seen.whole.names_for_mentions()
    wanted: dict[int, list[str]] = defaultdict(list)
    for key, number in mentions.candidates(names_of):
        note = seen.whole.notes.get(number)
        if note is not None and _may_mention(seen, note):
            wanted[number].append(key)
    wanted = {number: kept for number, keys in wanted.items() if (kept := _unlinked(seen, number, keys))}
    numbers = sorted(wanted)
    for first in range(0, len(numbers), 400):
        some = numbers[first : first + 400]
        for number, body in whole.texts(some).items():
            yield from _mentions(seen, seen.whole.notes[number], mentions.Prose(body), wanted[number])


def _may_mention(seen: Snapshot, note: WholeNote) -> bool:
    return not note.archived and note.path not in seen.copies and not paths.is_raw(note.path)


def _unlinked(seen: Snapshot, number: int, keys: list[str]) -> list[str]:
    """Return the names that mean another note, one to which there is no link."""
    note = seen.whole.notes[number]
    return [key for key in keys if (met := _meant(seen, note, key)) and (note.path, met) not in seen.neighbours]


def _meant(seen: Snapshot, note: WholeNote, key: str) -> str | None:
    met = names.best(seen.whole.bearers.get(key, ()), target=key, near=note.path)
    if met is None or met.archived or met.path == note.path or met.path in seen.copies:
        return None
    return met.path


def _mentions(seen: Snapshot, note: WholeNote, prose: mentions.Prose, keys: list[str]) -> Iterator[Finding]:
    told: set[str] = set()
    for key in sorted(keys, key=lambda one: (-len(one), one)):
        met = _meant(seen, note, key)
        line = prose.line_of(key) if met is not None and met not in told else None
        if met is None or line is None:
            continue
        told.add(met)
        title = seen.whole.by_path[met].title
        message = _("It speaks of “%(title)s” without a link.") % {"title": title}
        fix = _("Write [[%(target)s]] where it is named first.") % {"target": met.removesuffix(".md")}
        mend = mending.Mend(key) if len({one.path for one in seen.whole.bearers[key]}) == 1 else None
        yield Finding(note.path, message, fix, note.body_line + line - 1, (met,), mend)
