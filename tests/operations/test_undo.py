"""undo: an operation is taken back in a commit of its own, without losing what came after."""

from __future__ import annotations

import threading
from datetime import timedelta

import pytest
from calling import as_client, state

from brain import clock
from brain.errors import BrainError

PATH = "wiki/concepts/Lote.md"
LINES = "Primeira linha.\n\nMeio.\n\nMeio.\n\nMeio.\n\nÚltima linha."


def create(call, name: str = "Lote", content: str = "Dez por vez.", **more: object):
    given = {"type": "concept"}
    return call(
        "write_page", path=f"wiki/concepts/{name}.md", content=content, mode="create", frontmatter=given, **more
    )


def overwrite(call, content: str, path: str = PATH, **more: object):
    return call("write_page", path=path, content=content, mode="overwrite", **more)


def notes(brain) -> dict[str, str]:
    """Return the files of the brain without the log, which every operation adds a line to."""
    return {path: digest for path, digest in state(brain).items() if path != "log.md" and ".git/" not in path}


def test_the_last_operation_is_undone_in_a_commit_of_its_own(ready, agent):
    ready.commit()
    first, second = create(agent, "Um"), create(agent, "Dois", "Outro.")
    done = agent("undo")
    assert [(one.op, one.commit, one.changes) for one in done.undone] == [
        (second.op, second.commit, ["add concept: Dois"])
    ]
    assert done.changed_paths == ["log.md", "wiki/concepts/Dois.md"]
    assert done.warnings == []
    assert done.op in done.next_step
    assert not (ready.root / second.path).exists()
    assert (ready.root / first.path).exists()
    assert ready.git("rev-parse", "HEAD").strip() == done.commit
    assert ready.git("rev-parse", "HEAD~1").strip() == second.commit
    assert ready.git("status", "--porcelain") == ""
    assert done.op in ready.text("log.md")
    assert f"Cabecao-Undoes: {second.op}" in ready.git("log", "-1", "--format=%B")


def test_the_later_operation_is_the_last_though_the_clock_went_back(ready, agent, monkeypatch):
    ready.commit()
    now = clock.now
    first = create(agent, "Um")
    monkeypatch.setattr(clock, "now", lambda: now() - timedelta(hours=1))
    second = create(agent, "Dois", "Outro.")
    assert first.op < second.op
    assert first.id < second.id
    (ready.root / ".cabecao" / "index.db").unlink()
    assert [one.op for one in agent("undo").undone] == [second.op]


@pytest.mark.parametrize("what", ["create", "overwrite", "append", "remember"])
def test_undoing_brings_back_every_byte_and_redoing_too(ready, agent, what):
    ready.write(PATH, "---\r\ntype: concept  # meu\r\ntitle: 'Lote'\r\n---\r\n\r\nDez por vez.\r\n")
    ready.commit()
    before = notes(ready)
    done = {
        "create": lambda: create(agent, "Novo"),
        "overwrite": lambda: overwrite(agent, "Vinte."),
        "append": lambda: agent("write_page", path=PATH, content="Mais.", mode="append"),
        "remember": lambda: agent("remember", content="Uma memória.", type="gotcha"),
    }[what]()
    after = notes(ready)
    assert after != before
    undone = agent("undo", op=done.op)
    assert notes(ready) == before
    redone = agent("undo", op=undone.op)
    assert notes(ready) == after
    agent("undo", op=redone.op)
    assert notes(ready) == before


def test_an_operation_in_the_middle_is_undone_and_later_ones_stay(ready, agent):
    first, second = create(agent, "Um"), create(agent, "Dois", "Outro.")
    agent("undo", op=first.op)
    assert not (ready.root / first.path).exists()
    assert (ready.root / second.path).exists()


def test_a_later_change_elsewhere_in_the_note_is_kept(ready, agent):
    create(agent, content=LINES)
    changed = overwrite(agent, LINES.replace("Primeira linha.", "Linha do agente."))
    ready.write(PATH, ready.text(PATH).replace("Última linha.", "Última linha, minha."))
    agent("undo", op=changed.op)
    assert "Primeira linha." in ready.text(PATH)
    assert "Última linha, minha." in ready.text(PATH)
    assert "Última linha, minha." in ready.git("show", f"HEAD~1:{PATH}")


@pytest.mark.parametrize("committed", [True, False])
def test_a_later_change_of_the_same_line_is_a_conflict_that_names_the_note(ready, agent, refuses, committed):
    create(agent)
    changed = overwrite(agent, "Vinte por vez.")
    ready.write(PATH, ready.text(PATH).replace("Vinte", "Trinta, decidi eu"))
    if committed:
        ready.commit()
    error = refuses("conflict", agent, "undo", op=changed.op)
    assert error.details["paths"] == [PATH]
    assert PATH in error.message
    assert not (ready.root / ".git" / "REVERT_HEAD").exists()
    assert list((ready.root / ".cabecao" / "tmp").iterdir()) == []


