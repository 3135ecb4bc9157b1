"""Approvals: what an agent asks for is shown whole, and decided on the page."""

from __future__ import annotations

import re

RULE = "memory/rules/portugues.md"
CREATE = {"path": RULE, "content": "Responda em português.", "frontmatter": {"type": "rule", "title": "Português"}}


def propose(agent, **arguments) -> str:
    given = {**CREATE, **arguments}
    return agent("propose", operation="write_page", arguments=given, reason="Você <pediu>.").proposal_id


def digest(page) -> str:
    return re.search(r'name="digest" value="([0-9a-f]{64})"', page.html)[1]


def test_the_queue_leads_to_each_request(agent, see):
    assert "Nothing waits for you" in see("/approvals").text
    identity = propose(agent)
    page = see("/approvals")
    assert page.heads == ["1 waits for you"]
    assert f'href="/approvals/{identity}"' in page.html


def test_a_request_shows_who_asks_why_and_all_that_would_be_written(agent, see):
    page = see(f"/approvals/{propose(agent)}")
    assert page.heads == ["Português"]
    assert "Claude Code" in page.text
    assert "Você <pediu>." in page.text
    assert "A rule becomes an instruction." in page.text
    assert "Responda em português." in page.text


def test_approved_it_is_written_and_can_be_undone(brain, agent, see, send):
    identity = propose(agent)
    form = {"decision": "accept", "digest": digest(see(f"/approvals/{identity}"))}
    assert send(f"/approvals/{identity}/decide", form).status_code == 302
    assert "approved_by: user" in (brain.root / RULE).read_text()
    assert f"Approved: {RULE}" in see("/approvals").text


def test_an_edit_is_what_is_written(brain, agent, see, send):
    identity = propose(agent)
    page = see(f"/approvals/{identity}")
    text = "---\r\ntype: rule\r\ntitle: Português\r\n---\r\n\r\nResponda em português, sempre.\r\n"
    send(f"/approvals/{identity}/decide", {"decision": "edit", "digest": digest(page), "text": text})
    written = (brain.root / RULE).read_bytes()
    assert "Responda em português, sempre.\n".encode() in written
    assert b"\r" not in written


def test_refused_nothing_is_written(brain, agent, send, see):
    identity = propose(agent)
    send(f"/approvals/{identity}/decide", {"decision": "reject", "reason": "Não pedi."})
    assert not (brain.root / RULE).exists()
    assert "Nothing waits for you" in see("/approvals").text


def test_where_the_target_moved_it_can_only_be_worked_out_again(brain, agent, see, send):
    brain.note("wiki/Fila.md", "Dez por vez.\n\nFim.", type="concept")
    brain.commit()
    given = {"path": "wiki/Fila.md", "old": "Dez", "new": "Vinte"}
    identity = agent("propose", operation="patch_page", arguments=given, reason="x").proposal_id
    file = brain.root / "wiki/Fila.md"
    file.write_text(file.read_text().replace("Fim.", "Fim da nota."))
    page = see(f"/approvals/{identity}")
    assert "What this would change has changed" in page.text
    assert 'value="accept"' not in page.html
    send(f"/approvals/{identity}/decide", {"decision": "rebase"})
    again = see(f"/approvals/{identity}")
    send(f"/approvals/{identity}/decide", {"decision": "accept", "digest": digest(again)})
    assert "Vinte por vez.\n\nFim da nota." in file.read_text()
