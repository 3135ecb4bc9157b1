"""Rules about what stands between the fences."""

from __future__ import annotations

import re
from collections.abc import Iterator

from brain.errors import BrainError
from brain.language import gettext as _
from brain.note import document, schema
from brain.note.document import Document
from brain.services.linting.rule import Finding
from brain.services.linting.snapshot import Snapshot


def invalid_frontmatter(seen: Snapshot) -> Iterator[Finding]:
    """Find notes whose frontmatter or text can't be read, and fields that break the schema."""
    for note in seen.present:
        if not note.is_invalid:
            continue
        try:
            raw = seen.read(note.path)
        except (BrainError, OSError):
            raw = None
        if raw is None:
            yield Finding(note.path, _("The file cannot be read."), _("Check its permissions, or restore it from Git."))
            continue
        yield from _of_file(seen, note.path, document.parse(raw))


def _of_file(seen: Snapshot, path: str, found: Document) -> Iterator[Finding]:
    if found.error is not None:
        fix = _("Correct the block between the two lines `---`; the note's text is searched all the same.")
        yield Finding(path, found.error, fix, found.error_line)
    if found.lossy:
        yield Finding(path, _("The file is not UTF-8 text."), _("Save it as UTF-8 in an editor."))
    for problem in schema.problems(found.frontmatter, relation_types=seen.relation_types):
        fix = _("Correct or remove the field “%(field)s”.") % {"field": problem.field}
        yield Finding(path, problem.message, fix, _line_of(found, problem.field))


def _line_of(found: Document, field: str) -> int | None:
    key = re.compile(rf"[\"']?{re.escape(field)}[\"']?\s*:")
    return next((number for number, line in enumerate(found.head.splitlines(), 1) if key.match(line)), None)
