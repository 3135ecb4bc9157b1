"""Attesting on a page: each text whole, a yes for exactly what was shown, and a proof that is fresh."""

from __future__ import annotations

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest

from brain import clock
from brain.web import person as person_of


@pytest.fixture
def held(brain):
    brain.note("memory/rules/quente.md", "Sirva <sempre> quente.\n\nAté o fim.", type="rule", title="Quente")
    brain.note("memory/preferences/curto.md", "Respostas curtas.", type="preference", title="Curto")
    brain.commit()
    return brain


def rules(agent) -> list[str]:
    return [one.path for one in agent("recall", task="servir").rules]


def texts(page) -> list[str]:
    return re.findall(r'name="text" value="([^"]+)"', page.html)


@pytest.fixture
def eleven_minutes_later(monkeypatch):
    later = clock.now() + timedelta(minutes=11)
    monkeypatch.setattr(person_of, "clock", SimpleNamespace(now=lambda: later, timestamp=clock.timestamp))


def test_home_and_lint_lead_to_the_texts(held, see):
    assert see("/").links["Read them"] == "/attest"
    assert see("/lint").links["Read them and say which are yours"] == "/attest"


def test_each_text_is_shown_whole_with_who_is_on_record(held, see):
    shown = see("/attest")
    assert shown.heads == ["Rules held back"]
    assert "Sirva <sempre> quente. Até o fim." in shown.text
    assert "Sirva &lt;sempre&gt; quente.\n\nAté o fim." in shown.html
    assert "says that you wrote it" in shown.text
    assert "I read all 2: they are mine" in shown.text


def test_one_that_is_the_persons_counts_at_once(held, see, send, agent):
    first = texts(see("/attest"))[0]
    assert send("/attest/vouch", {"text": first}).status_code == 302
    assert rules(agent) == ["memory/rules/quente.md"]
    assert "Quente" not in see("/attest").text.replace("text is yours now", "")


def test_all_that_were_read_count(held, see, send, agent):
    send("/attest/vouch", {"text": texts(see("/attest"))[-2:]})
    assert rules(agent) == ["memory/rules/quente.md"]
    assert "Nothing waits" in see("/attest").text


def test_a_text_that_changed_after_it_was_shown_does_not(held, see, send, agent):
    first = texts(see("/attest"))[0]
    file = held.root / "memory/rules/quente.md"
    file.write_text(file.read_text(encoding="utf-8").replace("quente.", "frio."), encoding="utf-8")
    assert send("/attest/vouch", {"text": first}).status_code == 409
    assert rules(agent) == []


def test_after_ten_minutes_the_proof_is_asked_for_and_the_decision_kept(held, see, send, agent, eleven_minutes_later):
    first = texts(see("/attest"))[0]
    answer = send("/attest/vouch", {"text": first, "back": "/attest"})
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "cabecao open" in page
    assert f'name="text" value="{first}"' in page
    assert 'action="/attest/vouch"' in page
    assert 'href="/attest"' in page
    assert rules(agent) == []


def test_a_new_link_is_a_fresh_proof_and_forms_in_other_tabs_stay_good(held, person, see, agent, monkeypatch):
    from brain.access import launch

    shown = see("/attest")
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', shown.html)[1]
    session = person.session
    session[person_of.PROVED_AT] = "2020-01-01T00:00:00.000Z"
    session.save()
    form = {"text": texts(shown)[0], "csrfmiddlewaretoken": token}
    assert person.post("/attest/vouch", form).status_code == 403
    assert person.get("/enter", {"c": launch.create()}).status_code == 302
    assert person.post("/attest/vouch", form).status_code == 302
    assert rules(agent) == ["memory/rules/quente.md"]


@pytest.mark.parametrize("back", ["//evil.example", "https://evil.example", "/\\evil.example", "/a\nb", ""])
def test_the_way_back_stays_on_these_pages(held, send, see, eleven_minutes_later, back):
    first = texts(see("/attest"))[0]
    page = send("/attest/vouch", {"text": first, "back": back}).content.decode()
    assert '<a class="button" href="/">' in page


def test_nothing_is_vouched_for_by_get_or_without_the_token(held, person, agent):
    assert person.get("/attest/vouch").status_code == 405
    assert person.post("/attest/vouch", {"text": "x:y"}).status_code == 403
    assert rules(agent) == []
