"""review: what waits, in its order, and only what the one who asks may see."""

from __future__ import annotations

import contextlib
import os
import signal
from datetime import timedelta
from types import SimpleNamespace

import pytest
from django.db import connections

from brain import clock
from brain.approval.models import Proposal
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError, Conflict, InvalidArgument, NotFound
from brain.index import operations
from brain.jobs import process
from brain.services.proposals import deciding

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


def accept_and_die(one: str, moment: str) -> None:
    """Accept a request in a process that is killed before it writes, or right after the commit."""
    child = os.fork()
    if not child:

        def die(*_arguments, **_named):
            os.kill(os.getpid(), signal.SIGKILL)

        connections.close_all()
        if moment == "before":
            deciding.writing.commit = die
        else:
            deciding._written = die
        with contextlib.suppress(BaseException):
            deciding.accept(PERSON, deciding.find(one), shown=None, text=None)
        os._exit(1)
    assert os.WIFSIGNALED(os.waitpid(child, 0)[1])


@pytest.mark.skipif(not hasattr(os, "fork"), reason="fork of POSIX")
@pytest.mark.parametrize(("moment", "waits"), [("before", True), ("after", False)])
def test_a_request_whose_acceptance_was_killed_waits_again_or_is_accepted_with_its_commit(
    ready, agent, person, moment, waits
):
    one = propose(agent)
    connections.close_all()
    accept_and_die(one, moment)
    half = Proposal.objects.get(id=one)
    assert (half.state, half.commit) == ("accepted", "")
    assert [row.id for row in person("review").waiting] == ([one] if waits else [])
    settled = Proposal.objects.get(id=one)
    assert (ready.root / CREATE["path"]).exists() is not waits
    assert settled.answer == ""
    if waits:
        assert (settled.state, settled.op) == ("waiting", "")
        assert person("review", id=one, accept=True).decided == "accepted"
    else:
        assert settled.state == "accepted"
        assert settled.commit == operations.by_op(settled.op).commit


def test_a_request_that_a_living_process_is_writing_is_left_alone(ready, agent, person):
    one = propose(agent)
    Proposal.objects.filter(id=one).update(state="accepted", op=clock.new_id(), answer=process.identity())
    assert person("review").waiting == []
    assert Proposal.objects.get(id=one).state == "accepted"
