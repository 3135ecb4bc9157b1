import json
import sys
from types import ModuleType

import pytest
from talking import answers, call, initialize, request

from brain import config
from brain.errors import NotFound, UnsafePath


@pytest.fixture
def here(tmp_path):
    (tmp_path / ".cabecao.json").write_text("{}", encoding="utf-8")
    config.enter(tmp_path)
    yield tmp_path
    config.leave()


def read(bridge, uri):
    return answers(bridge.server(), initialize(), request(1, "resources/read", {"uri": uri}))[1]


def test_the_resources_and_their_pattern_are_listed(bridge):
    said = answers(bridge.server(), initialize(), request(1, "resources/list"), request(2, "resources/templates/list"))
    assert [one["uri"] for one in said[1]["result"]["resources"]] == ["cabecao://schema", "cabecao://index"]
    assert [one["uriTemplate"] for one in said[2]["result"]["resourceTemplates"]] == ["cabecao://page/{+path}"]


def test_the_schema_is_the_brains_guide(bridge, here):
    (here / "AGENTS.md").write_bytes(b"\xef\xbb\xbf# Como \xc3\xa9\r\n")
    (content,) = read(bridge, "cabecao://schema")["result"]["contents"]
    assert content == {"uri": "cabecao://schema", "mimeType": "text/markdown", "text": "# Como é\r\n"}


def test_a_brain_without_a_guide_says_so(bridge, here):
    error = read(bridge, "cabecao://schema")["error"]
    assert error["code"] == -32602
    assert error["data"]["error"]["code"] == "not_found"


def test_a_guide_that_is_a_link_out_of_the_brain_is_not_read(bridge, here, tmp_path_factory):
    secret = tmp_path_factory.mktemp("outside") / "secret.txt"
    secret.write_text("segredo", encoding="utf-8")
    (here / "AGENTS.md").symlink_to(secret)
    answer = read(bridge, "cabecao://schema")
    assert answer["error"]["data"]["error"]["code"] == "unsafe_path"
    assert "segredo" not in json.dumps(answer)


def test_the_index_is_the_catalogue(bridge, monkeypatch):
    catalogue = ModuleType("catalogue")
    catalogue.text = lambda: "# Catálogo\n"
    monkeypatch.setitem(sys.modules, "brain.services.reads.catalogue", catalogue)
    (content,) = read(bridge, "cabecao://index")["result"]["contents"]
    assert content["text"] == "# Catálogo\n"


@pytest.mark.parametrize(
    ("address", "path"),
    [
        ("wiki/concepts/A.md", "wiki/concepts/A.md"),
        ("wiki/concepts/Configura%C3%A7%C3%A3o%20nova.md", "wiki/concepts/Configuração nova.md"),
        ("wiki/Configuração.md", "wiki/Configuração.md"),
        ("100%25.md", "100%.md"),
        ("a?b#c.md", "a?b#c.md"),
    ],
)
def test_a_page_is_what_read_returns(address, path, bridge, services):
    said = answers(
        bridge.server(),
        initialize(),
        request(1, "resources/read", {"uri": f"cabecao://page/{address}"}),
        call(2, "read", {"path": path}),
    )
    (content,) = said[1]["result"]["contents"]
    assert content["mimeType"] == "application/json"
    assert json.loads(content["text"]) == said[2]["result"]["structuredContent"]
    assert json.loads(content["text"])["note"]["path"] == path


@pytest.mark.parametrize("failure", [NotFound("Not there."), UnsafePath("Outside.")])
def test_a_page_that_cannot_be_read_is_a_protocol_error_with_the_message(failure, bridge, services):
    def refuse(caller, given):
        assert given.path == "../../etc/passwd"
        raise failure

    services["read"] = refuse
    error = read(bridge, "cabecao://page/%2e%2e/%2e%2e/etc/passwd")["error"]
    assert error == {"code": -32602, "message": failure.message, "data": {"error": failure.as_dict()}}


@pytest.mark.parametrize("address", ["%ff.md", "", "%E3%A7.md"])
def test_an_address_that_names_nothing_is_refused(address, bridge, services):
    error = read(bridge, f"cabecao://page/{address}")["error"]
    assert error["data"]["error"]["code"] == "invalid_argument"


@pytest.mark.parametrize("uri", ["file:///etc/passwd", "cabecao://none", "cabecao://schema/x", "", "x" * 9000])
def test_an_unknown_address_is_not_found(uri, bridge):
    error = read(bridge, uri)["error"]
    assert error["data"]["error"]["code"] == "not_found"
    assert len(error["message"]) < 400


def test_a_foreign_exception_shows_no_text(bridge, services, caplog):
    def fail(caller, given):
        raise RuntimeError(given.path)

    services["read"] = fail
    answer = read(bridge, "cabecao://page/sk-segredo.md")
    assert answer["error"]["code"] == -32603
    assert "segredo" not in json.dumps(answer) + caplog.text