def test_of_two_changes_to_one_line_the_first_is_not_undone_alone(ready, agent, refuses):
    create(agent)
    first = overwrite(agent, "Vinte.")
    second = overwrite(agent, "Trinta.")
    refuses("conflict", agent, "undo", op=first.op)
    agent("undo", op=second.op)
    agent("undo", op=first.op)
    assert ready.text(PATH).endswith("\nDez por vez.\n")


def test_a_created_note_that_changed_since_is_not_taken_away(ready, agent, refuses):
    done = create(agent)
    ready.write(PATH, ready.text(PATH) + "\nMeu.\n")
    refuses("conflict", agent, "undo", op=done.op)


def test_what_the_person_took_away_themselves_leaves_nothing_to_undo(ready, agent, refuses):
    done = create(agent)
    (ready.root / PATH).unlink()
    refuses("nothing_to_undo", agent, "undo", op=done.op)


def test_bare_undo_takes_the_sessions_then_the_clients_then_any_agents_last_operation(ready, agent, other_agent):
    mine = create(agent, "Minha", session_handle="s1")
    later = create(agent, "Depois", "Outro.", session_handle="s2")
    others = create(other_agent, "Alheia", "Mais um.", session_handle="s3")
    assert agent("undo", session_handle="s1").undone[0].op == mine.op
    assert agent("undo", session_handle="nova").undone[0].op == later.op
    assert agent("undo").undone[0].op == others.op


def test_bare_undo_goes_back_step_by_step_and_never_undoes_an_undo(agent, refuses):
    ops = [create(agent, str(number), f"Texto {number}.").op for number in range(3)]
    assert [agent("undo").undone[0].op for _turn in ops] == ops[::-1]
    refuses("nothing_to_undo", agent, "undo")


def test_bare_undo_of_the_person_takes_the_last_agent_operation(agent, person):
    done = create(agent)
    person("write_page", path="wiki/minha.md", content="x", mode="create", frontmatter={"type": "concept"})
    assert person("undo").undone[0].op == done.op


def test_a_brain_without_agent_operations_has_nothing_to_undo(ready, agent, person, refuses):
    refuses("nothing_to_undo", agent, "undo")
    ready.note(PATH, "Dez.")
    ready.commit()
    refuses("nothing_to_undo", agent, "undo")
    create(person, "Minha")
    refuses("nothing_to_undo", agent, "undo")


def test_an_operation_is_undone_once(agent, refuses):
    done = create(agent)
    undone = agent("undo", op=done.op)
    error = refuses("already_undone", agent, "undo", op=done.op)
    assert undone.op in error.message


@pytest.mark.parametrize("op", ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "x", "%", "01", "*", "'; DROP TABLE operation; --"])
def test_an_operation_that_is_not_there_is_not_found(agent, refuses, op):
    create(agent)
    refuses("not_found", agent, "undo", op=op)


def test_an_agent_does_not_undo_what_the_person_did_unasked(agent, person, refuses):
    done = create(person)
    refuses("confirmation_required", agent, "undo", op=done.op)
    assert person("undo", op=done.op).undone[0].op == done.op


def test_a_whole_session_is_undone_in_one_commit_and_others_stay(ready, agent, other_agent):
    ready.note("wiki/concepts/Minha.md", "Dez.", type="concept", id="01KWE9TKFRS0SE22ZDN9SJEEPP")
    ready.commit()
    before = notes(ready)
    first = create(agent, "Um", session_handle="s1")
    kept = create(other_agent, "Meio", "Do meio.", session_handle="s2")
    overwrite(agent, "Vinte.", first.path, session_handle="s1")
    overwrite(agent, "Trinta.", "wiki/concepts/Minha.md", session_handle="s1")
    count = ready.git("rev-list", "--count", "HEAD")
    done = agent("undo", session="s1")
    assert [one.changes[0] for one in done.undone] == ["update concept: Minha", "update concept: Um", "add concept: Um"]
    assert int(ready.git("rev-list", "--count", "HEAD")) == int(count) + 1
    assert {path: digest for path, digest in notes(ready).items() if path != kept.path} == before
    agent("undo", op=done.op)
    assert ready.text(first.path).endswith("\nVinte.\n")
    assert ready.text("wiki/concepts/Minha.md").endswith("\nTrinta.\n")


def test_what_was_undone_in_a_session_before_is_left_out(ready, agent, refuses):
    first, second = create(agent, "Um", session_handle="s1"), create(agent, "Dois", "Outro.", session_handle="s1")
    agent("undo", op=second.op, session_handle="s1")
    assert [one.op for one in agent("undo", session="s1").undone] == [first.op]
    refuses("already_undone", agent, "undo", session="s1")


def test_a_session_that_is_in_the_way_of_the_persons_edit_is_a_conflict_as_a_whole(ready, agent, refuses):
    create(agent, "Um", session_handle="s1")
    create(agent, "Dois", "Outro.", session_handle="s1")
    ready.write("wiki/concepts/Um.md", ready.text("wiki/concepts/Um.md") + "\nMeu.\n")
    assert refuses("conflict", agent, "undo", session="s1").details["paths"] == ["wiki/concepts/Um.md"]


