"""consolidate: a restore point, material, one commit in the end, and the way back from all of it."""

from __future__ import annotations

from dataclasses import replace

import pytest
from calling import calling

from brain.caller import Caller, Kind, Surface
from brain.errors import Conflict, HumanOnly, InvalidArgument, NotFound, SecretDetected

AGENT = Caller(Kind.AGENT, "claude-code", Surface.MCP, connection="uma")
LONG = "Os consumidores do faturamento leem mensagens da fila gerenciada em lotes grandes durante a madrugada {}"


@pytest.fixture
def filled(ready):
    ready.note("wiki/concepts/Lote.md", "Dez por vez.", id="01JZ0000000000000000000001", type="concept", title="Lote")
    ready.commit()
    return ready


def start(agent, **given):
    return agent("consolidate", action="start", **given)


def finish(agent, identity, **given):
    return agent("consolidate", action="finish", consolidation_id=identity, **given)


def work(agent, session: str) -> None:
    agent(
        "remember", content="Consumidor novo repete pedidos.", type="gotcha", title="Repetição", session_handle=session
    )
    agent("patch_page", path="wiki/concepts/Lote.md", old="Dez", new="Vinte", session_handle=session)


def commits(brain) -> list[str]:
    return brain.git("log", "--format=%H").split()


def test_start_changes_no_note_and_can_be_found_again(filled, agent):
    before = filled.git("rev-parse", "HEAD").strip()
    begun = start(agent)
    assert begun.restore_point.commit == before == filled.git("rev-parse", begun.restore_point.tag).strip()
    assert filled.git("rev-parse", "HEAD").strip() == before
    assert begun.consolidation_id in begun.restore_point.tag


def test_finish_makes_one_commit_with_the_same_notes_and_no_line_of_those_that_vanished(filled, agent):
    begun = start(agent)
    work(agent, begun.consolidation_id)
    tree = filled.git("ls-tree", "-r", "HEAD", "memory", "wiki")
    done = finish(agent, begun.consolidation_id, title="Faxina")
    assert done.squashed
    assert len(commits(filled)) == 2
    assert filled.git("ls-tree", "-r", "HEAD", "memory", "wiki") == tree
    assert done.changes == ["add gotcha: Repetição", "update concept: Lote"]
    lines = [line for line in filled.text("log.md").splitlines() if line.startswith("- ")]
    assert len(lines) == 1
    assert "consolidate: Faxina" in lines[0]
    assert not filled.git("status", "--porcelain")
    filled.git("fsck", "--strict")


def test_activity_knows_the_one_operation_and_undo_takes_all_of_it_back(filled, agent):
    before = filled.git("ls-tree", "-r", "HEAD", "memory", "wiki")
    begun = start(agent)
    work(agent, begun.consolidation_id)
    done = finish(agent, begun.consolidation_id)
    from brain.index import operations

    assert [row.op for row in operations.of_session(begun.consolidation_id)] == [done.op]
    agent("undo", session=begun.consolidation_id)
    assert filled.git("ls-tree", "-r", "HEAD", "memory", "wiki") == before


@pytest.mark.parametrize("in_between", ["commit", "other session"])
def test_commits_of_others_in_between_keep_all_commits(filled, agent, other_agent, in_between):
    begun = start(agent)
    work(agent, begun.consolidation_id)
    if in_between == "commit":
        filled.note("wiki/concepts/Meu.md", "Meu.", type="concept")
        filled.commit("Meu")
    else:
        other_agent("remember", content="A impressora dobra papel grosso.", type="gotcha", session_handle="outra")
    many = len(commits(filled))
    done = finish(agent, begun.consolidation_id)
    assert not done.squashed
    assert len(commits(filled)) == many + 1
    assert "Meu" not in " ".join(done.changes)
    agent("undo", session=begun.consolidation_id)
    assert filled.text("wiki/concepts/Lote.md").endswith("Dez por vez.\n")


def test_a_log_edited_by_hand_is_not_lost_by_the_squash(filled, agent):
    begun = start(agent)
    work(agent, begun.consolidation_id)
    filled.write("log.md", filled.text("log.md") + "- minha linha\n")
    try:
        finish(agent, begun.consolidation_id)
    except Conflict:
        finish(agent, begun.consolidation_id)
    assert "- minha linha" in filled.text("log.md")


