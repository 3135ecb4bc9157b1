"""Home: the briefing, the last operations, the health."""

from __future__ import annotations

import re

import pytest

from brain.approval import attestation

HTMX = {"HX-Request": "true"}


@pytest.fixture
def filled(brain, stranger):
    brain.note("memory/rules/r.md", "Sirva quente.", type="rule", title="Sirva quente", approved_by="user", id="R",
               approved_at="2026-01-15T12:31:10.000Z")  # fmt: skip
    brain.note("memory/rules/s.md", "Sirva frio.", type="rule", title="Sirva frio", id="S")
    brain.note("memory/handoffs/h.md", "## Falta\n\nO alarme de [[Sirva quente]].", type="handoff", title="Consumidores",
               scope="project:atlas", updated="2026-11-10T18:45:00.000Z")  # fmt: skip
    brain.note("memory/gotchas/g.md", "O lote apaga pela metade.", type="gotcha", title="Metade")
    attestation.attest("R", (brain.root / "memory/rules/r.md").read_bytes())
    brain.commit()


def test_the_rules_in_force_say_who_approved_them_and_others_wait(filled, see):
    page = see("/")
    rules = page.html.partition("Rules in force")[2].partition("</section>")[0]

    assert "Sirva quente" in rules
    assert "approved by you on" in rules
    assert "Sirva frio" not in rules
    assert "1 rule waits" in rules


def test_the_latest_handoff_is_shown_as_it_reads(filled, see):
    page = see("/")

    assert page.links["Consumidores"] == "/path/memory/handoffs/h.md"
    assert page.links["Sirva quente"] == "/n/R"


def test_the_briefing_is_what_an_agent_is_told(filled, see, agent):
    told = agent("recall", task="Start of a session", scope="project:atlas")
    page = see("/?scope=project:atlas")

    assert f"{told.used_tokens} of {told.budget_tokens} tokens" in page.text
    for item in [*told.rules, told.handoff, *told.preferences, *told.gotchas, *told.memories]:
        assert item.content.split("\n")[0] in page.html


def test_scopes_are_links_and_the_chosen_one_is_marked(filled, see):
    page = see("/?scope=project:atlas&task=mover")

    assert page.links["Global"] == "/?scope=global&task=mover"
    assert re.search(r'href="/\?scope=project%3Aatlas[^>]*aria-current="true"', page.html)


def test_a_scope_that_is_none_is_refused_with_what_to_do(filled, see):
    assert "project:&lt;name&gt;" in see("/?scope=a b", status=400).html


def test_the_last_operations_come_with_their_way_back(filled, agent, see):
    done = agent("remember", content="A fila ficou sem dono.", type="gotcha", title="Fila")
    page = see("/")

    assert "Claude Code wrote Fila" in page.text
    assert f'<input type="hidden" name="op" value="{done.op}">' in page.html


def test_nothing_is_sent_while_nothing_was_done(filled, agent, person, see):
    mark = re.search(r"part=last&amp;v=([0-9a-f]+)", see("/").html)[1]
    assert person.get(f"/?part=last&v={mark}", headers=HTMX).status_code == 204

    agent("remember", content="A fila ficou sem dono.", type="gotcha", title="Fila")
    assert "Fila" in see(f"/?part=last&v={mark}", **HTMX).text


def test_the_health_says_that_no_worker_runs(filled, person, see):
    page = see("/health")

    assert "No worker is running" in page.text
    assert "4 notes" in page.text
    mark = re.search(r"/health\?v=([0-9a-f]+)", page.html)[1]
    assert person.get(f"/health?v={mark}", headers=HTMX).status_code == 204


def test_the_health_is_good_with_a_worker(filled, see):
    from brain.jobs import workers

    workers.beat()

    assert "All is well." in see("/health").text


def test_an_empty_brain_shows_three_steps(brain, see):
    brain.commit()
    page = see("/")

    assert page.html.count('<li class="card">') == 3
    assert page.links["Connect a client"] == "/settings/clients"
