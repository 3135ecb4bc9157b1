"""Who may not decide: whoever has no session, a token, another page, and the person whose proof is old."""

from __future__ import annotations

import json
import re

import pytest

from brain.audit.models import Row

RULE = "memory/rules/portugues.md"
CREATE = {"path": RULE, "content": "Responda em português.", "frontmatter": {"type": "rule", "title": "Português"}}


@pytest.fixture
def waiting(agent):
    """A request that waits."""
    return agent("propose", operation="write_page", arguments=CREATE, reason="pediu").proposal_id


def refusals() -> list[tuple[str, str, str]]:
    rows = Row.objects.using("audit").filter(action="refusal").order_by("seq")
    return [(row.actor, row.subject, json.loads(row.detail)["code"]) for row in rows]


def test_without_the_session_it_is_refused_and_on_record(brain, waiting, stranger):
    path = f"/approvals/{waiting}/decide"
    assert stranger.post(path, {"decision": "accept"}).status_code == 403
    assert refusals() == [("agent:http", f"POST {path}", "human_only")]
    assert not (brain.root / RULE).exists()


@pytest.mark.parametrize("header", [{}, {"Authorization": "Bearer cbt_" + "x" * 30}])
def test_over_the_api_nobody_decides_without_the_session(brain, waiting, stranger, header):
    body = json.dumps({"id": waiting, "accept": True})
    answer = stranger.post("/api/review", body, content_type="application/json", headers=header)
    assert answer.status_code in (401, 403)
    assert refusals() == [("agent:http", "POST /api/review", "human_only")]
    assert not (brain.root / RULE).exists()


def test_looking_leaves_no_row_and_shows_nothing(waiting, stranger):
    answer = stranger.get(f"/approvals/{waiting}")
    assert answer.status_code == 403
    assert "Português" not in answer.content.decode()
    assert refusals() == []


@pytest.mark.parametrize("decision", ["accept", "edit"])
def test_an_old_proof_is_asked_for_anew_and_is_on_record(brain, waiting, person, see, send, decision):
    digest = re.search(r'name="digest" value="([0-9a-f]{64})"', see(f"/approvals/{waiting}").html)[1]
    session = person.session
    session["proved_at"] = "2020-01-01T00:00:00Z"
    session.save()
    answer = send(f"/approvals/{waiting}/decide", {"decision": decision, "digest": digest, "text": "x"})
    assert answer.status_code == 403
    assert "Is it you?" in answer.content.decode()
    assert refusals() == [("human", "review", "human_only")]
    assert not (brain.root / RULE).exists()


def test_a_form_of_another_page_decides_nothing(brain, waiting, person):
    headers = {"Origin": "https://evil.example"}
    answer = person.post(f"/approvals/{waiting}/decide", {"decision": "accept"}, headers=headers)
    assert answer.status_code == 403
    assert not (brain.root / RULE).exists()


def test_looking_by_get_changes_nothing(brain, waiting, person):
    assert person.get(f"/approvals/{waiting}/decide?decision=accept").status_code == 405
    assert not (brain.root / RULE).exists()
