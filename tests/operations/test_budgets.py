"""What an answer may take: however large a note's parts are, it stays inside the budget that was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brain.errors import InvalidArgument
from brain.guard import limits
from brain.note import document, tokens

PARTS: Final = ("rules", "preferences", "gotchas", "memories")
AROUND: Final = 2_000  # tokens of what stands around one note's text at the very most: names, provenance, sources
FOLDERS: Final = {"preference": "preferences", "gotcha": "gotchas", "decision": "decisions", "fact": "facts"}
# A quotation mark and a reverse solidus take two bytes in an answer, a rocket four.
SIGNS: Final = st.sampled_from(["a", "ç", '"', "\\", "🚀", "消息 ", "assunto comum "])


@dataclass(frozen=True)
class Note:
    """A note as it is written: its kind, and its parts, each of any size."""

    kind: str
    body: str
    frontmatter: dict[str, Any]


def some(draw: Any, *lengths: int) -> str:
    return str(draw(SIGNS) * draw(st.sampled_from(lengths)))


@st.composite
def notes(draw: Any) -> Note:
    """Draw a note that speaks of the same subject as all others."""
    kind = draw(st.sampled_from(sorted(FOLDERS)))
    heading = f"# {some(draw, 1, 30, 4_000)}\n\n" if draw(st.booleans()) else ""
    body = f"{heading}{some(draw, 0, 3, 200, 5_000)}\n\nAssunto comum, veja [[Hub]].\n\n{some(draw, 0, 500)}"
    given: dict[str, Any] = {}
    if draw(st.booleans()):
        given["title"] = f"T {some(draw, 1, 50, 4_000)}"
    if draw(st.booleans()):
        given["sources"] = [some(draw, 1, 9, 900)] * draw(st.sampled_from([1, 9, 40]))
    for key in ("id", "origin", "edited_by", "uses", "supersedes", "minha"):
        if draw(st.integers(0, 5)) == 0:
            given[key] = f"[[{some(draw, 1, 5_000)}]]"
    if kind == "fact":
        given |= {"subject": "[[Hub]]", "predicate": f"p {some(draw, 1, 3_000)}", "object": f"o {some(draw, 1, 4_000)}"}
    return Note(kind, body, given)


hostile = settings(
    max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
budgets = st.one_of(st.integers(50, 1_500), st.integers(50, 200_000))


def size(answer: Any) -> int:
    return tokens.count(answer.model_dump_json(by_alias=True))


@pytest.fixture
def written(ready):
    """Write notes in place of those that were there."""
    ready.note("wiki/Hub.md", "Centro.", type="concept")

    def write(found: list[Note]) -> None:
        for file in (ready.root / "memory").rglob("*.md"):
            file.unlink()
        for number, one in enumerate(found):
            ready.note(f"memory/{FOLDERS[one.kind]}/n{number}.md", one.body, type=one.kind, **one.frontmatter)

    return write


@hostile
@given(
    found=st.lists(notes(), min_size=1, max_size=7),
    budget=budgets,
    limit=st.integers(1, 100),
    query=st.sampled_from(["assunto comum", '"assunto comum"', "assunto xilindró", "comum " * 600]),
    explain=st.booleans(),
)
def test_a_search_stays_inside_its_budget_or_says_what_it_takes(written, person, found, budget, limit, query, explain):
    written(found)

    def ask(budget):
        return person("search", query=query, limit=limit, budget_tokens=budget, explain=explain)

    try:
        answer = ask(budget)
    except InvalidArgument as refused:
        needed = int(refused.next_step.split()[-1].rstrip("."))
        assert budget < needed <= AROUND + 2 * tokens.count(query)
        answer, budget = ask(needed), needed
    assert 0 < len(answer.hits) <= limit
    assert size(answer) <= budget


@hostile
@given(
    found=st.lists(notes(), min_size=1, max_size=7), budget=budgets, limit=st.integers(1, 200), depth=st.integers(1, 2)
)
def test_a_graph_stays_inside_its_budget_or_says_what_it_takes(written, agent, found, budget, limit, depth):
    written(found)

    def ask(budget):
        return agent("graph", node="Hub", limit=limit, budget_tokens=budget, depth=depth)

    try:
        answer = ask(budget)
    except InvalidArgument as refused:
        needed = int(refused.next_step.split()[-1].rstrip("."))
        assert budget < needed <= AROUND
        answer, budget = ask(needed), needed
    assert len(answer.neighbors) <= limit
    assert answer.omitted + len(answer.neighbors) == answer.total > 0
    assert size(answer) <= budget


@hostile
@given(found=st.lists(notes(), min_size=1, max_size=7), budget=budgets)
def test_a_briefing_spends_its_budget_on_text_and_what_is_around_it_is_bounded(written, agent, found, budget):
    written(found)
    answer = agent("recall", task="assunto comum", budget_tokens=budget)
    items = [one for part in PARTS for one in getattr(answer, part)]
    assert answer.used_tokens == sum(tokens.count(one.content) for one in items) <= budget
    assert all(size(one.model_copy(update={"content": ""})) <= AROUND for one in items)
    bare = answer.model_copy(update=dict.fromkeys(PARTS, []))
    assert size(bare) <= AROUND


def test_notes_without_text_do_not_fill_a_briefing(ready, agent):
    for number in range(300):
        ready.note(f"memory/preferences/p{number}.md", "a", type="preference")
    answer = agent("recall", task="assunto comum", budget_tokens=1_000)
    assert 0 < len(answer.preferences) <= 100
    assert answer.omitted == 300 - len(answer.preferences)


@hostile
@given(found=st.lists(notes(), min_size=1, max_size=7), limit=st.integers(1, 200))
def test_facts_and_a_note_have_bounds_of_their_own(ready, written, agent, found, limit):
    written(found)
    facts = [document.parse(file.read_bytes()) for file in (ready.root / "memory/facts").glob("n*.md")]
    assert len(facts) == sum(one.kind == "fact" for one in found)
    answer = agent("facts", limit=limit)
    assert len(answer.facts) <= limit
    assert answer.total == sum(one.error is None for one in facts)  # a block over 256 KB is not read
    assert all(size(one) <= 2 * AROUND for one in answer.facts)
    whole = agent("read", path=f"memory/{FOLDERS[found[0].kind]}/n0.md")
    assert len(whole.note.content) <= limits.CONTENT_CHARACTERS


def test_what_is_cut_short_among_others_is_whole_where_it_is_read(ready, agent):
    title, sources = "T" * 400, [f"[[{'s' * 90}{number}]]" for number in range(20)]
    ready.note("memory/gotchas/g.md", "Assunto comum.", type="gotcha", title=title, sources=sources, id="i" * 201)
    (hit,) = agent("search", query="assunto").hits
    assert (hit.title, hit.sources, hit.id) == ("T" * 300 + " …", [*sources[:8], "…"], None)
    note = agent("read", path=hit.path).note
    assert (note.title, note.sources) == (title, sources)