def test_what_was_sent_is_never_rewritten(filled, agent, tmp_path):
    import subprocess

    bare = tmp_path / "remoto.git"
    subprocess.run(["git", "init", "-q", "--bare", str(bare)], check=True)
    filled.git("remote", "add", "origin", str(bare))
    begun = start(agent)
    work(agent, begun.consolidation_id)
    filled.git("push", "-q", "-u", "origin", "main")
    sent = filled.git("rev-parse", "HEAD").strip()
    assert not finish(agent, begun.consolidation_id).squashed
    assert sent in commits(filled)


def test_the_second_finish_is_refused_and_nothing_changes(filled, agent):
    begun = start(agent)
    work(agent, begun.consolidation_id)
    finish(agent, begun.consolidation_id)
    before = commits(filled)
    with pytest.raises(Conflict):
        finish(agent, begun.consolidation_id)
    assert commits(filled) == before


def test_nothing_done_is_nothing_written(filled, agent):
    before = commits(filled)
    done = finish(agent, start(agent).consolidation_id)
    assert (done.changes, done.commit, done.op) == ([], None, None)
    assert commits(filled) == before


def test_an_archived_note_is_one_line(filled, person, agent):
    begun = start(agent)
    person("forget", id="01JZ0000000000000000000001", reason="velha", session_handle=begun.consolidation_id)
    assert finish(agent, begun.consolidation_id).changes == ["archive concept: Lote"]


def test_whoever_closes_it_the_work_stays_an_agents(filled, agent, person):
    begun = start(agent)
    work(agent, begun.consolidation_id)
    finish(person, begun.consolidation_id)
    assert "Cabecao-Kind: agent" in filled.git("log", "-1", "--format=%B")


def test_a_secret_in_the_title_is_refused(filled, agent):
    begun = start(agent)
    work(agent, begun.consolidation_id)
    with pytest.raises(SecretDetected):
        finish(agent, begun.consolidation_id, title="chave AKIA" + "QYLPMN5HFIQR7XYA")


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"action": "finish"}, InvalidArgument),
        ({"action": "start", "consolidation_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, InvalidArgument),
        ({"action": "start", "title": "x"}, InvalidArgument),
        ({"action": "finish", "consolidation_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}, NotFound),
    ],
)
def test_what_does_not_go_together_is_refused(filled, agent, given, error):
    with pytest.raises(error):
        agent("consolidate", **given)


def test_the_material_has_pairs_that_are_alike_and_episodes_that_repeat(ready, agent):
    for name, word in (("um", "inteira"), ("dois", "toda")):
        ready.note(f"memory/gotchas/{name}.md", LONG.format(word), type="gotcha")
        ready.note(f"memory/episodes/2026/01/{name}.md", LONG.format(word), type="episode")
    ready.note("memory/gotchas/outra.md", "A impressora dobra papel grosso.", type="gotcha")
    ready.commit()
    found = start(agent).material
    [pair] = found.duplicates
    assert {pair.first, pair.second} == {"memory/gotchas/um.md", "memory/gotchas/dois.md"}
    assert [len(group.paths) for group in found.repeated_episodes] == [2]
    assert len(found.episodes) == 2
    assert start(agent, scope="project:nenhum").material.duplicates == []


def bound(session: str, **more) -> Caller:
    return replace(AGENT, consolidation=session, session=session, may_forget=False, **more)


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("sync", {}),
        ("undo", {}),
        ("handoff_save", {"next": ["Nada"], "session_handle": "x"}),
        ("ingest", {"content": "Texto.", "title": "Texto"}),
        ("consolidate", {"action": "start"}),
        ("consolidate", {"action": "finish", "consolidation_id": "01ARZ3NDEKTSV4RRFFQ69G5FAV"}),
        ("forget", {"id": "01JZ0000000000000000000001", "reason": "x"}),
        ("remember", {"content": "Responda em português.", "type": "rule"}),
    ],
)
def test_an_agent_alone_does_nothing_that_needs_a_person(filled, agent, name, given):
    session = start(agent).consolidation_id
    before = commits(filled)
    with pytest.raises(HumanOnly) as refused:
        calling(bound(session))(name, **given)
    assert refused.value.next_step
    assert commits(filled) == before


def test_an_agent_alone_writes_in_its_consolidation_whatever_session_it_names(filled, agent):
    session = start(agent).consolidation_id
    alone = calling(bound(session))
    alone("patch_page", path="wiki/concepts/Lote.md", old="Dez", new="Vinte", session_handle="outra")
    assert f"Cabecao-Session: {session}" in filled.git("log", "-1", "--format=%B")
    assert finish(alone, session).squashed
