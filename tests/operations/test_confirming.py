"""What needs the person's explicit request: asked first, done in a second call that is exactly the one shown."""

from __future__ import annotations

import json
import os
import stat
import threading
from dataclasses import replace
from datetime import timedelta
from types import SimpleNamespace

import pytest
from calling import AGENT, as_client, calling, state
from django.db import connections

from brain import clock, config
from brain.approval import confirmation
from brain.caller import Caller, Kind, Surface, Voice
from brain.errors import BrainError, ConfirmationRequired
from brain.guard import machine_secret
from brain.note import document

RULE = "memory/rules/portugues.md"
CREATE = {
    "path": RULE,
    "content": "Responda em português.",
    "mode": "create",
    "frontmatter": {"type": "rule", "title": "Português"},
}
MINE = "memory/rules/minha.md"


def asks(call, name: str, **arguments) -> ConfirmationRequired:
    """Return what the person is asked, checked to give a token and to have changed nothing."""
    before = state(config.here())
    with pytest.raises(ConfirmationRequired) as raised:
        call(name, **arguments)
    assert state(config.here()) == before
    assert raised.value.details["status"] == "confirmation_required"
    return raised.value


def token_of(call, name: str, **arguments) -> str:
    token: str = asks(call, name, **arguments).details["confirm_token"]
    return token


def confirmed(call, name: str, **arguments):
    return call(name, **arguments, confirm_token=token_of(call, name, **arguments))


def fields(brain, path: str) -> dict:
    return document.parse((brain.root / path).read_bytes()).frontmatter


def agent_on(surface: Surface, **more) -> Caller:
    return Caller(Kind.AGENT, "claude-code", surface, connection=f"claude-code of {config.here().root}", **more)


@pytest.fixture
def my_rule(ready):
    ready.note(MINE, "Fale baixo sempre.", type="rule", id="01KR2K2ER8WSC66YEXP487Q72D", trust="high", origin="human")
    ready.commit()
    return MINE


def test_the_first_call_says_what_would_be_done_and_writes_nothing(ready, agent):
    asked = asks(agent, "write_page", **CREATE).details
    assert RULE in asked["summary"]
    assert "Responda em português." in asked["summary"]
    assert asked["reasons"] == ["It is a rule: agents will take it for an instruction in every recall."]
    assert asked["proposal_hint"]
    assert asked["confirm_token"].startswith("cbc_ct_")
    left = clock.now() + timedelta(minutes=5)
    assert asked["token_expires_at"] <= clock.timestamp(left)
    assert asked["token_expires_at"] > clock.timestamp(left - timedelta(seconds=30))


def test_the_second_call_does_it_with_the_marks_that_cabecao_alone_sets(ready, agent):
    done = confirmed(agent, "write_page", **CREATE)
    assert done.confirmed_by == "token"
    assert done.status is None
    marks = fields(ready, RULE)
    assert (marks["origin"], marks["approved_by"]) == (AGENT, "user")
    assert marks["approved_at"]
    assert "edited_by" not in marks
    assert "Cabecao-Approved: token" in ready.git("log", "-1", "--format=%B")
    assert [rule.path for rule in agent("recall", task="responder").rules] == [RULE]


@pytest.mark.parametrize(
    "other",
    [
        {"content": "Responda em inglês."},
        {"path": "memory/rules/outra.md"},
        {"frontmatter": {"type": "rule", "title": "Outro"}},
        {"frontmatter": {"type": "rule", "title": "Português", "tags": ["a"]}},
        {"session_handle": "01M79D4AFWB93BEMF0A5SXPNQB"},
    ],
)
def test_a_token_is_worth_nothing_with_other_arguments(agent, refuses, other):
    token = token_of(agent, "write_page", **CREATE)
    refuses("invalid_argument", agent, "write_page", **{**CREATE, **other}, confirm_token=token)


def _tail_changed(token: str) -> str:
    return token[:-2] + ("A" if token[-2] != "A" else "B") + token[-1]


