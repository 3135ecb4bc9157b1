"""What a consolidation has to work on: episodes, notes that are alike, and findings of lint that it can mend."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from brain.caller import Caller
from brain.contracts.consolidating import DuplicatePair, Episode, Material, RepeatedEpisodes
from brain.contracts.graph import LintInput
from brain.index import notes
from brain.index.fulltext.nearest import nearest
from brain.index.notes import NoteRow
from brain.language import gettext as _
from brain.note.schema import TYPES
from brain.services.memories import comparing, finding, saying
from brain.services.memories.comparing import Verdict
from brain.services.reads import lint

STEPS: Final = 5  # of the start of a consolidation: the first and the last are not of the material
MOST_EPISODES: Final = 40
MOST_COMPARED: Final = 400
MOST_PAIRS: Final = 60
MOST_FINDINGS: Final = 60
_EXCERPT: Final = 400
_NEAREST: Final = 5
_ALIKE: Final = 0.6
# Never joined: a record of what was, an outside text, and what only a person says.
_KEPT_APART: Final = frozenset({"episode", "handoff", "focus", "source", "rule"})
_MENDABLE: Final = (
    "invalid_frontmatter",
    "fact_contradiction",
    "broken_link",
    "duplicate_id",
    "expired_note",
    "unlinked_mention",
    "orphan_note",
)


def gather(caller: Caller, scope: str | None) -> Material:
    """Return the material of a scope, None for all; what does not fit is counted."""
    caller.report(1, STEPS, _("Looking for episodes that repeat"))
    episodes = [row for row in notes.of_type("episode", scope=scope) if not row.archived]
    newest = sorted(episodes, key=lambda row: row.created or "", reverse=True)[:MOST_EPISODES]
    repeated = [RepeatedEpisodes(paths=paths) for paths in _groups(newest)]
    caller.report(2, STEPS, _("Comparing notes"))
    compared = _compared(scope)
    pairs = list(_pairs(compared[:MOST_COMPARED]))
    caller.report(3, STEPS, _("Looking for what can be mended"))
    found = lint.run(caller, LintInput(rules=list(_MENDABLE), scope=scope, limit=MOST_FINDINGS))
    left = len(episodes) - len(newest) + max(0, len(compared) - MOST_COMPARED) + max(0, len(pairs) - MOST_PAIRS)
    return Material(
        repeated_episodes=repeated,
        episodes=[_episode(row) for row in newest],
        duplicates=pairs[:MOST_PAIRS],
        lint=found.findings,
        left_out=left + found.total - len(found.findings),
    )


def _episode(row: NoteRow) -> Episode:
    text = " ".join(notes.body(row.note).split())
    excerpt = text if len(text) <= _EXCERPT else text[: _EXCERPT - 1] + "…"
    return Episode(id=row.id, path=row.path, title=row.title, scope=row.scope, created=row.created, excerpt=excerpt)


def _groups(rows: list[NoteRow]) -> Iterator[list[str]]:
    """Yield the paths of episodes that tell much the same, each episode once."""
    terms = {row.path: saying.rough_terms(notes.body(row.note)) for row in rows}
    left = list(terms)
    while left:
        first, *rest = left
        alike = [path for path in rest if comparing.are_alike(terms[first], terms[path], share=_ALIKE)]
        if alike:
            yield [first, *alike]
        left = [path for path in rest if path not in alike]


def _compared(scope: str | None) -> list[NoteRow]:
    rows = [
        row
        for kind in TYPES
        if kind not in _KEPT_APART
        for row in notes.of_type(kind, scope=scope)
        if not row.archived and finding.holds(row)
    ]
    return sorted(rows, key=lambda row: row.updated or row.created or "", reverse=True)


def _pairs(rows: list[NoteRow]) -> Iterator[DuplicatePair]:
    """Yield the pairs that the rule of remember would not keep apart without a word, each once."""
    seen: set[frozenset[str]] = set()
    for row in rows:
        body = notes.body(row.note)
        new = saying.said(body)
        for other, text in nearest(new.whole.words, note_type=row.type, scope=row.scope, limit=_NEAREST):
            pair = frozenset((row.path, other.path))
            if len(pair) < 2 or pair in seen or not finding.holds(other):
                continue
            seen.add(pair)
            compared = comparing.compare(new, saying.said(text), old_title=saying.said(other.title))
            if compared.verdict is not Verdict.OTHER:
                yield DuplicatePair(
                    first=row.path,
                    second=other.path,
                    type=row.type or "",
                    scope=row.scope,
                    similarity=compared.similarity,
                    reason=_(compared.reason),
                )
