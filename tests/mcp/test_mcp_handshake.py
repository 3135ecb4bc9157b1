import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mcp_types import version as library
from talking import answers, initialize, request

from brain import language
from mcpbridge import handshake
from mcpbridge.server import Bridge

SPOKEN = [*handshake.VERSIONS, "2026-07-28", "1999-01-01", "2025-11-26", "", "não é versão"]


def server(profile="standard"):
    from concurrent.futures import Future

    return Bridge(profile=profile, ready=Future()).server()


def early(message, profile="standard"):
    answer = handshake.answer(json.dumps(message).encode(), profile)
    return answer and json.loads(answer.line)


@pytest.mark.parametrize("version", SPOKEN)
@pytest.mark.parametrize("profile", ["core", "standard", "full"])
@pytest.mark.parametrize("tongue", ["pt-br", "en"])
def test_the_early_answer_equals_the_librarys_own(version, profile, tongue):
    with language.activate(tongue):
        message = initialize(version)
        assert [early(message, profile)] == answers(server(profile), message)


def test_the_versions_are_those_of_the_library():
    assert handshake.VERSIONS == library.HANDSHAKE_PROTOCOL_VERSIONS


@pytest.mark.parametrize("number", [0, 7, -3, 2**40, "texto", "é"])
def test_the_id_comes_back_as_it_was_given(number):
    answer = early(initialize(number=number))
    assert answer["id"] == number
    assert answers(server(), initialize(number=number)) == [answer]


def with_params(**changes):
    message = initialize()
    message["params"] = {key: value for key, value in {**message["params"], **changes}.items() if value is not ...}
    return message


@pytest.mark.parametrize(
    "opening",
    [
        request(1, "ping"),
        {**initialize(), "jsonrpc": "1.0"},
        {**initialize(), "id": True},
        {**initialize(), "id": 1.5},
        {**initialize(), "id": None},
        {**initialize(), "id": "x" * 65},
        {**initialize(), "more": 1},
        {**initialize(), "params": []},
        with_params(protocolVersion=7),
        with_params(protocolVersion=...),
        with_params(capabilities=...),
        with_params(capabilities=[]),
        with_params(capabilities={"roots": True}),
        with_params(capabilities={"roots": {"listChanged": "sim"}}),
        with_params(capabilities={"tasks": {}}),
        with_params(clientInfo=...),
        with_params(clientInfo={"name": "x"}),
        with_params(clientInfo={"name": "x", "version": 1}),
        with_params(clientInfo={"name": "x", "version": "1", "icons": [{"mimeType": "image/png"}]}),
        with_params(_meta={}),
    ],
)
def test_an_opening_that_is_no_plain_initialize_waits_for_the_library(opening):
    assert early(opening) is None


@pytest.mark.parametrize("line", [b"", b"{", b"\xff", b"null", b"[" * 100_000, b'"initialize"'])
def test_a_line_that_is_no_object_waits_for_the_library(line):
    assert handshake.answer(line, "standard") is None


loose = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=5), inner, max_size=2),
    max_leaves=4,
)
capabilities = st.fixed_dictionaries(
    {},
    optional={
        "roots": loose | st.fixed_dictionaries({"listChanged": loose}),
        "sampling": loose | st.fixed_dictionaries({"tools": loose}),
        "elicitation": loose | st.fixed_dictionaries({"form": loose}),
        "experimental": loose,
        "extensions": loose,
        "other": loose,
    },
)
clients = st.fixed_dictionaries(
    {"name": st.text(max_size=5), "version": st.text(max_size=5)},
    optional={"title": loose, "websiteUrl": loose, "description": loose, "icons": loose, "other": loose},
)


@settings(max_examples=60, deadline=None)
@given(capabilities=capabilities, client=clients)
def test_whatever_is_answered_early_the_library_accepts(capabilities, client):
    message = with_params(capabilities=capabilities, clientInfo=client)
    answer = early(message)
    if answer is not None:
        assert answers(server(), message) == [answer]