@pytest.mark.parametrize("session", ["01ARZ3NDEKTSV4RRFFQ69G5FAV", "x"])
def test_a_session_that_is_not_there_is_not_found(agent, refuses, session):
    create(agent, session_handle="s1")
    refuses("not_found", agent, "undo", session=session)


def test_what_was_undone_leaves_search_and_recall_and_comes_back(agent):
    done = agent("remember", content="O ornitorrinco mora aqui.", type="gotcha")
    undone = agent("undo", op=done.op)
    assert agent("search", query="ornitorrinco").hits == []
    assert agent("recall", task="ornitorrinco").gotchas == []
    agent("undo", op=undone.op)
    assert [hit.id for hit in agent("search", query="ornitorrinco").hits] == [done.id]


def test_operations_are_known_after_the_index_is_gone(ready, agent):
    from django.db import connections

    first, second = create(agent, "Um"), create(agent, "Dois", "Outro.")
    agent("undo", op=second.op)
    connections.close_all()
    for file in (ready.root / ".cabecao").glob("index.db*"):
        file.unlink()
    assert agent("undo").undone[0].op == first.op


def test_operations_of_another_machine_are_known_from_the_commits(ready, agent):
    ready.commit()
    create(agent)
    commit = ready.git("rev-parse", "HEAD").strip()
    message = ready.git("log", "-1", "--format=%B").replace(agent("undo").undone[0].op, "01KWE9TKFRS0SE22ZDN9SJEEPP")
    ready.write("wiki/concepts/Vinda.md", "Veio de fora.\n")
    ready.git("add", "--all")
    ready.git("commit", "--quiet", "--message", message)
    assert agent("undo", op="01KWE9TKFRS0SE22ZDN9SJEEPP").undone[0].op == "01KWE9TKFRS0SE22ZDN9SJEEPP"
    assert not (ready.root / "wiki/concepts/Vinda.md").exists()
    assert commit != ready.git("rev-parse", "HEAD").strip()


def test_an_undo_in_the_middle_of_a_merge_is_refused_and_says_what_to_do(ready, agent, refuses):
    done = create(agent)
    head = ready.git("rev-parse", "HEAD").strip()
    (ready.root / ".git" / "MERGE_HEAD").write_text(head + "\n")
    assert "merge" in refuses("repository_busy", agent, "undo", op=done.op).message


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"op": 7}, "op"),
        ({"op": "x" * 101}, "op"),
        ({"session": "x" * 101}, "session"),
        ({"ops": "x"}, "ops"),
        ({"session_handle": "a b"}, "session_handle"),
        ({"confirm_token": "x" * 401}, "confirm_token"),
    ],
)
def test_a_wrong_argument_is_named(agent, refuses, arguments, field):
    assert f"“{field}”" in refuses("invalid_argument", agent, "undo", **arguments).message


def test_an_op_and_a_session_together_are_refused(agent, refuses):
    refuses("invalid_argument", agent, "undo", op="x", session="y")


def test_threads_that_undo_and_write_at_once_lose_nothing(ready, agent):
    ready.commit()
    ops = [create(agent, f"N{number}", f"Texto {number}.\n\n{'linha ' * 500}").op for number in range(6)]
    failures = []

    def work(turn):
        from django.db import connections

        call = as_client(f"c{turn}")
        try:
            call("undo", op=ops[turn])
            call("read", path="log.md")
            create(call, f"M{turn}", f"Outro {turn}.")
        except Exception as error:  # noqa: BLE001
            failures.append(error)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert {file.name for file in (ready.root / "wiki/concepts").iterdir()} == {f"M{turn}.md" for turn in range(6)}
    assert ready.git("rev-list", "--count", "HEAD").strip() == "19"
    assert ready.git("fsck", "--strict") == ""
    assert ready.git("status", "--porcelain") == ""


def test_two_threads_that_undo_the_same_operation_undo_it_once(ready, agent):
    done = create(agent)
    codes = []
    barrier = threading.Barrier(4)

    def work(turn):
        from django.db import connections

        barrier.wait()
        try:
            as_client(f"c{turn}")("undo", op=done.op)
            codes.append("undone")
        except BrainError as error:
            codes.append(error.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(turn,)) for turn in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(codes) == ["already_undone"] * 3 + ["undone"]


def test_what_a_person_took_out_by_hand_stands_in_no_older_operations_way(ready, agent):
    ready.commit()
    first = create(agent, "Um")
    create(agent, "Dois", "Outro.")
    (ready.root / "wiki/concepts/Dois.md").unlink()
    assert [one.op for one in agent("undo").undone] == [first.op]
    with pytest.raises(BrainError) as refused:
        agent("undo")
    assert refused.value.code == "nothing_to_undo"


def test_one_undo_takes_back_a_consolidation_whose_commits_stayed(ready, agent, other_agent):
    ready.commit()
    session = agent("consolidate", action="start").consolidation_id
    create(agent, "Um", session_handle=session)
    create(other_agent, "Dois", "Outro.")
    assert not agent("consolidate", action="finish", consolidation_id=session).squashed
    agent("undo")
    assert not (ready.root / "wiki/concepts/Um.md").exists()
    assert (ready.root / "wiki/concepts/Dois.md").exists()
