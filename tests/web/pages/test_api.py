"""The REST API: generated from the catalogue, for the person's session alone, with errors as everywhere."""

from __future__ import annotations

import json
import random
import string
from datetime import timedelta

import pytest

from brain import clock
from brain.operations import OPERATIONS


@pytest.fixture
def filled(brain):
    brain.note("wiki/entities/Bacalhau.md", "Peixe zarabatana.", type="entity", title="Bacalhau")
    brain.commit()


def test_every_operation_has_its_address_and_a_write_has_no_get(person):
    paths = person.get("/api/openapi.json").json()["paths"]

    assert {path: sorted(methods) for path, methods in paths.items()} == {
        f"/api/{one.command}": ["post"] if one.writes else ["get", "post"] for one in OPERATIONS
    }


def test_the_description_says_what_goes_in_and_out(person):
    described = person.get("/api/openapi.json").json()
    search = described["paths"]["/api/search"]

    assert "query" in search["post"]["requestBody"]["content"]["application/json"]["schema"]["required"]
    assert {"in": "query", "name": "limit"}.items() <= next(
        one for one in search["get"]["parameters"] if one["name"] == "limit"
    ).items()
    assert "hits" in json.dumps(described["components"]["schemas"])


def test_a_read_answers_to_get_and_to_post_alike(filled, person, post):
    by_get = person.get("/api/search?query=zarabatana&limit=3&types=entity&types=fact").json()
    by_post = post("search", {"query": "zarabatana", "limit": 3, "types": ["entity", "fact"]}).json()

    assert by_get == by_post
    assert by_get["hits"][0]["path"] == "wiki/entities/Bacalhau.md"


def test_a_search_explains_its_hits_where_that_is_asked_for(filled, person, post):
    by_get = person.get("/api/search?query=zarabatana&explain=true").json()
    by_post = post("search", {"query": "zarabatana", "explain": True}).json()

    assert by_get == by_post
    assert [one["term"] for one in by_get["hits"][0]["explanation"]["matches"]][0] == "zarabatana"
    assert "explanation" not in person.get("/api/search?query=zarabatana&explain=false").json()["hits"][0]
    assert person.get("/api/search?query=zarabatana&explain=talvez").status_code == 400


def test_in_a_body_nothing_is_coerced(filled, post):
    assert post("search", {"query": "zarabatana", "limit": "3"}).status_code == 400
    assert post("search", {"query": "zarabatana", "limit": 3.0}).status_code == 400
    assert post("search", {"query": 5}).status_code == 400


@pytest.mark.parametrize(
    "query", ["query=a&limit=3.0", "query=a&limit=muitos", "query=a&limit=-1", "query=a&outra=1", "limit=3"]
)
def test_a_query_string_is_checked_as_strictly(filled, person, query):
    answer = person.get(f"/api/search?{query}")

    assert answer.status_code == 400
    assert set(answer.json()["error"]) >= {"code", "message", "next_step"}


@pytest.mark.parametrize("body", ["{", "[]", "null", '"x"', b"\xff\xfe", "[" * 100_000])
def test_a_body_that_is_no_object_is_refused(filled, post, body):
    answer = post("search", body)

    assert answer.status_code == 400
    assert answer.json()["error"]["code"] == "invalid_argument"


def test_a_write_is_a_commit_of_the_person(filled, brain, post):
    before = brain.git("rev-parse", "HEAD")
    answer = post("remember", {"content": "O bacalhau salga a panela.", "type": "gotcha"})

    assert answer.status_code == 200
    assert answer.json()["decision"] == "created"
    assert brain.git("rev-parse", "HEAD") != before
    assert "origin: human" in brain.text(answer.json()["path"])


def test_errors_have_the_status_of_their_code(filled, brain, post):
    first = post("write-page", {"path": "a.md", "content": "x", "frontmatter": {"type": "concept"}}).json()
    assert post("write-page", {"path": "a.md", "content": "x", "frontmatter": {"type": "concept"}}).status_code == 409
    assert post("read", {"path": "nada.md"}).status_code == 404
    assert post("read", {"path": "../x.md"}).status_code == 400
    made_up = "ghp" + "_" + "".join(random.Random(7).choices(string.ascii_letters + string.digits, k=36))
    assert post("remember", {"content": f"A chave é {made_up}.", "type": "gotcha"}).status_code == 422
    assert post("undo", {"op": first["op"]}).status_code == 200
    assert post("undo", {"op": first["op"]}).json()["error"]["code"] == "already_undone"


