"""How well `remember` tells memories apart: no wrong merge, few needless questions; the figures stand in the docs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from memory_pairs import PAIRS

DOCS = Path(__file__).resolve().parents[2] / "docs" / "memories.md"
JOINED = {"skipped", "updated"}
LANGUAGES = {"pt": "Portuguese", "en": "English"}


@pytest.fixture
def decided(ready, agent):
    """What became of the second memory of each pair."""
    found = []
    for number, (language, kind, old, new) in enumerate(PAIRS):
        scope = f"project:par-{number}"
        assert agent("remember", content=old, type="gotcha", scope=scope).decision == "created"
        done = agent("remember", content=new, type="gotcha", scope=scope)
        found.append((language, kind, done.decision))
    return found


def row(language: str, found: list[tuple[str, str, str]]) -> str:
    """Return a row of the table in the docs."""
    mine = Counter((kind, decision) for one, kind, decision in found if one == language)
    right = mine["same", "skipped"] + mine["more", "updated"]
    joined = sum(count for (_kind, decision), count in mine.items() if decision in JOINED)
    wanted = sum(count for (kind, _decision), count in mine.items() if kind in ("same", "more"))
    asked = sum(
        count for (kind, decision), count in mine.items() if kind != "changed" and decision == "needs_resolution"
    )
    changed = sum(count for (kind, _decision), count in mine.items() if kind == "changed")
    caught = mine["changed", "needs_resolution"]
    return (
        f"| {LANGUAGES[language]} | {sum(mine.values())} | {right / joined:.0%} ({right} of {joined}) "
        f"| {right / wanted:.0%} ({right} of {wanted}) | {caught} of {changed} | {asked} |"
    )


def test_no_pair_is_joined_wrongly_and_the_docs_hold_the_figures(decided):
    assert [one for one in decided if one[1] in ("changed", "near") and one[2] in JOINED] == []
    assert [one for one in decided if one[1] == "near" and one[2] != "created"] == []
    written = DOCS.read_text(encoding="utf-8")
    for language in LANGUAGES:
        assert row(language, decided) in written, row(language, decided)
