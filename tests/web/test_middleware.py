"""Hosts, origins, tokens, languages and times."""

from __future__ import annotations

import asyncio
import warnings

import pytest
from django.test import AsyncClient
from gallery import HOST, ORIGIN

pytestmark = pytest.mark.django_db
FOREIGN_HOSTS = [
    "evil.example",
    "evil.example:8765",
    "127.0.0.1.evil.example",
    "169.254.169.254:8765",
    "cabecao.localhost.evil.example",
    "cabecao.localhost:8765,evil.example",  # two Host headers, as the server joins them
    "evil.example,cabecao.localhost:8765",
]


def token(person) -> str:
    person.get("/settings")
    return person.cookies["cabecao_csrf"].value


@pytest.mark.parametrize("host", FOREIGN_HOSTS)
@pytest.mark.parametrize("path", ["/", "/api/thing", "/mcp", "/enter", "/static/cabecao.css"])
def test_a_foreign_host_is_refused_before_any_page(person, host, path):
    answer = person.get(path, headers={"host": host})

    assert answer.status_code == 400
    assert answer["Content-Type"].startswith("text/plain")


def test_a_host_that_a_forwarder_names_counts_for_nothing(person):
    forwarded = {"x-forwarded-host": "evil.example", "forwarded": "host=evil.example"}
    assert b"evil.example" not in person.get("/settings", headers=forwarded).content
    answer = person.get("/settings", headers={"host": "evil.example", "x-forwarded-host": HOST})
    assert answer.status_code == 400


@pytest.mark.parametrize("host", ["127.0.0.1:1", "localhost:65535", "cabecao.localhost", "CABECAO.localhost:8765"])
def test_each_name_of_the_machine_is_known_on_any_port(stranger, host):
    assert stranger.get("/", headers={"host": host}).status_code == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://cabecao.localhost:3000"},
        {"origin": "http://127.0.0.1:8765"},
        {"origin": f"https://{HOST}"},
        {"referer": "https://evil.example/page"},
        {"referer": "http://[bad"},
        {"origin": ORIGIN, "sec-fetch-site": "cross-site"},
        {"origin": ORIGIN, "sec-fetch-site": "same-site"},
    ],
)
def test_a_change_that_another_origin_asks_for_is_refused(person, headers):
    fields = {"theme": "dark", "csrfmiddlewaretoken": token(person)}

    answer = person.post("/settings/theme", fields, headers=headers)

    assert answer.status_code == 403
    assert "cabecao_theme" not in answer.cookies


@pytest.mark.parametrize(
    "headers",
    [{"origin": ORIGIN}, {"referer": f"{ORIGIN}/settings"}, {}, {"origin": ORIGIN, "sec-fetch-site": "same-origin"}],
)
def test_a_form_of_the_own_pages_passes(person, headers):
    fields = {"theme": "dark", "csrfmiddlewaretoken": token(person)}

    answer = person.post("/settings/theme", fields, headers=headers)

    assert answer.status_code == 302
    assert answer.cookies["cabecao_theme"].value == "dark"


def test_reading_from_a_link_on_another_page_is_allowed(person):
    assert (
        person.get("/", headers={"referer": "https://evil.example/", "sec-fetch-site": "cross-site"}).status_code == 200
    )


def test_a_form_without_its_token_is_refused(person):
    answer = person.post("/settings/theme", {"theme": "dark"}, headers={"origin": ORIGIN})

    assert answer.status_code == 403
    assert "out of date" in answer.text
    assert "cabecao_theme" not in answer.cookies


def test_the_answer_tells_its_time(person):
    assert person.get("/")["Server-Timing"].startswith("app;dur=")


@pytest.mark.parametrize(("cookie", "lang"), [("pt-br", "pt-BR"), ("en", "en"), ("xx", "en"), ("", "en")])
def test_the_language_is_the_one_the_person_chose(person, cookie, lang):
    person.cookies["cabecao_lang"] = cookie

    answer = person.get("/")

    assert f'<html lang="{lang}"' in answer.text
    assert answer["Content-Language"] == lang.lower()


def test_the_language_of_one_answer_does_not_stay_for_the_next(person):
    from brain import language

    person.cookies["cabecao_lang"] = "pt-br"
    person.get("/")

    assert language.current() == "en"


def test_the_pages_answer_under_asgi_without_a_warning():
    async def ask() -> tuple[int, int, str]:
        client = AsyncClient(headers={"host": HOST})
        page, style = await client.get("/settings"), await client.get("/static/cabecao.css")
        chunks = [chunk async for chunk in style.streaming_content]
        return page.status_code, style.status_code, b"".join(chunks).decode()

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        status, style_status, style = asyncio.run(ask())

    assert (status, style_status) == (403, 200)
    assert style.startswith("/* Paper")
