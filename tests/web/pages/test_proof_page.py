"""Proving that it is the person: the password, what is never repeated in a page, and how often one may guess."""

from __future__ import annotations

import json
import re
from datetime import timedelta

import pytest

from brain import clock
from brain.access import guesses, passkeys, password
from brain.access.models import Guesses, Passkey
from brain.audit.models import Row

SECRET = "cavalo bateria grampo certo"
RULE = "memory/rules/portugues.md"
CREATE = {"path": RULE, "content": "Responda em português.", "frontmatter": {"type": "rule", "title": "Português"}}


@pytest.fixture
def grow_old(person):
    """Let the last proof be an old one."""

    def later():
        session = person.session
        session["proved_at"] = "2020-01-01T00:00:00Z"
        session.save()

    return later


@pytest.fixture
def waiting(agent, see):
    """The address at which a request is decided, and the form that accepts it."""
    identity = agent("propose", operation="write_page", arguments=CREATE, reason="pediu").proposal_id
    digest = re.search(r'name="digest" value="([0-9a-f]{64})"', see(f"/approvals/{identity}").html)[1]
    form = {"decision": "accept", "digest": digest, "back": f"/approvals/{identity}"}
    return f"/approvals/{identity}/decide", form


def proofs() -> list[tuple[str, str, str]]:
    rows = Row.objects.using("audit").filter(action="proof").order_by("seq")
    return [(row.actor, row.subject, json.loads(row.detail)["did"]) for row in rows]


def set_it(send, text=SECRET, again=None):
    return send("/settings/proof/password", {"new_password": text, "new_password_again": again or text})


def test_a_password_is_set_changed_and_removed_and_each_is_on_record(person, send, see):
    assert "No password is set" in see("/settings/proof").text
    assert set_it(send).status_code == 302
    assert "A password is set" in see("/settings/proof").text
    assert password.is_right(SECRET)
    assert set_it(send, "outra frase bem comprida").status_code == 302
    assert not password.is_right(SECRET)
    assert send("/settings/proof/password/remove").status_code == 302
    assert not password.is_set()
    assert proofs() == [
        ("human", "password", "set"),
        ("human", "password", "changed"),
        ("human", "password", "removed"),
    ]


def test_it_is_kept_as_a_slow_hash_alone(send, kept_state):
    set_it(send)
    assert SECRET.encode() not in kept_state()
    assert b"scrypt$" in kept_state() or b"pbkdf2_sha256$" in kept_state()


@pytest.fixture
def kept_state(brain):
    def read() -> bytes:
        return b"".join(file.read_bytes() for file in (brain.root / ".cabecao").glob("*.db*"))

    return read


def test_the_same_password_typed_with_other_accents_is_the_same(send):
    set_it(send, "cora\u00e7\u00e3o de est\u00e1tua")
    assert password.is_right("corac\u0327a\u0303o de esta\u0301tua")


@pytest.mark.parametrize(
    ("text", "again", "said"),
    [
        ("curta", "curta", "at least 10 characters"),
        ("1234567890", "1234567890", "most used"),
        (SECRET, SECRET + "!", "not the same"),
    ],
)
def test_what_would_not_do_is_refused_with_the_reason_and_without_the_text(send, text, again, said):
    answer = set_it(send, text, again)
    page = answer.content.decode()
    assert answer.status_code == 400
    assert said in page
    assert text not in page
    assert not password.is_set()


def test_nothing_is_set_without_a_fresh_proof_and_the_new_password_is_in_no_page(send, grow_old):
    grow_old()
    for path, form in (
        ("/settings/proof", {}),
        ("/settings/proof/password", {"new_password": SECRET, "new_password_again": SECRET}),
        ("/settings/proof/password/remove", {}),
        ("/settings/proof/passkey", {"passkey": "{}", "seal": "x"}),
        ("/settings/proof/passkey/remove", {"passkey": "1"}),
    ):
        answer = send(path, form)
        assert answer.status_code == 403, path
        assert "Is it you?" in answer.content.decode()
        assert SECRET not in answer.content.decode()
    assert not password.is_set()
    assert proofs() == []


def test_a_decision_goes_on_with_the_password_in_one_request(brain, waiting, send, grow_old):
    path, form = waiting
    set_it(send)
    grow_old()
    asked = send(path, form)
    assert asked.status_code == 403
    assert 'name="proof_password"' in asked.content.decode()
    assert f'name="digest" value="{form["digest"]}"' in asked.content.decode()
    assert send(path, {**form, "proof_password": SECRET}).status_code == 302
    assert (brain.root / RULE).exists()


def test_a_wrong_password_decides_nothing_keeps_the_form_and_is_on_record(brain, waiting, send, grow_old):
    path, form = waiting
    set_it(send)
    grow_old()
    answer = send(path, {**form, "proof_password": "outra coisa qualquer"})
    page = answer.content.decode()
    assert answer.status_code == 403
    assert "This is not the password" in page
    assert "outra coisa qualquer" not in page
    assert f'name="digest" value="{form["digest"]}"' in page
    assert not (brain.root / RULE).exists()
    rows = Row.objects.using("audit").filter(action="refusal", subject="proof")
    assert [json.loads(row.detail)["code"] for row in rows] == ["human_only"]