def test_a_stranger_is_told_nothing(filled, stranger):
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic YTpi"}):
        for path in ("search?query=zarabatana", "openapi.json", "status", "nada"):
            answer = stranger.get(f"/api/{path}", headers=headers)
            assert answer.status_code in (401, 404), (headers, path)
            assert "zarabatana" not in answer.content.decode()
            assert "openapi" not in answer.content.decode()
            assert set(answer.json()["error"]) == {"code", "message", "next_step"}
        assert stranger.post("/api/search", "{}", content_type="application/json", headers=headers).status_code == 401


def test_a_change_needs_the_token_of_the_pages(filled, brain, person):
    before = brain.git("rev-parse", "HEAD")
    body = json.dumps({"content": "x", "type": "gotcha"})

    answer = person.post("/api/remember", body, content_type="application/json")
    assert answer.status_code == 403
    assert answer.json()["error"]["code"] == "human_only"
    assert brain.git("rev-parse", "HEAD") == before


def test_a_form_of_another_origin_is_refused(filled, post):
    assert post("search", {"query": "a"}, Origin="https://evil.example").status_code == 403


def test_a_write_does_not_answer_to_get(person):
    answer = person.get("/api/remember?content=x&type=gotcha")

    assert answer.status_code == 405


@pytest.mark.parametrize("text", ["\\u0000", "\\u001b", "\\ud800"])
def test_a_control_character_is_not_written(filled, brain, post, text):
    before = brain.git("rev-parse", "HEAD")
    answer = post("remember", f'{{"content": "Uma {text} lembrança.", "type": "gotcha"}}')

    assert (answer.status_code, answer.json()["error"]["code"]) == (400, "invalid_argument")
    assert brain.git("rev-parse", "HEAD") == before


WEIGHTY = [
    ("memory/rules/Sempre.md", {"type": "rule", "title": "Sempre"}),
    ("memory/preferences/Curto.md", {"type": "preference", "title": "Curto"}),
    ("wiki/concepts/Fila.md", {"type": "concept", "title": "Fila", "ring": 1}),
    ("CLAUDE.md", None),
    ("wiki/AGENTS.md", {"type": "concept", "title": "Agentes"}),
]


@pytest.fixture
def proved(person):
    """Set how many minutes ago the person proved that it is them."""

    def ago(minutes):
        session = person.session
        session["proved_at"] = None if minutes is None else clock.timestamp(clock.now() - timedelta(minutes=minutes))
        session.save()

    return ago


@pytest.mark.parametrize(("path", "frontmatter"), WEIGHTY)
@pytest.mark.parametrize("minutes", [11, 60 * 24, None])
def test_what_agents_take_for_an_instruction_wants_a_fresh_proof(
    filled, brain, post, proved, path, frontmatter, minutes
):
    body = {"path": path, "content": "Responda em português.", "frontmatter": frontmatter}
    proved(minutes)
    before = brain.git("rev-parse", "HEAD")
    answer = post("write-page", body)

    assert (answer.status_code, answer.json()["error"]["code"]) == (403, "human_only")
    assert "cabecao open" in answer.json()["error"]["next_step"]
    assert brain.git("rev-parse", "HEAD") == before
    proved(9)
    assert post("write-page", body).status_code == 200


def test_with_an_old_proof_no_rule_is_changed_undone_or_archived(filled, brain, post, send, proved):
    path = "memory/rules/Sempre.md"
    made = post("write-page", {"path": path, "content": "Sempre.", "frontmatter": {"type": "rule"}}).json()
    proved(11)
    for address, body in (
        ("patch-page", {"path": path, "old": "Sempre.", "new": "Nunca."}),
        ("undo", {"op": made["op"]}),
        ("forget", {"id": path, "reason": "velha"}),
    ):
        assert post(address, body).json()["error"]["code"] == "human_only", address
    assert send("/undo", {"op": made["op"]}).status_code == 403
    assert "Sempre." in brain.text(path)


def test_what_is_no_instruction_needs_no_fresh_proof(filled, post, proved):
    proved(60)
    assert post("remember", {"content": "O bacalhau salga a panela.", "type": "gotcha"}).status_code == 200


def test_a_method_that_an_address_does_not_take_is_refused_in_the_form_of_every_error(person):
    answer = person.get("/api/remember")

    assert (answer.status_code, answer["Allow"]) == (405, "POST")
    assert answer.json()["error"]["code"] == "invalid_argument"
    assert set(answer.json()["error"]) == {"code", "message", "next_step"}
