"""Rules about files that stand in each other's way."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from brain.guard import paths
from brain.language import gettext as _
from brain.services.linting.rule import Finding
from brain.services.linting.snapshot import Snapshot
from brain.store import tree


def unreadable_file(seen: Snapshot) -> Iterator[Finding]:
    """Find folders that cannot be listed, notes that cannot be opened, and names that are not UTF-8."""
    rights = _("Check the permissions, or restore it from Git; nothing of it is taken for deleted.")
    for folder in seen.survey.unlisted:
        yield Finding(f"{folder or '.'}/", _("The folder cannot be read; what is in it is unknown."), rights)
    known = seen.whole.by_path
    for path in seen.survey.unopened:
        if path not in known or not known[path].is_invalid:  # that one has a finding of its own
            yield Finding(path, _("The file cannot be read."), rights)
    for path in seen.survey.unnameable:
        message = _("The name is not UTF-8: what is in it is neither shown nor searched.")
        fix = _("Give it a name in UTF-8, in a terminal or a file manager.")
        yield Finding(tree.shown(path), message, fix)


def conflict_copy(seen: Snapshot) -> Iterator[Finding]:
    """Find the copies that sync left of texts that changed on two machines."""
    for note in seen.present:
        if note.path in seen.copies:
            original, _machine = paths.copied(note.path)
            there = (original,) if original in seen.whole.by_path else ()
            message = _("The note changed on two machines; this is the other text.")
            fix = _("Settle it on the Conflicts page; its note is %(path)s.") % {"path": original}
            yield Finding(note.path, message, fix, related=there)


def case_twin(seen: Snapshot) -> Iterator[Finding]:
    """Find notes whose paths differ only in case or Unicode form: another system keeps one of them alone."""
    groups: dict[str, list[str]] = defaultdict(list)
    for note in seen.all_notes:
        groups[unicodedata.normalize("NFC", note.path).casefold()].append(note.path)
    for first, *others in groups.values():
        if others:
            message = _("Only case or accents' form tells it from %(path)s; on other systems one of them is lost.") % {
                "path": others[0]
            }
            yield Finding(first, message, _("Rename one of them, or bring both into one."), related=tuple(others))


def duplicate_id(seen: Snapshot) -> Iterator[Finding]:
    """Find notes that carry the id of another, as after a file was copied."""
    owners = {note.id: note.path for note in seen.all_notes if note.id}
    for note in seen.all_notes:
        owner = owners.get(note.written_id or "") if note.id is None and note.path not in seen.copies else None
        if owner is not None:
            message = _("It carries the id of %(path)s, which had it first; this note counts as one without an id.") % {
                "path": owner
            }
            fix = _("Take the line `id` out of the copy; a write through Cabeção gives it one of its own.")
            yield Finding(note.path, message, fix, related=(owner,))
