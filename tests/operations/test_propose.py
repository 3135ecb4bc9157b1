"""propose: a write is worked out, kept word for word, and decided by the person alone."""

from __future__ import annotations

import json
import sqlite3

import pytest
from calling import as_client, calling

from brain.approval.models import Proposal
from brain.audit.models import Row
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError, Conflict, HumanOnly
from brain.note import document

RULE = "memory/rules/portugues.md"
CREATE = {"path": RULE, "content": "Responda em português.", "frontmatter": {"type": "rule", "title": "Português"}}
NOTE = "wiki/concepts/Fila.md"


def propose(call, operation="write_page", reason="O usuário pediu.", **arguments) -> str:
    return call("propose", operation=operation, arguments=arguments or CREATE, reason=reason).proposal_id


def waiting(call) -> list[str]:
    return [one.id for one in call("review").waiting]


def fields(brain, path: str) -> dict:
    return document.parse((brain.root / path).read_bytes()).frontmatter


@pytest.fixture
def queue(ready):
    ready.note(NOTE, "Dez por vez.\n\nFim.", type="concept", title="Fila")
    ready.commit()
    return ready


@pytest.fixture
def stranger(ready):
    """A client that the brain's settings do not trust."""
    settings = json.loads((ready.root / ".cabecao.json").read_text())
    ready.write(".cabecao.json", json.dumps({**settings, "provenance": {"untrusted_clients": ["estranho"]}}))
    ready.commit()
    return as_client("estranho")


def test_nothing_is_written_and_the_person_is_shown_all(ready, agent, person, unchanged):
    with unchanged():
        identity = propose(agent)
        one = person("review", id=identity).waiting[0]
    assert (one.client, one.claim, one.title, one.paths) == ("claude-code", "O usuário pediu.", "Português", [RULE])
    assert one.reasons == ["It is a rule: agents will take it for an instruction in every recall."]
    assert "Responda em português." in one.changes[0].after
    assert one.changes[0].whole


def test_accepted_it_is_written_as_the_agents_with_the_persons_yes(ready, agent, person):
    identity = propose(agent)
    done = person("review", id=identity, accept=True)
    assert (done.decided, done.path) == ("accepted", RULE)
    assert fields(ready, RULE)["origin"] == "agent:claude-code"
    assert fields(ready, RULE)["approved_by"] == "user"
    said = ready.git("log", "-1", "--format=%B")
    assert "Cabecao-Approved: user" in said
    assert "Cabecao-Client: claude-code" in said
    assert [one.path for one in agent("recall", task="responder").rules] == [RULE]
    assert waiting(person) == []
    person("undo", op=done.op)
    assert not (ready.root / RULE).exists()


def test_edited_it_is_the_persons_own(ready, agent, person):
    identity = propose(agent)
    text = person("review", id=identity).waiting[0].changes[0].after.replace("português.", "português do Brasil.\r\n")
    person("review", id=identity, accept=True, text=text)
    assert (ready.root / RULE).read_bytes().endswith("Responda em português do Brasil.\n\n".encode())
    assert fields(ready, RULE)["approved_by"] == "user"
    assert "Cabecao-Kind: human" in ready.git("log", "-1", "--format=%B")
    assert [one.path for one in agent("recall", task="responder").rules] == [RULE]


def test_rejected_nothing_is_written_and_the_reason_is_kept(ready, agent, person, unchanged):
    identity = propose(agent)
    with unchanged():
        assert person("review", id=identity, reject=True, reason="Não pedi.").decided == "rejected"
    assert waiting(person) == []
    row = Row.objects.using("audit").get(action="reject")
    assert (row.actor, row.subject, json.loads(row.detail)["reason"]) == ("human", identity, "Não pedi.")


def test_an_agent_decides_none_and_withdraws_its_own_alone(ready, agent, other_agent, refuses):
    identity = propose(agent)
    for decision in ({"accept": True}, {"reject": True}, {"rebase": True}):
        refuses("human_only", agent, "review", id=identity, **decision)
    refuses("human_only", other_agent, "review", id=identity, withdraw=True)
    assert waiting(other_agent) == []
    assert waiting(agent) == [identity]
    agent("review", id=identity, withdraw=True)
    assert waiting(agent) == []


def test_the_same_again_is_one_proposal(ready, agent):
    assert propose(agent) == propose(agent)


@pytest.mark.parametrize("forgery", ["change = replace(change, 'português', 'inglês')", "client = 'codex-cli'"])
def test_what_changed_behind_the_log_is_refused(ready, agent, person, unchanged, forgery):
    identity = propose(agent)
    with sqlite3.connect(ready.root / ".cabecao/state.db") as state:
        state.execute(f"UPDATE proposal SET {forgery}")  # noqa: S608 (the two texts above)
    with unchanged(), pytest.raises(Conflict):
        person("review", id=identity, accept=True)
    assert waiting(person) == [identity]


