"""Rules about personal data."""

from __future__ import annotations

import json
from collections.abc import Iterator

from brain.guard import pii
from brain.index.graph import whole
from brain.language import gettext as _
from brain.services.linting.rule import Finding
from brain.services.linting.snapshot import Snapshot


def pii_found(seen: Snapshot) -> Iterator[Finding]:
    """Find personal data that a note's field `pii` does not declare."""
    for number, body in whole.bodies_with_data():
        note = seen.whole.notes.get(number)
        found = pii.scan(body) if note is not None and not note.archived and note.path not in seen.copies else []
        if note is None or not found:
            continue
        declared = set(json.loads(note.pii))
        others = {one.kind: one.line for one in found if one.kind not in declared}
        if others:
            kinds = ", ".join(sorted(others))
            message = _("It holds personal data: %(kinds)s.") % {"kinds": kinds}
            fix = _("Take it out, or declare it: pii: [%(kinds)s].") % {"kinds": kinds}
            yield Finding(note.path, message, fix, note.body_line + min(others.values()) - 1)
