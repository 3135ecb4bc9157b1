"""Notes and operations as the index lists them."""

from __future__ import annotations

from datetime import UTC, date, datetime

from brain.index import fulltext, notes, operations, refresh
from brain.index.fulltext import Query
from brain.index.notes import Filters
from brain.note import likeness
from brain.note.validity import Validity
from brain.store.history import OperationCommit


def test_a_row_says_what_the_frontmatter_says(brain):
    brain.note("memory/facts/f.md", "x", id="F1", type="fact", title="Fato", scope="project:atlas", tags=["a", "b"],
               valid_from="2026-01-02", valid_until="2026-02-03", superseded_by=["[[g]]"], private=True, subject="s",
               predicate="p", object="o", updated="2026-01-05")  # fmt: skip
    refresh.catch_up()
    row = notes.by_id("F1")
    assert (row.path, row.title, row.type, row.scope) == ("memory/facts/f.md", "Fato", "fact", "project:atlas")
    assert (row.tags, row.superseded, row.private, row.ring) == (("a", "b"), True, True, 2)
    assert (row.subject, row.predicate, row.object, row.updated) == ("s", "p", "o", "2026-01-05")
    assert row.validity(date(2026, 1, 1)) is Validity.NOT_YET_VALID
    assert row.validity(date(2026, 2, 2)) is Validity.CURRENT
    assert row.validity(date(2026, 2, 3)) is Validity.EXPIRED


def test_notes_are_counted_by_type(brain):
    brain.note("a.md", "x", type="gotcha", id="A")
    brain.note("b.md", "x", type="gotcha")
    brain.note("c.md", "x")
    brain.note("memory/_archive/d.md", "x", type="gotcha")
    refresh.catch_up()
    counts = notes.counts()
    assert counts == notes.Counts(total=4, by_type={"gotcha": 2}, untyped=1, archived=1, unmanaged=2)
    assert notes.count() == 4


def test_pages_go_on_where_the_last_one_ended(brain):
    for number in range(5):
        brain.note(f"wiki/{number}.md", "x", type="concept", scope="project:p", tags=["t"] if number % 2 else [])
    brain.note("raw/x.md", "x", type="source")
    refresh.catch_up()
    everything = [row.path for row in notes.page(limit=4)] + [row.path for row in notes.page(after="wiki/2.md")]
    assert everything == ["raw/x.md", *(f"wiki/{number}.md" for number in range(5))]
    assert [row.path for row in notes.page(Filters(tag="t"))] == ["wiki/1.md", "wiki/3.md"]
    assert [row.path for row in notes.page(Filters(folder="raw"))] == ["raw/x.md"]
    assert [row.path for row in notes.page(Filters(types=("source",), scope="global"))] == ["raw/x.md"]
    assert notes.page(Filters(archived=True)) == []
    assert notes.scopes() == ["global", "project:p"]


def test_the_newest_come_first(brain):
    brain.note("a.md", "x", updated="2026-01-01T10:00:00Z")
    brain.note("b.md", "x", updated="2026-03-01")
    brain.note("c.md", "x", created="2026-02-01")
    refresh.catch_up()
    assert [row.path for row in notes.recent()] == ["b.md", "c.md", "a.md"]


def test_titles_are_completed_without_accents(brain):
    brain.note("a.md", "x", title="Configuração da fila")
    brain.note("b.md", "x", title="Outra", aliases=["Configurar"])
    refresh.catch_up()
    assert [row.path for row in notes.titles("configur")] == ["b.md", "a.md"]
    assert [row.path for row in notes.titles("CONFIGURAÇ")] == ["a.md"]
    assert notes.titles("fila") == []


def test_the_same_words_are_the_same_memory(brain):
    brain.note("a.md", "Responda em **Português**!", type="preference")
    refresh.catch_up()
    key = likeness.key("responda em portugues")
    assert notes.by_text(key, note_type="preference", scope="global").path == "a.md"
    assert notes.by_text(key, note_type="gotcha", scope="global") is None


