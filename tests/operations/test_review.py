"""review: what waits, in its order, and only what the one who asks may see."""

from __future__ import annotations

import contextlib
import json
import os
import signal
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import DatabaseError, connections

from brain import clock
from brain.approval.models import Proposal
from brain.audit.models import Row
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError, Conflict, InvalidArgument, NotFound
from brain.index import operations
from brain.jobs import process
from brain.services.proposals import deciding, interrupted
from brain.store.lock import write_lock
from brain.web.viewmodels.approvals import waiting

CREATE = {"path": "memory/rules/r.md", "content": "Responda\u202e em voz\u200b baixa.", "frontmatter": {"type": "rule"}}


PERSON = Caller(Kind.HUMAN, "web", Surface.WEB, connection="another browser")


def propose(call, **arguments) -> str:
    return call("propose", operation="write_page", arguments={**CREATE, **arguments}, reason="pediu").proposal_id


def test_the_newest_comes_first_and_without_texts(ready, agent, person):
    first, second = propose(agent), propose(agent, path="memory/rules/s.md")
    shown = person("review")
    assert [one.id for one in shown.waiting] == [second, first]
    assert [one.changes for one in shown.waiting] == [[], []]
    assert shown.next_step.startswith("2 requests wait.")


def test_of_one_the_whole_texts_are_shown_as_they_would_be_written(ready, agent, person):
    one = person("review", id=propose(agent)).waiting[0]
    assert "Responda\u202e em voz\u200b baixa." in one.changes[0].after
    assert one.changes[0].before is None


def test_an_expired_confirmation_is_worked_out_again_before_a_yes(ready, agent, person, monkeypatch):
    with pytest.raises(BrainError):
        agent("write_page", **CREATE)
    (one,) = person("review").waiting
    assert one.until
    later = clock.now() + timedelta(minutes=6)
    monkeypatch.setattr(deciding, "clock", SimpleNamespace(now=lambda: later, new_id=clock.new_id))
    assert person("review").waiting[0].expired
    with pytest.raises(Conflict):
        person("review", id=one.id, accept=True)
    (again,) = person("review", id=one.id, rebase=True).waiting
    assert (again.kind, again.until, again.expired) == ("proposal", None, False)
    assert person("review", id=one.id, accept=True).decided == "accepted"


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"id": "01JZ0000000000000000000000"}, NotFound),
        ({"accept": True}, InvalidArgument),
        ({"id": "x", "accept": True, "reject": True}, InvalidArgument),
    ],
)
def test_what_cannot_be_asked_is_an_error_of_the_table(ready, person, arguments, error):
    with pytest.raises(error):
        person("review", **arguments)


def accept_and_die(one: str, moment: str, text: str | None = None) -> None:
    """Accept a request in a process that is killed at a moment."""
    child = os.fork()
    if not child:

        def die(*_arguments, **_named):
            os.kill(os.getpid(), signal.SIGKILL)

        def record_and_die(*arguments, **named):
            record(*arguments, **named)
            die()

        connections.close_all()
        record = interrupted.keeping.record
        place, name, what = {
            "before the commit": (deciding.writing, "commit", die),
            "before the attestation": (deciding.writing, "_vouch", die),
            "before the row": (deciding.interrupted, "written", die),
            "after the row": (interrupted.keeping, "record", record_and_die),
        }[moment]
        setattr(place, name, what)
        with contextlib.suppress(BaseException):
            deciding.accept(PERSON, deciding.find(one), shown=None, text=text)
        os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


def rows(identity: str) -> list[tuple[str, str, str]]:
    found = Row.objects.using("audit").filter(action="accept", subject=identity)
    return [(row.actor, json.loads(row.detail)["op"], json.loads(row.detail)["edited"]) for row in found]


def review_it(person):
    person("review")


def count_it(_person):
    waiting.now()


def start_anew(_person):
    interrupted.settle()


needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="fork of POSIX")


@needs_fork
@pytest.mark.parametrize("look", [review_it, count_it, start_anew])
@pytest.mark.parametrize("moment", ["before the attestation", "before the row", "after the row"])
def test_what_was_written_is_accepted_attested_and_on_record_once_whoever_looks_first(
    ready, agent, person, moment, look
):
    one = propose(agent)
    connections.close_all()
    accept_and_die(one, moment)
    half = Proposal.objects.get(id=one)
    assert (half.state, half.commit) == ("accepted", "")
    look(person)
    settled = Proposal.objects.get(id=one)
    assert (settled.state, settled.answer) == ("accepted", "")
    assert settled.commit == operations.by_op(settled.op).commit
    assert [rule.path for rule in agent("recall", task="x").rules] == [CREATE["path"]]
    for _ in range(2):
        look(person)
    assert rows(one) == [("human", settled.op, "no")]


@needs_fork
def test_what_was_not_written_waits_again_and_is_on_record_for_the_yes_that_counts(ready, agent, person):
    one = propose(agent)
    connections.close_all()
    accept_and_die(one, "before the commit")
    assert waiting.now().which == (one,)
    again = Proposal.objects.get(id=one)
    assert (again.state, again.op, again.answer) == ("waiting", "", "")
    assert not (ready.root / CREATE["path"]).exists()
    assert rows(one) == []
    done = person("review", id=one, accept=True)
    assert rows(one) == [("human", done.op, "no")]


@needs_fork
def test_an_edited_text_is_settled_as_the_persons(ready, agent, person):
    one = propose(agent)
    connections.close_all()
    text = person("review", id=one).waiting[0].changes[0].after.replace("voz", "boa voz")
    accept_and_die(one, "before the row", text)
    interrupted.settle()
    assert rows(one) == [("human", Proposal.objects.get(id=one).op, "yes")]


@needs_fork
def test_the_client_that_asked_is_told_what_a_killed_process_wrote(ready, agent, person):
    given = {**CREATE, "session_handle": "segunda"}
    with pytest.raises(BrainError):
        agent("write_page", **given)
    (one,) = person("review").waiting
    connections.close_all()
    accept_and_die(one.id, "before the row")
    assert agent("write_page", **given).status == "approved"


def test_an_acceptance_that_could_not_be_written_down_is_by_the_next_who_looks(ready, agent, person, monkeypatch):
    one = propose(agent)

    def fails(*_arguments, **_named):
        raise DatabaseError

    with monkeypatch.context() as patch:
        patch.setattr(interrupted.keeping, "record", fails)
        with pytest.raises((DatabaseError, BrainError)):
            person("review", id=one, accept=True)
    assert (ready.root / CREATE["path"]).exists()
    assert waiting.now().which == ()
    assert [edited for _actor, _op, edited in rows(one)] == ["no"]


@needs_fork
def test_looking_waits_for_nobody_who_writes(ready, agent, person):
    one = propose(agent)
    connections.close_all()
    accept_and_die(one, "before the row")
    with write_lock(ready.root):
        assert waiting.now().which == ()
    assert Proposal.objects.get(id=one).commit == ""
    interrupted.settle()
    assert Proposal.objects.get(id=one).commit


def test_a_request_that_a_living_process_is_writing_is_left_alone(ready, agent, person):
    one = propose(agent)
    Proposal.objects.filter(id=one).update(state="accepted", op=clock.new_id(), answer=process.identity())
    assert person("review").waiting == []
    assert Proposal.objects.get(id=one).state == "accepted"
