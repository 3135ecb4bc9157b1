"""Rules about facts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from brain.index.graph.facts import predicate_key
from brain.index.graph.whole import WholeNote
from brain.language import gettext as _
from brain.note import links
from brain.note.validity import Validity
from brain.services.linting.rule import Finding
from brain.services.linting.snapshot import Snapshot


def fact_contradiction(seen: Snapshot) -> Iterator[Finding]:
    """Find facts that hold today, of one subject and predicate, with different objects.

    Predicates that may hold several values don't contradict themselves, nor do periods that don't meet.
    """
    ends = _ends(seen)
    many = {predicate_key(one) for one in seen.many_valued}
    groups: dict[tuple[str, str], list[WholeNote]] = defaultdict(list)
    for note in seen.notes:
        if note.type != "fact" or not (note.subject and note.predicate and note.object):
            continue
        predicate = predicate_key(note.predicate)
        if predicate not in many and not note.is_replaced(seen.today) and note.validity(seen.today) is Validity.CURRENT:
            groups[_end(ends, note, "subject"), predicate].append(note)
    replaced = _replaced(seen)
    for group in groups.values():
        current = [note for note in group if note.path not in replaced]
        if len({_end(ends, note, "object") for note in current}) > 1:
            yield _contradiction(current)


def _contradiction(group: list[WholeNote]) -> Finding:
    first, *others = group
    values = ", ".join(dict.fromkeys(f"“{_shown(note.object or '')}”" for note in group))
    message = _("Facts that hold today give “%(subject)s” several values for %(predicate)s: %(values)s.") % {
        "subject": _shown(first.subject or ""),
        "predicate": first.predicate,
        "values": values,
    }
    fix = _(
        "Give the one that no longer holds a valid_until and a superseded_by; if the predicate may hold several "
        "values, declare it with many under predicates in .cabecao.json."
    )
    return Finding(first.path, message, fix, related=tuple(note.path for note in others))


def _ends(seen: Snapshot) -> dict[tuple[str, str], str]:
    """Return for each fact the notes that are its subject and object, by path."""
    return {
        (link.source.path, link.type): link.met.path
        for link in seen.whole.links
        if link.type in ("subject", "object") and link.met is not None and link.met.path != link.source.path
    }


def _end(ends: dict[tuple[str, str], str], note: WholeNote, kind: str) -> str:
    """Return what an end is compared by: the note that it is, else its text, which means one thing in one scope."""
    text = links.fold((note.subject if kind == "subject" else note.object) or "")
    return ends.get((note.path, kind)) or (f"{note.scope} {text}" if kind == "subject" else text)


def _replaced(seen: Snapshot) -> set[str]:
    """Return the notes of which another says that it supersedes them."""
    return {
        link.met.path
        for link in seen.whole.links
        if link.type == "supersedes" and link.met is not None and not link.source.archived
    }


def _shown(text: str) -> str:
    inner = text.strip()
    found = links.parts(inner[2:-2]) if inner.startswith("[[") and inner.endswith("]]") else None
    return found.label or found.target if found else inner
