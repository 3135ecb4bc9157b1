"""What the headers let a page do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.contrib.staticfiles import finders

pytestmark = pytest.mark.django_db
PAGES = ["/", "/parts", "/settings", "/nowhere", "/clash"]


def policy(answer) -> dict[str, list[str]]:
    parts = (part.split() for part in answer["Content-Security-Policy"].split(";"))
    return {part[0]: part[1:] for part in parts if part}


def nonce(answer) -> str:
    return next(source for source in policy(answer)["script-src"] if source.startswith("'nonce-"))[7:-1]


@pytest.mark.parametrize("path", PAGES)
def test_a_page_allows_itself_nothing_inline(person, path):
    rules = policy(person.get(path))

    assert rules["default-src"] == ["'none'"]
    assert rules["script-src"][0] == "'self'"
    assert rules["style-src"] == ["'self'"]
    assert rules["frame-ancestors"] == rules["base-uri"] == rules["object-src"] == ["'none'"]
    assert not {"'unsafe-inline'", "'unsafe-eval'"} & {source for sources in rules.values() for source in sources}


def test_the_nonce_is_real_and_new_for_each_answer(person):
    first, second = person.get("/"), person.get("/")

    assert re.fullmatch(r"[\w+/=]{20,}", nonce(first))
    assert nonce(first) != nonce(second)
    assert set(re.findall(r'<script[^>]* nonce="([^"]*)"', first.text)) == {nonce(first)}


@pytest.mark.parametrize("path", [*PAGES, "/crash"])
def test_each_page_names_its_own_icon_and_holds_no_inline_code(person, path):
    person.raise_request_exception = False
    text = person.get(path).text

    assert '<link rel="icon" href="/static/favicon.svg"' in text
    assert not re.search(r'\s(style|on\w+)="', text)
    assert "<style" not in text
    assert all("src=" in tag for tag in re.findall(r"<script[^>]*>", text))
    assert not re.search(r'(src|href|action)="(https?:)?//', text)


@pytest.mark.parametrize("path", [*PAGES, "/crash", "/enter"])
def test_each_answer_is_not_sniffed_framed_or_told_to_others(person, path):
    person.raise_request_exception = False
    answer = person.get(path)

    assert answer["X-Content-Type-Options"] == "nosniff"
    assert answer["X-Frame-Options"] == "DENY"
    assert answer["Referrer-Policy"] == "same-origin"


def test_a_page_is_kept_by_no_cache_and_varies_with_htmx(person):
    answer = person.get("/parts")

    assert "no-cache" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    assert "HX-Request" in answer["Vary"]


def test_static_files_are_for_the_own_pages_alone(stranger):
    answer = stranger.get("/static/icons.svg")

    assert answer.status_code == 200
    assert "Access-Control-Allow-Origin" not in answer


def test_what_a_page_ships_stays_small():
    names = ("cabecao.css", "cabecao.js", "django_htmx/htmx-2.min.js", "icons.svg")
    size = {name: Path(finders.find(name)).stat().st_size for name in names}

    assert size["cabecao.css"] <= 30 * 1024
    assert size["cabecao.js"] + size["django_htmx/htmx-2.min.js"] <= 60 * 1024
    assert size["icons.svg"] <= 20 * 1024
