"""What stands in for a page that could not be made."""

from __future__ import annotations

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db


def test_a_missing_page_is_told_in_the_frame_with_a_next_step(person):
    answer = person.get("/nowhere")

    assert answer.status_code == 404
    assert "There is nothing at this address" in answer.text
    assert "look in Activity" in answer.text
    assert 'class="rail"' in answer.text


def test_an_error_of_the_brain_is_shown_with_its_status_and_next_step(person):
    answer = person.get("/clash")

    assert answer.status_code == 409
    assert "A nota mudou enquanto você editava." in answer.text
    assert "both versions are kept" in answer.text


def test_an_error_is_a_message_alone_where_htmx_asked(person):
    answer = person.get("/clash", headers={"hx-request": "true"})

    assert answer.status_code == 409
    assert answer.text.lstrip().startswith('<div class="callout bad"')


def test_a_crash_shows_a_page_without_a_trace(person):
    person.raise_request_exception = False

    answer = person.get("/crash")

    assert answer.status_code == 500
    assert "Something went wrong" in answer.text
    assert "a view that fails" not in answer.text
    assert "Traceback" not in answer.text


def test_the_page_of_a_crash_needs_no_database(rf, django_assert_num_queries):
    from django.contrib.sessions.middleware import SessionMiddleware

    from brain.web import failures

    request = rf.get("/", headers={"host": "cabecao.localhost"})
    SessionMiddleware(lambda _request: None).process_request(request)
    with django_assert_num_queries(0, connection=connection):
        answer = failures.broken(request)

    assert answer.status_code == 500
    assert 'class="rail"' in answer.text


def test_the_api_gets_its_errors_as_json(person):
    person.raise_request_exception = False

    answer = person.get("/api/thing")

    assert answer.status_code == 500
    assert answer.json()["error"]["code"] == "internal_error"


@pytest.mark.parametrize("path", ["/settings/theme", "/settings/language", "/settings/keys"])
def test_nothing_is_set_by_looking(person, path):
    answer = person.get(path, {"theme": "dark", "language": "en", "keys": "off"})

    assert answer.status_code == 405
    assert not answer.cookies
