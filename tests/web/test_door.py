"""Who gets in, and what a stranger is shown."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.test import Client
from gallery import HOST

from brain import clock
from brain.access import launch
from brain.access.models import LaunchLink

pytestmark = pytest.mark.django_db


def test_a_launch_link_opens_the_pages_once(stranger):
    code = launch.create()

    first = stranger.get("/enter", {"c": code})
    second = Client(headers={"host": HOST}).get("/enter", {"c": code})

    assert (first.status_code, first["Location"]) == (302, "/")
    assert stranger.get("/").status_code == 200
    assert second.status_code == 403


def test_the_secret_of_a_link_is_not_kept():
    code = launch.create()

    assert len(code) >= 43
    assert code not in str(LaunchLink.objects.values())


def test_a_link_ends_after_five_minutes(stranger, monkeypatch):
    code, later = launch.create(), clock.now() + timedelta(minutes=5, seconds=1)
    monkeypatch.setattr(clock, "now", lambda: later)

    assert stranger.get("/enter", {"c": code}).status_code == 403
    assert stranger.get("/").status_code == 403


@pytest.mark.parametrize("code", ["", "x", "x" * 43])
def test_a_wrong_link_shows_the_entrance(stranger, code):
    launch.create()

    answer = stranger.get("/enter", {"c": code})

    assert answer.status_code == 403
    assert "cabecao open" in answer.text


def test_old_links_are_swept_when_a_new_one_is_made(monkeypatch):
    launch.create()
    later = clock.now() + timedelta(days=2)
    monkeypatch.setattr(clock, "now", lambda: later)

    launch.create()

    assert LaunchLink.objects.count() == 1


def test_a_used_link_leads_home_whoever_is_inside(stranger):
    code = launch.create()
    stranger.get("/enter", {"c": code})

    assert stranger.get("/enter", {"c": code}).status_code == 302


def test_asking_for_the_head_of_a_link_does_not_use_it(stranger):
    code = launch.create()

    assert stranger.head("/enter", {"c": code}).status_code == 405
    assert launch.use(code)


def test_the_session_key_is_new_after_each_link(person):
    before = person.session.session_key

    person.get("/enter", {"c": launch.create()})

    assert person.session.session_key != before
    assert person.session["proved_at"]
    assert User.objects.get().has_usable_password() is False


def test_the_session_cookie_is_strict_and_of_this_host_only(stranger):
    stranger.get("/enter", {"c": launch.create()})

    cookie = stranger.cookies["cabecao_session"]
    assert (cookie["samesite"], cookie["httponly"], cookie["domain"]) == ("Strict", True, "")


def test_both_addresses_of_a_link_carry_the_code():
    assert launch.addresses(8765, "abc") == (
        "http://cabecao.localhost:8765/enter?c=abc",
        "http://127.0.0.1:8765/enter?c=abc",
    )


@pytest.mark.parametrize("path", ["/", "/settings", "/nowhere", "/clash", "/crash"])
def test_a_stranger_sees_the_entrance_and_nothing_of_the_brain(stranger, path):
    answer = stranger.get(path)

    assert answer.status_code == 403
    assert "cabecao open" in answer.text
    assert "SQS" not in answer.text.partition("<main")[2]  # the token for forms, before it, is made of any letters
    assert "/notes" not in answer.text


def test_an_invented_cookie_opens_nothing(stranger):
    stranger.cookies["cabecao_session"] = "a" * 32

    assert stranger.get("/").status_code == 403


def test_a_stranger_at_the_api_gets_json(stranger):
    answer = stranger.get("/api/thing")

    assert answer.status_code == 401
    assert answer.json()["error"].keys() == {"code", "message", "next_step"}
    assert answer["WWW-Authenticate"] == "Bearer"


def test_a_session_that_ended_is_told_as_a_message_where_htmx_asked(stranger):
    answer = stranger.get("/parts", headers={"hx-request": "true"})

    assert answer.status_code == 403
    assert "<html" not in answer.text
    assert "cabecao open" in answer.text


def test_the_caller_of_a_page_is_the_person(person, rf):
    from brain.web.person import caller

    request = rf.get("/")
    request.session = person.session
    asking = caller(request)

    assert (asking.is_human, asking.client, asking.origin) == (True, "web", "human")
    assert person.session.session_key not in asking.connection
