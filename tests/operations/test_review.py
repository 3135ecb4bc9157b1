"""review: what waits, in its order, and only what the one who asks may see."""

from __future__ import annotations

from datetime import timedelta
from types import SimpleNamespace

import pytest

from brain import clock
from brain.errors import BrainError, Conflict, InvalidArgument, NotFound
from brain.services.proposals import deciding

CREATE = {"path": "memory/rules/r.md", "content": "Responda\u202e em voz\u200b baixa.", "frontmatter": {"type": "rule"}}


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
    monkeypatch.setattr(deciding, "clock", SimpleNamespace(now=lambda: later))
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