@pytest.mark.parametrize(
    "forge",
    [
        _tail_changed,
        lambda token: token + "A",
        lambda token: token[:-1],
        lambda token: token.upper(),
        lambda token: token.replace("cbc_ct_", "cbc_ct_z", 1),
        lambda token: f" {token}",
        lambda token: token.replace("cbc_ct_", "cbc_ct_0"),
        lambda _token: "cbc_ct_x",
        lambda _token: "cbc_ct_é_ü",
        lambda _token: "sim",
        lambda _token: "",
    ],
)
def test_a_forged_token_is_refused(agent, refuses, forge):
    token = token_of(agent, "write_page", **CREATE)
    refuses("invalid_argument", agent, "write_page", **CREATE, confirm_token=forge(token))
    agent("write_page", **CREATE, confirm_token=token)


def test_a_token_expires_after_five_minutes(agent, refuses, monkeypatch):
    token = token_of(agent, "write_page", **CREATE)
    later = clock.now() + timedelta(minutes=5, seconds=1)
    monkeypatch.setattr(confirmation, "clock", SimpleNamespace(now=lambda: later))
    error = refuses("invalid_argument", agent, "write_page", **CREATE, confirm_token=token)
    assert "expired" in error.message


def test_a_clock_that_is_set_back_lends_a_token_no_more_time(agent, refuses, monkeypatch):
    token = token_of(agent, "write_page", **CREATE)
    earlier = clock.now() - timedelta(hours=1)
    monkeypatch.setattr(confirmation, "clock", SimpleNamespace(now=lambda: earlier))
    error = refuses("invalid_argument", agent, "write_page", **CREATE, confirm_token=token)
    assert "expired" in error.message


def test_the_moment_a_token_expires_cannot_be_moved(agent, refuses):
    token = token_of(agent, "write_page", **CREATE)
    _name, _ct, until, proof = token.split("_", 3)
    later = confirmation._base36(int(until, 36) + 600)
    refuses("invalid_argument", agent, "write_page", **CREATE, confirm_token=f"cbc_ct_{later}_{proof}")


def test_a_token_works_once_even_after_an_undo(ready, agent, refuses):
    token = token_of(agent, "write_page", **CREATE)
    done = agent("write_page", **CREATE, confirm_token=token)
    confirmed(agent, "undo", op=done.op)
    assert not (ready.root / RULE).exists()
    error = refuses("invalid_argument", agent, "write_page", **CREATE, confirm_token=token)
    assert "used before" in error.message


