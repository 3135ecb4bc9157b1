"""status: how the brain is, told without changing anything."""

from __future__ import annotations

from contextlib import contextmanager

import pytest
from calling import calling
from django.db import OperationalError, connections

from brain.caller import Caller, Kind, Surface
from brain.index import database
from llm import consent, folders


@contextmanager
def read_only(**_named):
    raise OperationalError("attempt to write a readonly database")
    yield


def test_a_new_brain_is_well(ready, agent):
    ready.commit()
    answer = agent("status")
    assert (answer.healthy, answer.problems, answer.conflicts) == (True, [], [])
    assert (answer.root, answer.client) == (str(ready.root), "claude-code")
    assert answer.machine
    assert answer.brain_schema_version == 1
    assert "memory/gotchas" in answer.note_dirs
    assert (answer.notes.total, answer.notes.by_type, answer.notes.untyped) == (0, {}, 0)
    assert (answer.broken_links, answer.embeddings) == (0, None)
    assert (answer.sync.branch, answer.sync.remote_configured, answer.sync.remote) == ("main", False, None)
    assert (answer.sync.last_sync, answer.sync.unpushed, answer.sync.unpulled) == (None, None, None)
    assert (answer.sync.pending_changes, answer.sync.running) == (0, False)
    assert answer.next_step


def test_notes_are_counted_by_type_and_standing(ready, agent):
    agent("remember", content="Um.", type="gotcha")
    agent("remember", content="Desde maio.", type="fact", subject="A", predicate="b", object="C")
    ready.note("memory/gotchas/minha.md", "Dois. [[Fantasma]]", type="gotcha")
    ready.write("solta.md", "Três.\n")
    ready.note("memory/_archive/velha.md", "Quatro.", type="gotcha")
    answer = agent("status")
    assert answer.notes.total == 5
    assert answer.notes.by_type == {"fact": 1, "gotcha": 2}
    assert (answer.notes.untyped, answer.notes.archived, answer.notes.unmanaged) == (1, 1, 2)
    assert (answer.index.facts, answer.index.pending) == (1, 0)
    assert answer.index.chunks >= 5
    assert answer.index.edges >= 1
    assert answer.index.last_scan
    assert answer.broken_links == 1
    assert answer.healthy
    assert "links" in answer.next_step


def test_an_index_that_cannot_be_opened_is_a_problem_and_no_error(ready, agent):
    agent("remember", content="Um.", type="gotcha")
    connections.close_all()
    for file in (ready.root / ".cabecao").glob("index.db*"):
        file.unlink()
    (ready.root / ".cabecao" / "index.db").mkdir()
    answer = agent("status")
    assert not answer.healthy
    assert any("cabecao reindex" in one for one in answer.problems)
    assert len(set(answer.problems)) == len(answer.problems)
    assert answer.sync.branch == "main"
    assert agent("write_page", path="wiki/a.md", content="Dois.", frontmatter={"type": "concept"}).commit


def test_an_index_that_cannot_be_written_is_a_problem_and_stops_no_write(ready, agent, monkeypatch):
    agent("remember", content="Um.", type="gotcha")
    monkeypatch.setattr(database, "writing", read_only)
    ready.note("wiki/nova.md", "Veio de fora.")
    done = agent("remember", content="A cabra sobe.", type="gotcha")
    assert done.commit
    assert [one.code for one in done.warnings] == ["index_behind"]
    assert not agent("status").healthy


def test_what_the_person_has_not_committed_is_counted(ready, agent):
    ready.commit()
    ready.write("um.md", "Um.\n")
    ready.write("dois.txt", "Dois.\n")
    assert agent("status").sync.pending_changes == 1


def test_a_conflict_copy_is_a_problem_that_is_named(ready, agent):
    ready.write("wiki/x.conflict-maq-20261112-100000.md", "Perdida.\n")
    ready.commit()
    answer = agent("status")
    assert answer.conflicts == ["wiki/x.conflict-maq-20261112-100000.md"]
    assert not answer.healthy
    assert answer.problems
    assert "doctor" in answer.next_step


def test_a_merge_under_way_is_a_problem_and_no_error(ready, agent):
    head = ready.commit()
    (ready.root / ".git" / "MERGE_HEAD").write_text(head + "\n")
    answer = agent("status")
    assert not answer.healthy
    assert "merge" in answer.problems[0]


def test_a_detached_head_is_a_problem_and_no_error(ready, agent):
    ready.git("checkout", "--quiet", "--detach", ready.commit())
    answer = agent("status")
    assert not answer.healthy
    assert answer.sync.branch is None


def test_a_remote_is_told_without_the_password_in_its_address(ready, agent):
    ready.commit()
    ready.git("remote", "add", "origin", "https://ana:segredo-da-ana@example.org/brain.git")
    ready.git("config", "branch.main.remote", "origin")
    ready.git("config", "branch.main.merge", "refs/heads/main")
    answer = agent("status")
    assert answer.sync.remote_configured
    assert "segredo-da-ana" not in answer.model_dump_json()


def test_a_status_writes_nothing(ready, agent, unchanged):
    ready.write("um.md", "Um.\n")
    with unchanged():
        agent("status")


@pytest.mark.parametrize("arguments", [{"x": 1}, {"limit": 3}])
def test_there_is_nothing_to_give(agent, refuses, arguments):
    refuses("invalid_argument", agent, "status", **arguments)


def test_the_remote_that_the_branch_follows_is_told_whatever_its_name(ready, agent, tmp_path):
    ready.commit()
    for name in ("origin", "Casa"):
        ready.git("init", "--bare", "--quiet", str(tmp_path / f"{name}.git"))
        ready.git("remote", "add", name, str(tmp_path / f"{name}.git"))
    ready.git("push", "--quiet", "--set-upstream", "Casa", "main")
    ready.note("memory/gotchas/nova.md", "Uma.", type="gotcha")
    ready.commit()
    answer = agent("status")
    assert answer.sync.remote.endswith("Casa.git")
    assert (answer.sync.unpushed, answer.sync.unpulled) == (1, 0)


def test_the_browser_is_told_of_answers_as_an_agent_is(ready, tmp_path, monkeypatch):
    folder = tmp_path / "other"
    folders.make(folder)
    entry = consent.Entry("ollama", "fake-1", "http://localhost:11434")
    consent.save(folder, consent.Settings((entry,)), on=["ollama"])
    monkeypatch.setenv("CABECAO_CONFIG_DIR", str(folder))
    told = {
        surface: calling(Caller(Kind.HUMAN, "x", surface))("status").answers for surface in (Surface.CLI, Surface.WEB)
    }
    assert told == {Surface.CLI: "on", Surface.WEB: "off"}
