"""Health: a brain that is damaged is never called well, and every place that tells of it says the same."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connections

from brain.audit import chain
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError, IndexFailed
from brain.services.health import anchors, records, renewing
from brain.store import tree
from brain.store.plumbing import made_here
from brain.store.repository import Repository
from cabecao_site import bootstrap

PERSON = Caller(Kind.HUMAN, "cli", Surface.CLI)


def told(call) -> str:
    """What status says is wrong."""
    answer = call("status")
    assert answer.healthy == (not answer.problems)
    return " ".join(answer.problems)


def rules(call) -> dict[str, str]:
    return {one.rule: one.path for one in call("lint").findings}


def spoil(ready, name: str) -> None:
    """Overwrite the middle of a database, as a bad disk does."""
    connections.close_all()
    file = ready.root / ".cabecao" / f"{name}.db"
    raw = bytearray(file.read_bytes())
    raw[100:] = b"\xff" * (len(raw) - 100)
    file.write_bytes(raw)
    for beside in (Path(f"{file}-wal"), Path(f"{file}-shm")):
        beside.unlink(missing_ok=True)


def lose(ready, name: str) -> None:
    connections.close_all()
    for file in (ready.root / ".cabecao").glob(f"{name}.db*"):
        file.unlink()


def cut(ready, name: str, left: bytes = b"") -> None:
    """Cut a database to nothing, the log beside it left."""
    connections.close_all()
    for file in (ready.root / ".cabecao").glob(f"{name}.db-*"):
        file.unlink()
    (ready.root / ".cabecao" / f"{name}.db").write_bytes(b"")
    if left:
        (ready.root / ".cabecao" / f"{name}.db-wal").write_bytes(left)


def renew(name: str) -> list[str]:
    return renewing.renew(name, PERSON, bootstrap.prepare_records)


def test_a_note_with_broken_frontmatter_is_named(ready, agent):
    ready.write("wiki/quebrada.md", "---\ntype: [gotcha\n---\n\nTexto.\n")
    ready.commit()
    assert "wiki/quebrada.md" in told(agent)
    assert rules(agent)["invalid_frontmatter"] == "wiki/quebrada.md"


def test_a_note_that_is_no_text_is_named(ready, agent):
    (ready.root / "solta.md").write_bytes(b"Caf\xe9.\n")
    ready.commit()
    assert "solta.md" in told(agent)


def test_a_name_that_is_no_text_is_told_of_and_the_file_is_left_alone(ready, agent):
    name = os.fsencode(str(ready.root)) + b"/caf\xe9.md"
    with open(name, "wb") as stream:  # noqa: PTH123 (a name that no Path prints)
        stream.write(b"Um.\n")
    assert "caf\\xe9.md" in told(agent)
    assert rules(agent)["unreadable_file"] == "caf\\xe9.md"
    assert os.path.exists(name)  # noqa: PTH110


def test_a_folder_that_cannot_be_listed_is_told_of_and_takes_nothing_away(ready, agent, monkeypatch):
    ready.note("wiki/fechada/nota.md", "O forno demora.", type="concept", title="Forno")
    ready.commit()
    assert agent("search", query="forno").hits
    real = os.scandir

    def scandir(path):
        if str(path).endswith("fechada"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    monkeypatch.setattr(tree.os, "scandir", scandir)
    assert "wiki/fechada/" in told(agent)
    assert agent("search", query="forno").hits


def test_a_damaged_state_is_told_of_and_a_write_is_refused_with_the_way_out(ready, agent):
    agent("remember", content="O forno demora.", type="gotcha")
    spoil(ready, "state")
    assert "state.db" in told(agent)
    before = ready.git("rev-parse", "HEAD"), ready.git("status", "--porcelain")
    with pytest.raises(IndexFailed) as raised:
        agent("remember", content="A massa descansa.", type="gotcha")
    assert "doctor --renew state" in raised.value.next_step
    assert (ready.git("rev-parse", "HEAD"), ready.git("status", "--porcelain")) == before


def test_no_note_waits_for_a_damaged_audit_log_and_no_row_is_lost(ready, agent):
    agent("remember", content="O forno demora.", type="gotcha")
    spoil(ready, "audit")
    assert "audit.db" in told(agent)
    done = agent("remember", content="A massa descansa.", type="gotcha")
    assert "audit_behind" in {one.code for one in done.warnings}
    assert "audit.db" in told(agent)
    assert renew("audit")
    agent("remember", content="O fermento é novo.", type="gotcha")
    assert chain.has(done.op)
    assert told(agent) == ""


@pytest.mark.parametrize("name", ["audit", "state"])
def test_reading_goes_on_where_a_record_is_damaged(ready, agent, name):
    agent("remember", content="O forno demora.", type="gotcha")
    spoil(ready, name)
    assert agent("search", query="forno").hits


@pytest.mark.parametrize("name", ["audit", "state"])
def test_the_person_begins_a_damaged_record_anew_and_the_old_file_is_kept(ready, agent, name):
    agent("remember", content="O forno demora.", type="gotcha")
    spoil(ready, name)
    assert renew(name)
    assert list((ready.root / ".cabecao" / renewing.KEPT).rglob(f"{name}.db"))
    assert agent("remember", content="A massa descansa.", type="gotcha").decision == "created"
    assert told(agent) == ""


def test_a_record_that_lacks_nothing_is_not_renewed(ready, agent):
    agent("remember", content="O forno demora.", type="gotcha")
    assert renew("audit") == renew("state") == []
    assert chain.verify().rows == 1


def test_a_deleted_audit_log_is_missed_because_git_names_its_rows(ready, agent):
    for text in ("O forno demora.", "A massa descansa."):
        agent("remember", content=text, type="gotcha")
    lose(ready, "audit")
    assert "audit" in told(agent)
    assert anchors.unrecorded() is not None


def test_a_write_does_not_hide_the_loss(ready, agent):
    for text in ("O forno demora.", "A massa descansa."):
        agent("remember", content=text, type="gotcha")
    lose(ready, "audit")
    agent("remember", content="O fermento é novo.", type="gotcha")
    assert chain.latest(anchors.SUBJECT, anchors.LOST) is not None
    assert "audit" in told(agent)


def test_once_the_person_took_note_the_brain_is_well_again(ready, agent):
    agent("remember", content="O forno demora.", type="gotcha")
    lose(ready, "audit")
    assert renew("audit")
    assert told(agent) == ""
    assert anchors.noted_loss() is not None


def test_a_cut_log_is_missed_too(ready, agent):
    for text in ("O forno demora.", "A massa descansa.", "O fermento é novo."):
        agent("remember", content=text, type="gotcha")
    connections.close_all()
    older = (ready.root / ".cabecao/audit.db").read_bytes()
    agent("remember", content="A bancada é fria.", type="gotcha")
    agent("remember", content="O sal vem depois.", type="gotcha")
    lose(ready, "audit")
    (ready.root / ".cabecao/audit.db").write_bytes(older)
    assert "audit" in told(agent)


def test_what_another_machine_committed_names_no_row_of_this_one(ready, agent, tmp_path):
    agent("remember", content="O forno demora.", type="gotcha")
    clone = tmp_path / "clone"
    ready.git("clone", "-q", str(ready.root), str(clone))
    with closing(Repository.open(clone)) as there, closing(Repository.open(ready.root)) as here:
        assert made_here.newest(there) is None
        assert made_here.newest(here) is not None


def test_an_emptied_state_is_told_of_and_not_made_anew_until_the_person_says_so(ready, agent):
    ready.note("wiki/Fila.md", "Uma fila.", type="concept")
    agent("remember", content="Antes.", type="gotcha")
    cut(ready, "state")
    assert "state.db is damaged: it is empty" in told(agent)
    assert [hit.title for hit in agent("search", query="fila").hits] == ["Fila"]
    for attempt in (lambda: agent("remember", content="Durante.", type="gotcha"), bootstrap.prepare_records):
        with pytest.raises(IndexFailed) as raised:
            attempt()
        assert "empty" in raised.value.message
        assert "cabecao doctor --renew state" in raised.value.next_step

    (said,) = renew("state")
    kept = next((ready.root / ".cabecao" / "damaged").iterdir())
    assert kept.name in said
    assert "state.db" in {one.name for one in kept.iterdir()}
    assert told(agent) == ""
    agent("remember", content="Depois.", type="gotcha")


def test_an_emptied_audit_log_is_kept_aside_and_its_loss_is_told(ready, agent):
    agent("remember", content="Antes.", type="gotcha")
    cut(ready, "audit", b"what was not in the file yet")
    assert "audit.db is damaged: it is empty" in told(agent)

    bootstrap.prepare_records()
    kept = next((ready.root / ".cabecao" / "damaged").iterdir())
    assert {one.name for one in kept.iterdir()} == {"audit.db", "audit.db-wal"}
    assert "The audit log lacks rows" in told(agent)
    agent("remember", content="Depois.", type="gotcha")
    assert chain.verify().ok


@pytest.mark.parametrize("name", ["state", "audit"])
def test_a_file_that_a_dead_process_began_before_there_was_any_record_is_no_loss(ready, agent, name):
    for other in ("state", "audit"):
        lose(ready, other)
    (ready.root / ".cabecao" / f"{name}.db").touch()
    bootstrap.prepare_records()
    assert told(agent) == ""
    agent("remember", content="Primeira.", type="gotcha")


@pytest.mark.parametrize("name", ["state", "audit"])
def test_a_record_that_may_not_be_written_is_not_called_damaged(ready, agent, monkeypatch, name):
    agent("remember", content="Um.", type="gotcha")
    file = records.file_of(name)
    monkeypatch.setattr(records.os, "access", lambda path, _mode: path != file)
    monkeypatch.setattr(records, "_asked", lambda _file, deep=False: "attempt to write a readonly database")
    records._known.clear()
    told = [one for one in records.damaged() if name in one.id]
    assert [("cannot be written" in one.message, "--renew" in one.next_step) for one in told] == [(True, False)]
    before = file.read_bytes()
    with pytest.raises(BrainError) as refused:
        renew(name)
    assert "chmod" in (refused.value.next_step or "")
    assert file.read_bytes() == before
    records._known.clear()


def test_a_branch_that_names_nothing_while_others_do_is_told_of(ready, agent):
    ready.commit()
    ready.git("symbolic-ref", "HEAD", "refs/heads/nenhum")
    found = agent("status")
    assert not found.healthy
    assert any("nenhum" in one and "git switch" in one for one in found.problems)


def test_a_branch_whose_commit_is_missing_is_told_of(ready, agent):
    ready.commit()
    (ready.root / ".git/refs/heads/main").write_text("0123456789" * 4 + "\n")
    assert any("missing or damaged" in one for one in agent("status").problems)


@pytest.mark.parametrize("head", [b"", b"lixo\n"])
def test_a_damaged_head_is_no_reason_to_make_the_repository_anew(ready, agent, head):
    from brain.services import workplace

    ready.commit()
    workplace.close()
    (ready.root / ".git/HEAD").write_bytes(head)
    with pytest.raises(BrainError) as refused:
        agent("remember", content="Um.", type="gotcha")
    assert "init" not in (refused.value.next_step or "")
    assert ".git/HEAD" in (refused.value.next_step or "")


@pytest.mark.parametrize("name", ["state", "audit"])
def test_a_record_that_holds_something_is_never_opened_beside_sqlite(ready, agent, monkeypatch, name):
    agent("remember", content="Um.", type="gotcha")
    connections.close_all()  # what lies in the log beside goes into the file

    def opened(*_given: object) -> None:
        raise AssertionError("closing it would take this process's locks away")

    monkeypatch.setattr(records.Path, "open", opened)
    assert not records.is_emptied(name)
