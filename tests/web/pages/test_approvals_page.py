"""Approvals: what an agent asks for is shown whole, and decided on the page."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from brain import clock, operations
from brain.caller import Caller, Kind, Surface
from brain.errors import BrainError

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


def test_what_cabecao_looked_at_is_listed(brain, agent, see):
    brain.note("raw/articles/x.md", "Texto de fora.", type="source")
    brain.note("memory/gotchas/Fila.md", "O consumidor nunca relê a fila de faturas depois da falha.", type="gotcha")
    brain.commit()
    calm = see(f"/approvals/{propose(agent)}")
    assert "No secret in the text" in calm.text
    assert "The target has not changed since" in calm.text
    assert "No contradiction found" in calm.text
    given = {
        "path": "memory/gotchas/Outra.md",
        "content": "O consumidor relê a fila de faturas depois da falha.",
        "frontmatter": {"type": "gotcha", "title": "Outra"},
    }
    agent("read", path="memory/gotchas/Fila.md")
    one = agent("propose", operation="write_page", arguments=given, reason="x").proposal_id
    assert "It may contradict “Fila”" in see(f"/approvals/{one}").text


def test_it_says_what_the_session_had_read_from_outside(brain, client_of, see):
    brain.note("raw/articles/x.md", "Texto de fora.", type="source")
    brain.commit()
    one, other = client_of("um"), client_of("outro")
    one("read", path="raw/articles/x.md")
    told = see(f"/approvals/{propose(one)}").text
    assert "had read outside material before it asked: raw/articles/x.md" in told
    assert "had read nothing from outside" in see(f"/approvals/{propose(other)}").text


def test_signs_that_deceive_the_eye_are_framed_and_named(agent, see):
    identity = propose(agent, content="Responda no p\u0430ypal\u202e j\u00e1.")
    page = see(f"/approvals/{identity}")
    assert 'title="U+0430 CYRILLIC SMALL LETTER A"' in page.html
    assert 'title="U+202E RIGHT-TO-LEFT OVERRIDE"' in page.html
    assert "\u202e" not in page.html
    assert "2 signs in the new text" in page.text


def test_what_is_shown_has_the_marks_that_a_yes_adds(agent, see):
    assert "approved_by: user" in see(f"/approvals/{propose(agent)}").text


def test_an_archived_note_is_one_change_with_both_places(brain, agent, see):
    brain.note("memory/gotchas/Fila.md", "Dez por vez.", type="gotcha", title="Fila")
    brain.commit()
    given = {"id": "memory/gotchas/Fila.md", "reason": "velha"}
    page = see(f"/approvals/{agent('propose', operation='forget', arguments=given, reason='x').proposal_id}")
    assert page.heads == ["Archive “Fila”"]
    assert page.html.count('class="diff"') == 1
    assert "memory/_archive/gotchas/Fila.md" in page.text
    assert "?edit=1" not in page.html


def test_a_control_file_says_so(brain, agent, see):
    brain.write("AGENTS.md", "# Aqui\n")
    brain.commit()
    given = {"path": "AGENTS.md", "content": "Fale baixo.", "mode": "append"}
    page = see(f"/approvals/{agent('propose', operation='write_page', arguments=given, reason='x').proposal_id}")
    assert page.heads == ["Change AGENTS.md"]
    assert "A control file is read as an instruction." in page.text


def test_the_number_that_waits_stands_on_every_page(agent, see):
    assert 'id="waits-rail"></span>' in see("/settings").html
    propose(agent)
    assert re.search(r'id="waits-rail"> 1<span class="hidden"> waiting</span>', see("/settings").html)


def test_a_page_that_asks_again_is_told_once(agent, see, person):
    mark = re.search(r"/approvals/waiting\?v=(\w+)", see("/settings").html)[1]
    assert person.get("/approvals/waiting", {"v": mark}, headers={"HX-Request": "true"}).status_code == 204
    propose(agent)
    told = person.get("/approvals/waiting", {"v": mark}, headers={"HX-Request": "true"})
    assert told["HX-Trigger"] == "waiting-changed"
    assert b'hx-swap-oob="true"' in told.content


def test_home_shows_three_and_says_how_many(agent, see):
    for number in range(4):
        propose(agent, path=f"memory/rules/r{number}.md")
    page = see("/")
    assert "4 wait for you" in page.text
    assert page.html.count('class="queued"') == 3
    assert 'data-key="3"' in page.html


def test_after_a_decision_the_next_request_is_shown(agent, see, send):
    first, second = propose(agent), propose(agent, path="memory/rules/s.md")
    assert send(f"/approvals/{second}/decide", {"decision": "reject"})["Location"] == f"/approvals/{first}"
    assert send(f"/approvals/{first}/decide", {"decision": "reject"})["Location"] == "/approvals"


def test_a_decision_that_there_is_not_decides_nothing(brain, agent, send, see):
    identity = propose(agent)
    assert send(f"/approvals/{identity}/decide", {"decision": "", "digest": "x"}).status_code == 404
    assert "1 waits for you" in see("/approvals").text


def test_the_reason_is_the_agents_claim_and_not_the_pages_own_words(agent, see):
    page = see(f"/approvals/{propose(agent)}")
    assert '<q dir="auto">Você &lt;pediu&gt;.</q>' in page.html
    assert "It claims:" in page.text


def test_what_nobody_waits_for_any_more_stays_and_can_be_asked_for_again(agent, see, send, monkeypatch):
    with pytest.raises(BrainError):
        agent("write_page", **CREATE)
    later = clock.now() + timedelta(minutes=6)
    monkeypatch.setattr(clock, "now", lambda: later)
    page = see("/approvals")
    assert "Expired" in page.text
    assert 'id="waits-rail"></span>' in page.html
    href = re.search(r'href="(/approvals/\w{26})"', page.html)[1]
    one = see(href)
    assert "Its client no longer waits for this." in one.text
    assert 'value="accept"' not in one.html
    assert send(f"{href}/decide", {"decision": "rebase"})["Location"] == href
    assert "no deadline" in see(href).text


def test_what_waits_is_told_until_it_no_longer_does(agent, see, person):
    with pytest.raises(BrainError):
        agent("write_page", **CREATE)
    page = see("/approvals")
    assert "expires in 5:00" in page.text
    href = re.search(r'href="(/approvals/\w{26})"', page.html)[1]
    assert b"expires in" in person.get(f"{href}/deadline", headers={"HX-Request": "true"}).content
    gone = person.get("/approvals/01JZ0000000000000000000000/deadline", headers={"HX-Request": "true"})
    assert gone.status_code == 204


def mark(page) -> str:
    return re.search(r'id="standing"[^>]*/standing\?v=([^"]*)"', page.html)[1]


@pytest.mark.parametrize(
    ("decide", "said"),
    [
        ({"accept": True}, "approved meanwhile"),
        ({"reject": True}, "refused meanwhile"),
        ({"withdraw": True}, "took this request back"),
        ({"rebase": True}, "no longer as this page shows it"),
    ],
)
def test_a_page_that_shows_a_request_is_told_what_became_of_it_elsewhere(agent, see, person, decide, said):
    identity = propose(agent)
    asked = {"path": f"/approvals/{identity}/standing", "data": {"v": mark(see(f"/approvals/{identity}"))}}
    assert person.get(**asked, headers={"HX-Request": "true"}).status_code == 204
    elsewhere = Caller(kind=Kind.HUMAN, client="cli", surface=Surface.CLI)
    operations.dispatch("review", elsewhere, {"id": identity, **decide})
    answer = person.get(**asked, headers={"HX-Request": "true"})
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert 'value="accept"' not in answer.content.decode()


def test_a_target_that_moved_is_told_to_the_page_that_shows_the_request(brain, agent, see, person):
    identity = propose(agent)
    asked = {"path": f"/approvals/{identity}/standing", "data": {"v": mark(see(f"/approvals/{identity}"))}}
    brain.write(RULE, "---\ntype: rule\n---\n\nOutra.\n")
    answer = person.get(**asked, headers={"HX-Request": "true"})
    assert "no longer as this page shows it" in answer.content.decode()
    assert f'href="/approvals/{identity}"' in answer.content.decode()


@pytest.mark.parametrize("decision", ["accept", "edit", "reject", "rebase"])
def test_a_form_that_comes_too_late_is_told_so_and_keeps_what_was_typed(brain, agent, see, send, decision):
    identity = propose(agent)
    shown = digest(see(f"/approvals/{identity}"))
    send(f"/approvals/{identity}/decide", {"decision": "reject"})
    form = {"decision": decision, "digest": shown, "text": "O que eu <digitei>."}
    answer = send(f"/approvals/{identity}/decide", form)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "refused meanwhile" in page
    assert "O que eu &lt;digitei&gt;." in page
    assert not (brain.root / RULE).exists()
    assert "refused meanwhile" in see(f"/approvals/{identity}", status=409).text


def test_a_text_that_changed_after_it_was_shown_is_not_accepted_and_can_be_looked_at_again(brain, agent, see, send):
    identity = propose(agent)
    answer = send(f"/approvals/{identity}/decide", {"decision": "accept", "digest": "0" * 64})
    assert answer.status_code == 409
    assert f'href="/approvals/{identity}"' in answer.content.decode()
    assert not (brain.root / RULE).exists()