def test_of_two_calls_at_once_with_one_token_one_is_done(ready):
    ready.note("memory/gotchas/fax.md", "O fax atende.", type="gotcha")
    ready.commit()
    given = {"id": "memory/gotchas/fax.md", "reason": "velho", "session_handle": "sessao-1"}
    servers = [as_client("claude-code", connection=f"server {number}") for number in range(2)]
    token = token_of(servers[0], "forget", **given)
    done: list[object] = []
    barrier = threading.Barrier(2)

    def work(call):
        barrier.wait()
        try:
            done.append(call("forget", **given, confirm_token=token).status)
        except BrainError as error:
            done.append(error.code)
        finally:
            connections.close_all()

    threads = [threading.Thread(target=work, args=(call,)) for call in servers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done.count("archived") == 1
    assert set(done) <= {"archived", "invalid_argument", "not_found", "conflict"}
    assert ready.git("rev-list", "--count", "HEAD").strip() == "2"


def test_a_token_of_another_session_client_or_surface_is_refused(agent, other_agent, refuses):
    token = token_of(agent, "write_page", **CREATE)
    elsewhere = [other_agent, as_client("claude-code", connection="another process")]
    elsewhere += [calling(agent_on(surface)) for surface in (Surface.CLI, Surface.REST)]
    for call in elsewhere:
        refuses("invalid_argument", call, "write_page", **CREATE, confirm_token=token)
    session = {"session_handle": agent("recall", task="a").session_handle}
    token = token_of(agent, "write_page", **CREATE, **session)
    other = {"session_handle": agent("recall", task="b").session_handle}
    refuses("invalid_argument", agent, "write_page", **CREATE, **other, confirm_token=token)
    agent("write_page", **CREATE, **session, confirm_token=token)


def test_a_token_of_one_operation_is_refused_in_another(ready, agent, refuses, my_rule):
    done = confirmed(agent, "write_page", **CREATE)
    token = token_of(agent, "write_page", path=MINE, content="Fale alto.", mode="overwrite")
    refuses("invalid_argument", agent, "undo", op=done.op, confirm_token=token)
    token = token_of(agent, "undo", op=done.op)
    refuses("invalid_argument", agent, "write_page", path=MINE, content="Fale alto.", mode="overwrite",
            confirm_token=token)  # fmt: skip


def test_a_token_that_the_person_would_bring_is_not_one_that_the_caller_brings(ready, refuses, agent):
    direct = calling(agent_on(Surface.MCP, voice=Voice.PERSON))
    token = token_of(direct, "write_page", **CREATE)
    refuses("invalid_argument", agent, "write_page", **CREATE, confirm_token=token)
    own = token_of(agent, "write_page", **CREATE)
    refuses("invalid_argument", direct, "write_page", **CREATE, confirm_token=own)
    assert direct("write_page", **CREATE, confirm_token=token).confirmed_by == "user"


@pytest.mark.parametrize("committed", [True, False])
def test_a_token_from_before_the_target_changed_is_refused(ready, agent, refuses, my_rule, committed):
    change = {"path": MINE, "content": "Fale alto.", "mode": "append"}
    token = token_of(agent, "write_page", **change)
    ready.write(MINE, ready.text(MINE).replace("baixo", "devagar"))
    if committed:
        ready.commit()
    refuses("invalid_argument", agent, "write_page", **change, confirm_token=token)
    assert "devagar" in ready.text(MINE)


def test_a_target_that_changes_while_the_write_waits_is_not_overwritten(ready, agent, my_rule, monkeypatch):
    from brain.services import workplace

    change = {"path": MINE, "content": "Fale alto.", "mode": "overwrite"}
    token = token_of(agent, "write_page", **change)
    held = workplace.held

    def slow(caller):
        ready.write(MINE, ready.text(MINE).replace("baixo", "devagar"))
        return held(caller)

    monkeypatch.setattr(workplace, "held", slow)
    with pytest.raises(BrainError) as raised:
        agent("write_page", **change, confirm_token=token)
    assert raised.value.code == "invalid_argument"
    assert "devagar" in ready.text(MINE)


def test_a_token_of_another_brain_or_after_its_secret_is_gone_is_refused(ready, agent, refuses):
    token = token_of(agent, "write_page", **CREATE)
    (ready.root / ".cabecao" / machine_secret.CONFIRM).unlink()
    refuses("invalid_argument", agent, "write_page", **CREATE, confirm_token=token)


@pytest.mark.skipif(os.name != "posix", reason="modes are of POSIX systems")
def test_the_secret_is_its_users_alone_and_made_anew_where_it_was_not(tmp_path):
    first = machine_secret.of(tmp_path, machine_secret.CONFIRM)
    file = tmp_path / machine_secret.CONFIRM
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert machine_secret.of(tmp_path, machine_secret.CONFIRM) == first
    assert [one.name for one in tmp_path.iterdir()] == [machine_secret.CONFIRM]
    file.chmod(0o644)
    second = machine_secret.of(tmp_path, machine_secret.CONFIRM)
    assert second != first
    file.write_bytes(b"short")
    assert len(machine_secret.of(tmp_path, machine_secret.CONFIRM)) == 32
    file.unlink()
    (tmp_path / "elsewhere").write_bytes(b"x" * 32)
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(BrainError):
        machine_secret.of(tmp_path, machine_secret.CONFIRM)


@pytest.mark.parametrize(
    "path",
    ["AGENTS.md", "agents.md", "Claude.md", "GEMINI.md", "readme.MD", "log.md", "LOG.md", "./AGENTS.md", "AGENTS.ｍｄ",
     "ＡＧＥＮＴＳ.md", "wiki/CLAUDE.md", "wiki/concepts/agents.override.md", ".cursor/rules/x.md", "AGENTS.md ", "AGENTS.md.",
     "AGENTS%2emd", "README\u200b.md", "memory/Rules/x.md", "MEMORY/rules/x.md", "memory/rules./x.md",
     "memory/ｒules/x.md", "memory/rules/x.md", ".cabecao.json", ".CABECAO.json", ".gitignore", ".GitIgnore",
     ".gitattributes", "index.md", "INDEX.md", ".git/config.md", ".cabecao/x.md", "wiki/../AGENTS.md"],
)  # fmt: skip
@pytest.mark.parametrize("mode", ["create", "overwrite"])
def test_no_spelling_of_a_guarded_path_is_written_without_asking(ready, agent, unchanged, path, mode):
    ready.write("AGENTS.md", "# Como\n")
    ready.commit()
    with unchanged(), pytest.raises(BrainError) as raised:
        agent("write_page", path=path, content="Obedeça.", mode=mode, frontmatter={"type": "concept"})
    assert raised.value.code in {
        "confirmation_required", "invalid_path", "unsafe_path", "already_exists", "not_found", "invalid_argument"
    }, raised.value.code  # fmt: skip


def test_an_agent_raises_neither_its_ring_nor_its_trust_nor_its_marks(ready, agent, refuses):
    forged = {"approved_by": "user", "approved_at": "2001-01-01", "origin": "human", "edited_by": "human"}
    page = {"path": "wiki/concepts/Lote.md", "content": "Dez.", "mode": "create"}
    for ring in (0, 1):
        refuses("human_only", agent, "write_page", **page, frontmatter={"type": "preference", "ring": ring})
    token = token_of(agent, "write_page", **page, frontmatter={"type": "concept", "trust": "high"})
    ringed = {"type": "concept", "trust": "high", "ring": 0}
    refuses("human_only", agent, "write_page", **page, frontmatter=ringed, confirm_token=token)
    done = agent("write_page", **page, frontmatter={"type": "concept", **forged})
    assert {one.field for one in done.warnings} == set(forged)
    marks = fields(ready, page["path"])
    assert marks["origin"] == AGENT
    assert not {"approved_by", "approved_at", "edited_by"} & marks.keys()
    asks(agent, "write_page", path=page["path"], content="Dez.", mode="overwrite", frontmatter={"trust": "high"})


def test_a_token_where_none_is_needed_lends_no_marks(ready, agent):
    token = token_of(agent, "write_page", **CREATE)
    agent("write_page", path="wiki/concepts/Lote.md", content="Dez.", mode="create", frontmatter={"type": "concept"},
          confirm_token=token)  # fmt: skip
    assert "approved_by" not in fields(ready, "wiki/concepts/Lote.md")
    assert "Cabecao-Approved" not in ready.git("log", "-1", "--format=%B")


def test_an_unconfirmed_edit_of_an_approved_note_takes_its_marks_away(ready, agent):
    page = {"path": "wiki/concepts/Lote.md", "frontmatter": {"type": "concept", "trust": "high"}}
    confirmed(agent, "write_page", **page, content="Dez.", mode="create")
    assert fields(ready, page["path"])["approved_by"] == "user"
    agent("write_page", path=page["path"], content="Vinte.", mode="overwrite")
    marks = fields(ready, page["path"])
    assert not {"approved_by", "approved_at"} & marks.keys()
    assert marks["trust"] == "medium"


def test_a_confirmed_change_of_the_persons_rule_keeps_its_origin_and_trust(ready, agent, my_rule):
    confirmed(agent, "write_page", path=MINE, content="Fale claro.", mode="overwrite")
    marks = fields(ready, MINE)
    assert (marks["origin"], marks["edited_by"], marks["trust"]) == ("human", AGENT, "high")
    assert marks["approved_by"] == "user"


def test_who_approves_a_rule_that_is_not_attested_is_shown_the_whole_text(ready, agent, my_rule):
    long = "\n\n".join(f"Parágrafo {number} da regra, escrito fora do Cabeção." for number in range(80))
    ready.note(MINE, long, type="rule", id="01KR2K2ER8WSC66YEXP487Q72D", origin="human")
    ready.commit()
    change = {"path": MINE, "content": "Mais uma linha.", "mode": "append"}
    summary = asks(agent, "write_page", **change).details["summary"]
    assert "Parágrafo 0 " in summary
    assert "Parágrafo 79 " in summary
    confirmed(agent, "write_page", **change)
    summary = asks(agent, "write_page", **{**change, "content": "E outra."}).details["summary"]
    assert "+E outra." in summary
    assert "Parágrafo 0 " not in summary


def test_nothing_hides_in_a_summary(agent):
    hidden = {**CREATE, "content": "Responda em português.\u202e\u200b"}
    summary = asks(agent, "write_page", **hidden).details["summary"]
    assert "\\u202e" in summary
    assert "\u202e" not in summary
    assert "\u200b" not in summary


def test_a_control_file_stays_plain_text(ready, agent):
    ready.write("AGENTS.md", "# Como\n")
    ready.commit()
    confirmed(agent, "write_page", path="AGENTS.md", content="# Novo\n", mode="overwrite")
    assert ready.text("AGENTS.md") == "# Novo\n"
    with pytest.raises(BrainError) as raised:
        agent("write_page", path="AGENTS.md", content="# X\n", mode="overwrite", frontmatter={"type": "rule"})
    assert raised.value.code == "invalid_argument"


def patch_of(brain, **changes):
    """Return the arguments that replace the whole of the settings by others."""
    whole = brain.text(".cabecao.json")
    return {"path": ".cabecao.json", "old": whole, "new": json.dumps({**json.loads(whole), **changes})}


def test_the_settings_are_changed_after_a_yes_and_only_to_what_is_valid(ready, agent, refuses):
    confirmed(agent, "patch_page", **patch_of(ready, language="en"))
    assert json.loads(ready.text(".cabecao.json"))["language"] == "en"
    refuses("invalid_config", agent, "patch_page", **patch_of(ready, chave_inventada=1))
    for wrong in ("{", "[]", ""):
        refuses("invalid_config", agent, "patch_page", **{**patch_of(ready), "new": wrong})


@pytest.mark.parametrize("section", ["embedding", "embeddings", "llm_policy", "egress"])
def test_what_may_leave_the_machine_is_never_changed_by_an_agent(ready, agent, refuses, section):
    refuses("human_only", agent, "patch_page", **patch_of(ready, **{section: {"allow": "any"}}))


@pytest.mark.parametrize("name", [".gitignore", ".gitattributes"])
def test_what_git_leaves_out_and_how_it_merges_is_changed_after_a_yes(ready, agent, refuses, name):
    ready.write(name, "um\n")
    ready.commit()
    confirmed(agent, "patch_page", path=name, old="um\n", new="um\n# dois\n")
    assert ready.text(name) == "um\n# dois\n"
    for other in (name.upper(), f"wiki/{name}", f"./{name}", f"{name} "):
        with pytest.raises(BrainError) as raised:
            agent("patch_page", path=other, old="um", new="dois")
        assert raised.value.code in {"invalid_path", "unsafe_path"}, other


def test_a_confirmed_line_of_the_log_is_there_beside_the_operations_own(ready, agent):
    ready.commit()
    agent("remember", content="Uma memória.", type="gotcha")
    confirmed(agent, "write_page", path="log.md", content="- uma linha a mais", mode="append")
    text = ready.text("log.md")
    assert "- uma linha a mais" in text
    assert text.rstrip().endswith(ready.git("log", "-1", "--format=%(trailers:key=Cabecao-Op,valueonly)").strip())
    assert ready.git("status", "--porcelain") == ""


def test_after_a_no_the_same_content_gets_no_token_for_five_minutes(ready, agent, monkeypatch):
    from brain.operations import decline

    asked = asks(agent, "write_page", **CREATE)
    said = decline("write_page", agent_on(Surface.MCP), asked.content)
    assert said.details == {"status": "declined"}
    token = asked.details["confirm_token"]
    for more in ({}, {"confirm_token": token}):
        with pytest.raises(ConfirmationRequired) as raised:
            agent("write_page", **CREATE, **more)
        assert raised.value.details == {"status": "declined"}
        assert "approve" in raised.value.next_step
    asks(agent, "write_page", **{**CREATE, "path": "memory/rules/outra.md"})
    asks(agent, "write_page", **CREATE, session_handle=agent("recall", task="outra").session_handle)
    later = clock.now() + timedelta(minutes=6)
    monkeypatch.setattr(confirmation, "clock", SimpleNamespace(now=lambda: later))
    asks(agent, "write_page", **CREATE)


def test_a_person_is_not_asked(ready, person):
    done = person("write_page", **CREATE)
    assert done.confirmed_by is None
    assert "approved_by" not in fields(ready, RULE)


def test_a_rule_is_remembered_once_confirmed(ready, agent):
    given = {"content": "Responda em português.", "type": "rule"}
    done = confirmed(agent, "remember", **given)
    assert (done.decision, done.confirmed_by) == ("created", "token")
    assert fields(ready, done.path)["approved_by"] == "user"


def test_undoing_what_the_person_did_asks_and_says_what(ready, agent, person):
    done = person("remember", content="O café é às dez.", type="gotcha")
    summary = asks(agent, "undo", op=done.op).details["summary"]
    assert done.op in summary
    assert "the user" in summary
    undone = confirmed(agent, "undo", op=done.op)
    assert undone.confirmed_by == "token"
    assert not (ready.root / done.path).exists()
    assert "Cabecao-Approved: token" in ready.git("log", "-1", "--format=%B")


def test_the_start_of_an_id_asks_and_two_that_fit_are_refused(ready, agent, refuses):
    first = agent("remember", content="O café é às dez.", type="gotcha")
    second = agent("remember", content="O fax toca no ramal seis.", type="gotcha")
    refuses("not_found", agent, "undo", op=first.op[:3])
    refuses("invalid_argument", agent, "undo", op=os.path.commonprefix([first.op, second.op]))
    undone = confirmed(agent, "undo", op=second.op[:25])
    assert [one.op for one in undone.undone] == [second.op]


def test_a_yes_that_cannot_be_looked_up_is_no_yes(ready, agent, refuses, monkeypatch):
    from django.db import DatabaseError

    def fails(_digest):
        raise DatabaseError("x")

    token = token_of(agent, "write_page", **CREATE)
    monkeypatch.setattr(confirmation, "was_declined", fails)
    refuses("index_failed", agent, "write_page", **CREATE, confirm_token=token)


def test_every_operation_that_asks_can_say_so_in_its_own_output(ready):
    from brain import operations

    error = ConfirmationRequired("x", status="confirmation_required", summary="s", reasons=["r"], confirm_token="t")
    for operation in operations.OPERATIONS:
        if operation.confirmable:
            said = operations.asked(operation.name, error).model_dump()
            assert (said["status"], said["summary"], said["confirm_token"]) == ("confirmation_required", "s", "t")
            assert (said["op"], said["commit"]) == (None, None)


def test_an_operation_that_cannot_be_confirmed_refuses_instead(ready, agent, monkeypatch):
    from brain.caller import Request
    from brain.services.writes import write_page

    caller = replace(agent_on(Surface.MCP), request=Request())
    given = write_page.WritePageInput(**CREATE)
    with pytest.raises(BrainError) as raised:
        write_page.run(caller, given)
    assert raised.value.code == "rule_requires_human"
