"""Whether any note has the scope that is asked for: one that none has is a slip, or a project that just begins."""

from __future__ import annotations

from difflib import get_close_matches

from brain.contracts.shared import Notice
from brain.index import notes
from brain.language import gettext as _


def missing(scope: str | None) -> str | None:
    """Say that no note has a scope, and which there are; None where one has it, or in a brain without notes."""
    if scope in (None, "global") or notes.has_scope(scope):
        return None
    known = notes.scopes()
    near = get_close_matches(scope, known, n=3, cutoff=0.4) or known[:3]
    said = _("No note has the scope “%(scope)s”; there are: %(known)s.")
    return said % {"scope": scope, "known": ", ".join(near)} if near else None


def notice(scope: str | None) -> Notice | None:
    """Return the same as a warning, for an answer that has global notes alone."""
    said = missing(scope)
    return Notice(code="unknown_scope", message=said, field="scope") if said else None