def test_a_wrong_password_undoes_no_proof_that_is_fresh_but_is_no_yes_either(brain, waiting, send):
    path, form = waiting
    set_it(send)
    assert send(path, {**form, "proof_password": "outra coisa qualquer"}).status_code == 403
    assert not (brain.root / RULE).exists()


def test_a_launch_link_is_a_proof_also_where_a_password_is_set(brain, waiting, person, send, grow_old):
    from brain.access import launch

    path, form = waiting
    set_it(send)
    grow_old()
    assert send(path, form).status_code == 403
    assert person.get("/enter", {"c": launch.create()}).status_code == 302
    assert send(path, form).status_code == 302
    assert (brain.root / RULE).exists()


def test_after_five_wrong_ones_even_the_right_one_waits_and_longer_each_time(
    monkeypatch, brain, waiting, send, grow_old
):
    path, form = waiting
    set_it(send)
    grow_old()
    for _ in range(guesses.FREE):
        send(path, {**form, "proof_password": "outra coisa qualquer"})
    answer = send(path, {**form, "proof_password": SECRET})
    assert answer.status_code == 403
    assert "Too many wrong proofs" in answer.content.decode()
    assert not (brain.root / RULE).exists()

    now = clock.now()
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=31))
    send(path, {**form, "proof_password": "outra coisa qualquer"})
    assert 31 < guesses.begin() <= 60
    monkeypatch.setattr(clock, "now", lambda: now + timedelta(seconds=92))
    assert send(path, {**form, "proof_password": SECRET}).status_code == 302
    assert not Guesses.objects.exists()


def test_the_wait_never_grows_beyond_a_quarter_of_an_hour_nor_follows_a_clock_set_back(monkeypatch, stranger):
    now = clock.now()
    for _ in range(60):
        guesses.begin()
        now += timedelta(hours=1)
        monkeypatch.setattr(clock, "now", lambda moment=now: moment)
    assert Guesses.objects.get().until <= clock.now() + guesses.LONGEST_WAIT
    monkeypatch.setattr(clock, "now", lambda: now - timedelta(days=30))
    assert guesses.begin() == 0


def test_a_new_password_throws_other_browsers_out_and_keeps_this_one(person, send):
    from django.test import Client

    from brain.access import launch

    other = Client(headers={"host": "cabecao.localhost:8765"})
    other.get("/enter", {"c": launch.create()})
    assert other.get("/settings").status_code == 200
    set_it(send)
    assert other.get("/settings").status_code == 403
    assert person.get("/settings").status_code == 200


def test_nobody_logs_in_with_the_password_alone(send, stranger):
    from django.test import Client

    set_it(send)
    client = Client(headers={"host": "cabecao.localhost:8765"})
    for guess in (SECRET, "outra coisa qualquer"):  # nobody tells a stranger which of them it is
        form = {"proof_password": guess, "username": "person", "password": guess}
        assert client.post("/enter", form).status_code == 405
        assert client.post("/settings/proof", form).status_code == 403
    assert not Guesses.objects.exists()
    assert client.get("/settings").status_code == 403


def test_the_pages_say_what_a_proof_cannot_do(see, send, grow_old):
    assert "a program that runs as you" in see("/settings/proof").text
    grow_old()
    assert "a program that runs as you" in send("/settings/proof").content.decode()


def test_passkeys_are_offered_under_a_name_and_not_under_a_number(see, person):
    assert 'data-passkey="create"' in see("/settings/proof").html
    number = {"host": "127.0.0.1:8765"}
    assert 'data-passkey="create"' not in see("/settings/proof", **number).html


def test_a_made_up_passkey_is_kept_and_taken_for_nothing(brain, waiting, send, see, grow_old):
    seal = re.search(r'name="seal" value="([^"]+)"', see("/settings/proof").html)[1]
    for answer in ("", "{}", "[]", "x", json.dumps({"id": "AA", "rawId": "AA", "type": "public-key", "response": {}})):
        assert send("/settings/proof/passkey", {"passkey": answer, "seal": seal}).status_code == 400, answer
    assert not Passkey.objects.exists()
    path, form = waiting
    grow_old()
    answer = send(path, {**form, "proof_passkey": json.dumps({"id": "AA"}), "proof_seal": seal})
    assert answer.status_code == 403
    assert not (brain.root / RULE).exists()


def test_a_seal_is_good_for_its_own_browser_address_and_five_minutes(monkeypatch, stranger):
    from brain.errors import InvalidArgument

    place = passkeys.Place("http://cabecao.localhost:8765", "cabecao.localhost", "one")
    seal = passkeys.ask_for_new(place).seal
    others = (
        (passkeys.Place("http://cabecao.localhost:9000", "cabecao.localhost", "one"), seal),
        (passkeys.Place("http://cabecao.localhost:8765", "cabecao.localhost", "two"), seal),
        (place, seal[:-2] + "xx"),
    )
    for other, tried in others:
        with pytest.raises(InvalidArgument):
            passkeys.keep(other, answer="{}", seal=tried, name="x")
