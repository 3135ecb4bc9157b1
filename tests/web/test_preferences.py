"""What a browser keeps for the person."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.django_db


def send(person, path: str, **fields: str):
    person.get("/settings")
    return person.post(path, {**fields, "csrfmiddlewaretoken": person.cookies["cabecao_csrf"].value})


def test_a_theme_is_written_into_the_page_by_the_server(person):
    assert "data-theme" not in person.get("/").text.split("<head>")[0]

    send(person, "/settings/theme", theme="dark")

    assert 'data-theme="dark"' in person.get("/").text


def test_the_system_decides_again_when_it_is_chosen(person):
    send(person, "/settings/theme", theme="dark")
    send(person, "/settings/theme", theme="system")

    assert "data-theme=" not in person.get("/").text


@pytest.mark.parametrize(
    ("path", "field"), [("/settings/theme", "theme"), ("/settings/language", "language"), ("/settings/keys", "keys")]
)
def test_a_choice_that_does_not_exist_is_refused(person, path, field):
    answer = send(person, path, **{field: '"><script>'})

    assert answer.status_code == 400
    assert "<script>" not in answer.text.replace("<script src", "")
    assert not [name for name in answer.cookies if name in ("cabecao_theme", "cabecao_lang", "cabecao_keys")]


def test_the_cookie_of_a_choice_is_strict(person):
    cookie = send(person, "/settings/language", language="pt-br").cookies["cabecao_lang"]

    assert (cookie.value, cookie["samesite"], cookie["httponly"]) == ("pt-br", "Strict", True)


@pytest.mark.parametrize(
    ("back", "leads"),
    [
        ("/parts?page=2", "/parts?page=2"),
        ("//evil.example", "/settings"),
        ("https://evil.example", "/settings"),
        ("/\\evil.example", "/settings"),
        ("", "/settings"),
    ],
)
def test_a_choice_leads_back_to_a_page_of_this_server_only(person, back, leads):
    assert send(person, "/settings/theme", theme="dark", next=back)["Location"] == leads


def test_single_keys_can_be_turned_off(person):
    send(person, "/settings/keys", keys="off")

    assert 'data-keys="off"' in person.get("/").text


def test_the_settings_tell_where_the_brain_is(person, tmp_path):
    assert str(tmp_path) in person.get("/settings").text


def test_the_page_in_view_is_marked_in_the_navigation(person):
    text = person.get("/settings").text

    assert text.count('aria-current="page"') == 3
    assert '<a href="/settings" aria-current="page">' in text


def test_a_toast_is_shown_once_with_its_way_back(person):
    person.get("/say")

    first, second = person.get("/").text, person.get("/").text

    assert 'name="op" value="01JABCDEFGHJKMNPQRSTVWXYZ0"' in first
    assert "data-toast" not in second


def test_htmx_gets_the_part_alone_but_for_its_history(person):
    part = person.get("/parts", headers={"hx-request": "true"})
    restored = person.get("/parts", headers={"hx-request": "true", "hx-history-restore-request": "true"})

    assert part.text.lstrip().startswith("<nav")
    assert "<html" in restored.text
