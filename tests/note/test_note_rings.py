from datetime import date

import pytest

from brain.note.document import parse
from brain.note.fields import read
from brain.note.rings import ring

ON = date(2026, 5, 3)


def ring_of(block, path="memory/gotchas/a.md", *, resident=False):
    return ring(read(parse(f"---\n{block}\n---\n".encode()), path), path, resident=resident, on=ON)


@pytest.mark.parametrize(
    ("block", "path", "expected"),
    [
        ("type: rule\norigin: human", "memory/rules/a.md", 0),
        ("type: rule\norigin: agent:x\napproved_by: user", "memory/rules/a.md", 0),
        ("type: rule\norigin: agent:x", "memory/rules/a.md", 2),
        ("type: preference\napproved_by: user", "memory/preferences/a.md", 1),
        ("type: preference\norigin: human", "memory/preferences/a.md", 2),
        ("type: gotcha", "memory/gotchas/a.md", 2),
        ("type: focus", "memory/focus/a.md", 2),
        ("type: handoff\nexpires_at: 2026-05-03", "memory/handoffs/a.md", 2),
        ("type: handoff\nexpires_at: 2026-05-02", "memory/handoffs/a.md", 3),
        ("type: episode", "memory/episodes/2026/01/a.md", 3),
        ("type: source", "wiki/sources/a.md", 4),
        ("type: concept", "raw/articles/a.md", 4),
        ("type: gotcha\ntrust: low", "memory/gotchas/a.md", 4),
        ("type: rule\norigin: human\ntrust: low", "memory/rules/a.md", 4),
        ("type: concept\norigin: ingest:revista", "wiki/concepts/a.md", 4),
        ("type: poema", "wiki/a.md", 2),
        ("a: b", "wiki/a.md", 2),
    ],
)
def test_a_ring_follows_from_type_validity_and_origin(block, path, expected):
    assert ring_of(block, path) == expected


def test_an_attested_preference_is_resident():
    assert ring_of("type: preference\norigin: human", resident=True) == 1


def test_a_ring_in_the_frontmatter_lowers_trust_freely():
    assert ring_of("type: gotcha\nring: 3") == 3
    assert ring_of("type: rule\norigin: human\nring: 1") == 1


def test_only_an_attested_text_is_lifted_to_a_resident_ring():
    assert ring_of("type: concept\nring: 1") == 2
    assert ring_of("type: concept\nring: 0", resident=True) == 0
    assert ring_of("type: preference\napproved_by: user\nring: 0") == 1