def test_a_citation_stays_when_a_paragraph_comes_before_it(brain):
    brain.note("a.md", "Um tatu.\n\nOutro.\n\nUm tatu.", id="A")
    refresh.catch_up()
    cited = fulltext.search(Query("outro")).found[0].citation
    brain.note("a.md", "Novo começo.\n\nUm tatu.\n\nOutro.\n\nUm tatu.", id="A")
    refresh.catch_up()
    row, start, end = notes.by_citation(cited)
    assert (row.path, notes.body(row.note)[start:end]) == ("a.md", "Outro.")
    assert notes.by_citation("r0-" + cited[3:])[0].path == "a.md"
    assert notes.by_citation("r2-000000000000") is None


def commit(op: str | None, *, undoes: str | None = None, kind: str = "agent") -> OperationCommit:
    return OperationCommit(
        commit=f"c-{op}", op=op, session="s", client="x", kind=kind, author="x", at=datetime(2026, 1, 2, tzinfo=UTC),
        subject=f"do {op}", changes=(f"add {op}",), paths=("a.md",), undoes=undoes,
    )  # fmt: skip


def test_operations_come_from_commits_newest_first(brain):
    refresh.catch_up()
    assert operations.catch_up([commit("B"), commit(None), commit("A")], head="h") == 2
    assert [row.op for row in operations.page()] == ["B", "A"]
    assert operations.head() == "h"
    row = operations.by_op("A")
    assert (row.commit, row.session, row.client, row.changes, row.paths) == ("c-A", "s", "x", ("add A",), ("a.md",))
    assert row.at == datetime(2026, 1, 2, tzinfo=UTC)
    assert operations.catch_up([commit("C"), commit("B")], afresh=True) == 2
    assert [row.op for row in operations.page()] == ["C", "B"]


def test_an_operation_that_is_caught_up_with_twice_is_there_once(brain):
    operations.record("A", commit="c1", session="s", client="x", kind="agent", subject="one", paths=["a.md"])
    operations.catch_up([commit("A")])
    assert [row.op for row in operations.page()] == ["A"]


def test_an_undo_is_known_and_so_is_its_own_undo(brain):
    operations.catch_up([commit("B", undoes="A"), commit("A")])
    assert operations.by_op("A").undone_by == "B"
    operations.record("C", commit="c", session="s", client="x", kind="agent", subject="redo", undoes="B")
    assert operations.by_op("B").undone_by == "C"
    assert operations.by_op("A").undone_by is None
    operations.record("D", commit="d", session="s", client="x", kind="agent", subject="undo", undoes="A")
    assert operations.by_op("A").undone_by == "D"


def test_the_latest_operation_is_that_of_a_session_a_client_or_an_agent(brain):
    for op, session, client, kind in (
        ("A", "s1", "x", "agent"),
        ("B", "s2", "y", "agent"),
        ("C", None, "cli", "human"),
    ):
        operations.record(op, commit=op, session=session, client=client, kind=kind, subject=op)
    assert operations.latest().op == "C"
    assert operations.latest(agents_only=True).op == "B"
    assert operations.latest(session="s1").op == "A"
    assert operations.latest(client="x").op == "A"
    assert operations.latest(session="s3") is None
    operations.record("D", commit="D", session="s2", client="y", kind="agent", subject="D", undoes="B")
    assert operations.latest(agents_only=True).op == "A"
    assert [row.op for row in operations.of_session("s2")] == ["D", "B"]
    assert [row.op for row in operations.page(limit=2, client="y")] == ["D", "B"]
    assert [row.op for row in operations.page(before=operations.by_op("C").position)] == ["B", "A"]
    assert operations.clients() == ["cli", "x", "y"]
    assert [row.op for row in operations.starting_with("D")] == ["D"]


def test_an_id_leads_to_its_note_and_never_to_the_copy_that_a_sync_left(brain):
    for path in ("wiki/Fila.conflict-casa-20260503-101500.md", "wiki/Fila.md"):
        brain.note(path, "Texto.", id="01JZ0000000000000000000001")
        refresh.catch_up()
    assert notes.by_id("01JZ0000000000000000000001").path == "wiki/Fila.md"