def test_a_yes_is_for_what_was_shown(ready, agent, person, unchanged):
    identity = propose(agent)
    with unchanged(), pytest.raises(Conflict):
        person("review", id=identity, accept=True, digest="0" * 64)


def test_a_target_that_moved_is_shown_and_worked_out_again(queue, agent, person, unchanged):
    identity = propose(agent, "patch_page", path=NOTE, old="Dez", new="Vinte")
    queue.write(NOTE, (queue.root / NOTE).read_text().replace("Fim.", "Fim da nota."))
    assert person("review", id=identity).waiting[0].moved
    with unchanged(), pytest.raises(Conflict):
        person("review", id=identity, accept=True)
    again = person("review", id=identity, rebase=True).waiting[0]
    assert not again.moved
    person("review", id=identity, accept=True, digest=again.digest)
    assert "Vinte por vez.\n\nFim da nota." in (queue.root / NOTE).read_text()


def test_what_can_no_longer_be_done_says_so(queue, agent, person):
    identity = propose(agent, "patch_page", path=NOTE, old="Dez", new="Vinte")
    queue.write(NOTE, (queue.root / NOTE).read_text().replace("Dez", "Nove"))
    with pytest.raises(BrainError) as raised:
        person("review", id=identity, rebase=True)
    assert raised.value.code == "patch_not_found"


@pytest.mark.parametrize(
    ("code", "arguments"),
    [
        ("unsafe_path", {"path": "../fora.md", "content": "x", "frontmatter": {"type": "concept"}}),
        ("invalid_path", {"path": "index.md", "content": "x", "mode": "overwrite"}),
        ("invalid_argument", {"path": RULE}),
        ("not_found", {"path": "wiki/nada.md", "content": "x", "mode": "append"}),
    ],
)
def test_what_would_be_refused_cannot_be_proposed(ready, agent, refuses, code, arguments):
    refuses(code, agent, "propose", operation="write_page", arguments=arguments, reason="x")
    assert not Proposal.objects.exists()


def test_the_proof_must_be_fresh(ready, agent):
    identity = propose(agent)
    late = calling(Caller(Kind.HUMAN, "web", Surface.WEB, connection="x", proved=False))
    with pytest.raises(HumanOnly) as raised:
        late("review", id=identity, accept=True)
    assert raised.value.details["proof"] == "due"


def test_of_two_decisions_one_holds(ready, agent, person):
    identity = propose(agent)
    person("review", id=identity, reject=True)
    with pytest.raises(Conflict):
        person("review", id=identity, accept=True)


def test_what_an_untrusted_client_writes_becomes_a_proposal(stranger, ready, person, unchanged):
    with unchanged():
        said = stranger("remember", content="O relatório fecha na quinta.", type="gotcha", title="Relatório")
        assert (said.decision, said.status) == ("proposed", "proposed")
        page = stranger("write_page", path="wiki/concepts/X.md", content="x", frontmatter={"type": "concept"})
        assert page.proposal_id
    assert sorted(waiting(person)) == sorted([said.proposal_id, page.proposal_id])
    done = person("review", id=said.proposal_id, accept=True)
    assert fields(ready, done.path)["approved_by"] == "user"
    assert fields(ready, done.path)["origin"] == "agent:estranho"


def test_a_confirmation_waits_on_the_page_until_its_client_has_it(ready, agent, person):
    with pytest.raises(BrainError) as raised:
        agent("write_page", **CREATE)
    assert [one.kind for one in person("review").waiting] == ["confirmation"]
    agent("write_page", **CREATE, confirm_token=raised.value.details["confirm_token"])
    assert waiting(person) == []


def test_a_confirmation_said_yes_to_on_the_page_is_done_and_its_client_is_told_once(ready, agent, person):
    with pytest.raises(BrainError) as raised:
        agent("write_page", **CREATE)
    done = person("review", id=waiting(person)[0], accept=True)
    told = agent("write_page", **CREATE, confirm_token=raised.value.details["confirm_token"])
    assert (told.status, told.op, told.confirmed_by) == ("approved", done.op, "user")
    with pytest.raises(BrainError) as again:
        agent("write_page", **CREATE)
    assert again.value.code == "already_exists"


def test_a_confirmation_refused_on_the_page_is_a_no_to_its_client(ready, agent, person):
    with pytest.raises(BrainError) as raised:
        agent("write_page", **CREATE)
    person("review", id=waiting(person)[0], reject=True, reason="Agora não.")
    with pytest.raises(BrainError) as told:
        agent("write_page", **CREATE, confirm_token=raised.value.details["confirm_token"])
    assert told.value.details["status"] == "declined"
    assert told.value.details["reasons"] == ["Agora não."]
    assert not (ready.root / RULE).exists()


def test_a_person_has_nobody_to_propose_to(ready, person, refuses):
    refuses("invalid_argument", person, "propose", operation="write_page", arguments=CREATE, reason="x")
